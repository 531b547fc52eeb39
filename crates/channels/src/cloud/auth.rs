//! The caller of the webhook: Meta's signature over the raw body, and the verify token of the
//! handshake.

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::mac::{self, Denied};

pub const SIGNATURE_HEADER: &str = "x-hub-signature-256";

/// The secrets by which the webhook knows its caller. `Debug` shows no secret.
#[derive(Clone, Debug)]
pub struct WebhookAuth {
    /// The app's secret; two of them while the new one replaces the old.
    pub app_secrets: Vec<SecretString>,
    pub verify_token: SecretString,
}

impl WebhookAuth {
    /// Whether a call has a signature at all, before any of its body is read.
    pub fn is_signed(&self, signature: Option<&str>) -> Result<(), Denied> {
        presented(signature).map(drop)
    }

    /// Judges a call by its signature and its body as received, before anything is parsed.
    pub fn verify(&self, signature: Option<&str>, body: &[u8]) -> Result<(), Denied> {
        let presented = presented(signature)?;
        let mut verified = Err(Denied::NotConfigured);
        for secret in &self.app_secrets {
            verified = mac::signed(secret.expose_secret(), &presented, body);
            if verified.is_ok() {
                break;
            }
        }
        verified
    }

    /// Whether the token of the handshake is the agreed one.
    pub fn agrees(&self, token: &str) -> bool {
        let agreed = self.verify_token.expose_secret();
        // Digests are compared, so that not even the length of the token shows in the time taken.
        !agreed.is_empty() && bool::from(Sha256::digest(token).ct_eq(&Sha256::digest(agreed)))
    }
}

fn presented(signature: Option<&str>) -> Result<Vec<u8>, Denied> {
    let digits = mac::without_scheme(signature.ok_or(Denied::Missing)?);
    let digits = digits.filter(|digits| digits.len() == 64).ok_or(Denied::Malformed)?;
    mac::unhex(digits).ok_or(Denied::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hmac::{Hmac, KeyInit, Mac};

    const BODY: &[u8] = br#"{"object": "whatsapp_business_account", "entry": []}"#;

    fn signature(secret: &str, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(body);
        let digits: String =
            mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256={digits}")
    }

    fn auth(secrets: &[&str]) -> WebhookAuth {
        let app_secrets = secrets.iter().map(|secret| (*secret).into()).collect();
        WebhookAuth { app_secrets, verify_token: "palabra".into() }
    }

    #[test]
    fn a_body_signed_with_either_secret_comes_in() {
        for secrets in [&["nuevo", "viejo"][..], &["viejo", "nuevo"], &["nuevo"]] {
            let signed = signature("nuevo", BODY);
            assert_eq!(auth(secrets).verify(Some(&signed), BODY), Ok(()));
            let shouted = signed.to_uppercase();
            assert_eq!(auth(secrets).verify(Some(&shouted), BODY), Ok(()));
        }
    }

    #[test]
    fn a_missing_short_wrong_or_re_serialised_one_does_not() {
        let signed = signature("nuevo", BODY);
        let bare = signed.strip_prefix("sha256=").unwrap();
        let cases = [
            (None, Denied::Missing),
            (Some(String::new()), Denied::Malformed),
            (Some("sha256=".to_owned()), Denied::Malformed),
            (Some(bare.to_owned()), Denied::Malformed),
            (Some(format!("sha1={}", &bare[..40])), Denied::Malformed),
            (Some(signed[..signed.len() - 2].to_owned()), Denied::Malformed),
            (Some(format!("{signed}00")), Denied::Malformed),
            (Some(format!("sha256={}", "z".repeat(64))), Denied::Malformed),
            (Some(format!("sha256={}", "é".repeat(32))), Denied::Malformed),
            (Some(format!("sha256={}", "0".repeat(64))), Denied::Wrong),
            (Some(signature("otro", BODY)), Denied::Wrong),
            (Some(signature("nuevo", b"")), Denied::Wrong),
            (
                Some(signature("nuevo", br#"{"object":"whatsapp_business_account","entry":[]}"#)),
                Denied::Wrong,
            ),
        ];
        for (signature, expected) in cases {
            let unread = auth(&["nuevo"]).is_signed(signature.as_deref()).err();
            assert_eq!(unread, Some(expected).filter(|denied| *denied != Denied::Wrong));
            let verified = auth(&["nuevo", "viejo"]).verify(signature.as_deref(), BODY);
            assert_eq!(verified, Err(expected), "{signature:?}");
        }
    }

    #[test]
    fn without_a_secret_nobody_comes_in() {
        assert_eq!(auth(&[]).verify(Some(&signature("", BODY)), BODY), Err(Denied::NotConfigured));
        let empty = auth(&[""]);
        assert_eq!(empty.verify(Some(&signature("", BODY)), BODY), Err(Denied::NotConfigured));
    }

    #[test]
    fn the_handshake_needs_its_word_and_an_empty_word_is_none() {
        assert!(auth(&[]).agrees("palabra"));
        for other in ["", "palabr", "palabra ", "PALABRA"] {
            assert!(!auth(&[]).agrees(other), "{other}");
        }
        let open = WebhookAuth { app_secrets: vec![], verify_token: "".into() };
        assert!(!open.agrees(""));
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", auth(&["nuevo"]));
        assert!(!shown.contains("nuevo") && !shown.contains("palabra"), "{shown}");
    }
}
