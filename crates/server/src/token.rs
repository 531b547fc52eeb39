//! The text of a key: which one it is, and the secret that proves it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{IdSource, KeyId, Timestamp, WorkspaceId};
use sha2::{Digest, Sha256};
use store::{ApiKey, KeyRole, StoredKey};
use subtle::ConstantTimeEq;
use uuid::Uuid;

const PREFIX: &str = "rk_";
/// Workspace and key, in hexadecimal.
const NAME_CHARS: usize = 64;
const SECRET_CHARS: usize = 43;
/// An id holds 56 bits from the operating system; together these hold more than a hash does.
const IDS_OF_A_SECRET: usize = 5;

/// `rk_<id>_<secret>`. The id names the workspace too, so that it is known whose keys to look in.
pub struct Token {
    pub workspace: WorkspaceId,
    pub key: KeyId,
    /// All of it; never printed but to who made it.
    text: String,
}

impl Token {
    fn new(workspace: WorkspaceId, key: KeyId, secret: &str) -> Self {
        let text = format!("{PREFIX}{}{}_{secret}", workspace.0.simple(), key.0.simple());
        Self { workspace, key, text }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.strip_prefix(PREFIX)?.split_at_checked(NAME_CHARS)?;
        let secret = rest.strip_prefix('_').filter(|secret| secret.len() == SECRET_CHARS)?;
        let (workspace, key) = name.split_at_checked(NAME_CHARS / 2)?;
        let id = |text: &str| Uuid::try_parse(text).ok();
        let token = Self::new(WorkspaceId(id(workspace)?), KeyId(id(key)?), secret);
        // Each key has one way to be written, so that no key has two names.
        (token.text == text).then_some(token)
    }

    pub fn sha256(&self) -> String {
        let hash = Sha256::digest(self.text.as_bytes());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether it is the key that was kept, in a time that says nothing about how nearly.
    pub fn opens(&self, stored: &StoredKey) -> bool {
        self.has(&stored.secret_sha256)
    }

    /// Whether this is its SHA-256, in hexadecimal.
    pub(crate) fn has(&self, sha256: &str) -> bool {
        self.sha256().as_bytes().ct_eq(sha256.as_bytes()).into()
    }

    /// The text of the token, which its owner is shown once.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

/// A new key with its secret, to be kept and shown.
pub fn mint(
    workspace: WorkspaceId,
    name: &str,
    role: KeyRole,
    expires_at: Option<Timestamp>,
    ids: &dyn IdSource,
    now: Timestamp,
) -> (Token, StoredKey) {
    let id = KeyId(ids.next());
    let mut hash = Sha256::new();
    for _ in 0..IDS_OF_A_SECRET {
        hash.update(ids.next().as_bytes());
    }
    let token = Token::new(workspace, id, &URL_SAFE_NO_PAD.encode(hash.finalize()));
    let key = ApiKey {
        id,
        name: name.to_owned(),
        role,
        created_at: now,
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    let stored = StoredKey { key, secret_sha256: token.sha256() };
    (token, stored)
}

/// Why a name is no key's, if it is not: it stands in the audit log and in lists.
pub fn name_mistake(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() || name.trim() != name {
        return Some("a key needs a name, without spaces around it");
    }
    if name.chars().count() > 60 || name.chars().any(char::is_control) {
        return Some("a key's name has at most 60 characters, all of which can be seen");
    }
    None
}

#[cfg(test)]
mod tests {
    use domain::{SeededIds, VirtualClock};

    use super::*;

    fn minted(seed: u64) -> (Token, StoredKey) {
        let now = Timestamp::from_millis(1_780_000_000_000);
        let ids = SeededIds::new(VirtualClock::at(now), seed);
        mint(WorkspaceId::from_slug("tienda"), "ana", KeyRole::Viewer, None, &ids, now)
    }

    #[test]
    fn a_key_opens_what_was_kept_of_it_and_nothing_else() {
        let (token, stored) = minted(7);
        let read = Token::parse(token.reveal()).unwrap();
        assert_eq!((read.workspace, read.key), (token.workspace, stored.key.id));
        assert!(read.opens(&stored));
        assert!(!stored.secret_sha256.contains(&token.reveal()[70..]), "the secret is not kept");
        let (other, kept) = minted(8);
        assert!(!other.opens(&stored) && !token.opens(&kept));
    }

    #[test]
    fn a_text_with_any_letter_changed_opens_nothing() {
        let (token, stored) = minted(7);
        let text = token.reveal();
        assert_eq!(text.len(), PREFIX.len() + NAME_CHARS + 1 + SECRET_CHARS);
        for place in 0..text.len() {
            let mut changed = text.as_bytes().to_vec();
            changed[place] = if changed[place] == b'a' { b'b' } else { b'a' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(!Token::parse(&changed).is_some_and(|token| token.opens(&stored)), "{place}");
        }
        let upper = text.to_uppercase();
        for wrong in ["", "rk_", "rk_é", &text[..80], &format!("{text}x"), &upper] {
            assert!(Token::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_name_can_be_read_in_the_audit_log() {
        assert_eq!(name_mistake("ana maría"), None);
        let long = "a".repeat(61);
        for wrong in ["", " ", " ana", "a\nb", &long] {
            assert!(name_mistake(wrong).is_some(), "{wrong:?}");
        }
    }
}
