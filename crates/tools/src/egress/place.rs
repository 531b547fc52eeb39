//! Reads the address of a request and refuses what is certainly not public.

use std::collections::BTreeSet;
use std::net::IpAddr;

use reqwest::Url;

use super::{Blocked, is_public};

/// Names that lead home, or to the machine's own keeper, wherever they are asked for.
const NOT_PUBLIC: [&str; 9] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "lan",
    "home.arpa",
    "ip6-localhost",
    "ip6-loopback",
];

pub(super) fn check(address: &str, allowed: &BTreeSet<String>) -> Result<Url, Blocked> {
    let url = Url::parse(address).map_err(|_| Blocked::NotAnAddress)?;
    let host = plain(url.host_str().ok_or(Blocked::NotAnAddress)?);
    let named = allowed.contains(&host);
    if url.scheme() != "https" && !(named && url.scheme() == "http") {
        return Err(Blocked::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Blocked::Credentials);
    }
    if !named && !may_be_public(&host, address) {
        return Err(Blocked::NotPublic(host));
    }
    Ok(url)
}

/// A host as it is compared: without the brackets of an IPv6 address and the dot of the root.
pub(super) fn plain(host: &str) -> String {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// A number is judged here, for nobody asks what it means; a name is judged again when connected.
fn may_be_public(host: &str, written: &str) -> bool {
    match host.parse::<IpAddr>() {
        // Octal, hexadecimal and the like are written to deceive.
        Ok(IpAddr::V4(number)) => is_public(number.into()) && written.contains(host),
        Ok(number) => is_public(number),
        Err(_) => {
            let ends = |name: &&str| host.strip_suffix(*name).is_some_and(ends_label);
            host.contains('.') && !NOT_PUBLIC.iter().any(ends)
        }
    }
}

fn ends_label(rest: &str) -> bool {
    rest.is_empty() || rest.ends_with('.')
}
