//! The caller of the webhook: Basic credentials or an HMAC over the raw body, compared in constant
//! time.

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::GeneralPurposeConfig;
use base64::{alphabet, engine::DecodePaddingMode};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::mac::{self, Denied};

/// The headers that may hold a signature, in the order of search; the first header present is
/// verified.
///
/// Infobip's subscriptions API offers BASIC, HMAC and OAUTH as a notification profile's security
/// (infobip.com/docs/api/platform/subscriptions-api/create-security-settings) and does not name
/// the header there. A public integration, for its voice webhooks, reads the Base64 of
/// HMAC-SHA256 over the raw body from `X-Ib-Hmac-Signature` and notes that the name follows the
/// account's settings. The other two are the customary names, for such accounts and for gateways
/// that sign on Infobip's behalf. `X-Ib-Exchange-Req-Signature` is not read: it signs a timestamp
/// with the body.
pub const SIGNATURE_HEADERS: &[&str] =
    &["x-ib-hmac-signature", "x-hub-signature-256", "x-signature"];

/// Base64 as senders write it, with or without the trailing padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The proof by which the webhook knows its caller. `Debug` shows no secret.
#[derive(Clone, Debug)]
pub enum WebhookAuth {
    Basic {
        user: String,
        password: SecretString,
    },
    Hmac {
        secret: SecretString,
    },
    /// Anyone may call. Only for a configuration that says so in words, such as a webhook behind
    /// mutual TLS; a missing secret never falls back to it.
    None,
}

impl WebhookAuth {
    /// Judges a call before any of its body is read. False if only the body can show whether its
    /// signature is right.
    pub fn knows(
        &self,
        authorization: Option<&str>,
        signature: Option<&str>,
    ) -> Result<bool, Denied> {
        match self {
            Self::Basic { .. } | Self::None => self.verify(authorization, None, b"").map(|()| true),
            Self::Hmac { .. } => {
                decode(signature.ok_or(Denied::Missing)?.trim())?;
                Ok(false)
            }
        }
    }

    /// Judges a call by its headers and its body as received, before anything is parsed.
    pub fn verify(
        &self,
        authorization: Option<&str>,
        signature: Option<&str>,
        body: &[u8],
    ) -> Result<(), Denied> {
        match self {
            Self::Basic { user, password } => basic(user, password.expose_secret(), authorization),
            Self::Hmac { secret } => {
                let presented = decode(signature.ok_or(Denied::Missing)?.trim())?;
                mac::signed(secret.expose_secret(), &presented, body)
            }
            Self::None => Ok(()),
        }
    }
}

fn basic(user: &str, password: &str, authorization: Option<&str>) -> Result<(), Denied> {
    if password.is_empty() {
        return Err(Denied::NotConfigured);
    }
    let (scheme, encoded) =
        authorization.ok_or(Denied::Missing)?.trim().split_once(' ').ok_or(Denied::Malformed)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(Denied::Malformed);
    }
    let presented = BASE64.decode(encoded.trim()).map_err(|_| Denied::Malformed)?;
    // Digests are compared, so that not even the length of the secret shows in the time taken.
    let presented = Sha256::digest(presented);
    let expected = Sha256::digest(format!("{user}:{password}"));
    if bool::from(presented.ct_eq(&expected)) { Ok(()) } else { Err(Denied::Wrong) }
}

