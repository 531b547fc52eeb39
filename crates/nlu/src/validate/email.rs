//! E-mail by a simplified RFC 5322: a plain local part, a domain of letters, digits and dashes with a dot.

use super::Invalid;

const LONGEST_LOCAL: usize = 64;
const LONGEST: usize = 254;
const LONGEST_LABEL: usize = 63;

pub(super) fn canonical(text: &str) -> Result<String, Invalid> {
    if let Some(bad) = text.chars().find(|c| c.is_whitespace() || c.is_control()) {
        return Err(if bad.is_control() && !bad.is_whitespace() {
            Invalid::EmailBadCharacter(bad)
        } else {
            Invalid::EmailWithSpaces
        });
    }
    let (local, domain) = text.rsplit_once('@').ok_or(Invalid::EmailWithoutAt)?;
    if local.contains('@') {
        return Err(Invalid::EmailWithSeveralAts);
    }
    check_local(local)?;
    check_domain(domain)?;
    if text.len() > LONGEST {
        return Err(Invalid::EmailTooLong);
    }
    Ok(format!("{local}@{}", domain.to_ascii_lowercase()))
}

fn check_local(local: &str) -> Result<(), Invalid> {
    if local.is_empty() {
        return Err(Invalid::EmailWithoutName);
    }
    let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-.".contains(c);
    if let Some(bad) = local.chars().find(|c| !atom(*c)) {
        return Err(Invalid::EmailBadCharacter(bad));
    }
    if local.split('.').any(str::is_empty) {
        return Err(Invalid::EmailMisplacedDot);
    }
    if local.len() > LONGEST_LOCAL {
        return Err(Invalid::EmailTooLong);
    }
    Ok(())
}

fn check_domain(domain: &str) -> Result<(), Invalid> {
    if domain.is_empty() {
        return Err(Invalid::EmailWithoutDomain);
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if let Some(bad) = domain.chars().find(|c| !legal(*c)) {
        return Err(Invalid::EmailBadCharacter(bad));
    }
    let Some((_, ending)) = domain.rsplit_once('.') else {
        return Err(Invalid::EmailDomainWithoutDot);
    };
    if domain.split('.').any(str::is_empty) {
        return Err(Invalid::EmailMisplacedDot);
    }
    let label = |label: &str| {
        label.len() <= LONGEST_LABEL && !label.starts_with('-') && !label.ends_with('-')
    };
    let named = ending.len() >= 2 && !ending.bytes().all(|b| b.is_ascii_digit());
    if !domain.split('.').all(label) || !named {
        return Err(Invalid::EmailBadDomain);
    }
    Ok(())
}
