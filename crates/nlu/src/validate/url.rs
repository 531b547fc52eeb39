//! Web address: `http` or `https`, and a host that can exist. A bare domain is for the extractor to complete.

use super::Invalid;

pub(super) fn canonical(text: &str) -> Result<String, Invalid> {
    let small = text.to_ascii_lowercase();
    let rest = small.strip_prefix("https://").or_else(|| small.strip_prefix("http://"));
    let rest = rest.ok_or(Invalid::UrlWithoutScheme)?;
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Invalid::UrlWithSpaces);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host_and_port.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (host_and_port, None),
    };
    let port_fits = port.is_none_or(|port| port.parse::<u16>().is_ok());
    if !port_fits || !host_can_exist(host) {
        return Err(Invalid::UrlBadDomain);
    }
    // Scheme and host ignore case; the path does not.
    let head = small.len() - rest.len() + authority.len();
    Ok(format!("{}{}", &small[..head], &text[head..]))
}

fn host_can_exist(host: &str) -> bool {
    let legal = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let label = |label: &str| !label.is_empty() && label.len() <= 63 && label.chars().all(legal);
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "localhost" || (host.contains('.') && host.len() <= 253 && host.split('.').all(label))
}