/// Hex and Base64 of a SHA-256 never have the same length, so neither is taken for the other.
fn decode(signature: &str) -> Result<Vec<u8>, Denied> {
    let digits = mac::without_scheme(signature).unwrap_or(signature);
    if digits.len() == 64 { mac::unhex(digits) } else { BASE64.decode(digits).ok() }
        .ok_or(Denied::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;
    use hmac::{Hmac, KeyInit, Mac};

    const BODY: &[u8] = br#"{"results": []}"#;

    fn hmac_of(secret: &str, body: &[u8]) -> Vec<u8> {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(body);
        mac.finalize().into_bytes().to_vec()
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn hmac_auth(secret: &str) -> WebhookAuth {
        WebhookAuth::Hmac { secret: secret.into() }
    }

    #[test]
    fn the_mac_is_the_one_rfc_4231_gives() {
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let body = b"what do ya want for nothing?";
        assert_eq!(hmac_auth("Jefe").verify(None, Some(expected), body), Ok(()));
    }

    #[test]
    fn a_signature_is_taken_in_hex_or_base64_with_or_without_prefix() {
        let mac = hmac_of("s3cret", BODY);
        let base64 = STANDARD.encode(&mac);
        let forms = [
            hex(&mac),
            hex(&mac).to_uppercase(),
            format!("sha256={}", hex(&mac)),
            format!("SHA256={base64}"),
            base64.trim_end_matches('=').to_owned(),
            format!(" {base64} "),
        ];
        for form in forms {
            assert_eq!(hmac_auth("s3cret").verify(None, Some(&form), BODY), Ok(()), "{form}");
        }
    }

    #[test]
    fn a_missing_wrong_truncated_or_foreign_signature_is_denied() {
        let mac = hmac_of("s3cret", BODY);
        let of = |body: &[u8]| Some(hex(&hmac_of("s3cret", body)));
        let cases = [
            (None, Denied::Missing),
            (Some(String::new()), Denied::Wrong),
            (Some("sha256=".to_owned()), Denied::Wrong),
            (Some(STANDARD.encode(&mac[..16])), Denied::Wrong),
            (Some(hex(&mac)[..60].to_owned()), Denied::Wrong),
            (Some("z".repeat(64)), Denied::Malformed),
            (Some("é".repeat(32)), Denied::Malformed),
            (Some("sha256é".to_owned()), Denied::Malformed),
            (Some(hex(&hmac_of("other", BODY))), Denied::Wrong),
            (of(br#"{"results":[]}"#), Denied::Wrong),
            (of(b""), Denied::Wrong),
        ];
        for (signature, expected) in cases {
            let verified = hmac_auth("s3cret").verify(None, signature.as_deref(), BODY);
            assert_eq!(verified, Err(expected), "{signature:?}");
        }
    }

    #[test]
    fn basic_credentials_are_compared_whole() {
        let auth = WebhookAuth::Basic { user: "infobip".into(), password: "pa:ss".into() };
        let header = |scheme: &str, pair: &str| Some(format!("{scheme} {}", STANDARD.encode(pair)));
        let cases = [
            (header("Basic", "infobip:pa:ss"), Ok(())),
            (header("basic", "infobip:pa:ss"), Ok(())),
            (header("Basic", "infobip:pa:s"), Err(Denied::Wrong)),
            (header("Basic", "infobip:"), Err(Denied::Wrong)),
            (header("Basic", "other:pa:ss"), Err(Denied::Wrong)),
            (header("Bearer", "infobip:pa:ss"), Err(Denied::Malformed)),
            (Some("Basic".to_owned()), Err(Denied::Malformed)),
            (Some("Basic ¿?".to_owned()), Err(Denied::Malformed)),
            (None, Err(Denied::Missing)),
        ];
        for (authorization, expected) in cases {
            let verified = auth.verify(authorization.as_deref(), None, BODY);
            assert_eq!(verified, expected, "{authorization:?}");
        }
    }

    #[test]
    fn credentials_are_judged_before_the_body_and_a_signature_is_looked_at() {
        let auth = WebhookAuth::Basic { user: "u".into(), password: "p".into() };
        let header = format!("Basic {}", STANDARD.encode("u:p"));
        assert_eq!(auth.knows(Some(&header), None), Ok(true));
        assert_eq!(auth.knows(Some("Basic eHg="), None), Err(Denied::Wrong));
        assert_eq!(auth.knows(None, None), Err(Denied::Missing));
        assert_eq!(WebhookAuth::None.knows(None, None), Ok(true));
        let (signed, unread) = (hmac_auth("s3cret"), hex(&hmac_of("other", BODY)));
        assert_eq!(signed.knows(Some(&header), Some(&unread)), Ok(false), "the body will tell");
        assert_eq!(signed.knows(Some(&header), None), Err(Denied::Missing));
        assert_eq!(signed.knows(None, Some(&"z".repeat(64))), Err(Denied::Malformed));
    }

    #[test]
    fn an_empty_configured_secret_lets_nobody_in() {
        let signature = hex(&hmac_of("", BODY));
        let verified = hmac_auth("").verify(None, Some(&signature), BODY);
        assert_eq!(verified, Err(Denied::NotConfigured));

        let auth = WebhookAuth::Basic { user: "infobip".into(), password: "".into() };
        let header = format!("Basic {}", STANDARD.encode("infobip:"));
        assert_eq!(auth.verify(Some(&header), None, BODY), Err(Denied::NotConfigured));
    }

    #[test]
    fn one_kind_of_credentials_does_not_stand_in_for_the_other() {
        let signature = hex(&hmac_of("s3cret", BODY));
        let basic = WebhookAuth::Basic { user: "u".into(), password: "s3cret".into() };
        assert_eq!(basic.verify(None, Some(&signature), BODY), Err(Denied::Missing));
        let header = format!("Basic {}", STANDARD.encode("u:s3cret"));
        assert_eq!(hmac_auth("s3cret").verify(Some(&header), None, BODY), Err(Denied::Missing));
    }

    #[test]
    fn debug_shows_no_secret() {
        let auth = WebhookAuth::Basic { user: "u".into(), password: "s3cret".into() };
        assert!(!format!("{auth:?} {:?}", hmac_auth("s3cret")).contains("s3cret"));
    }
}
