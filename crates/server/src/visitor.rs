//! A visitor of a web chat: the token that the server signs and gives out, and all that is kept of it.

use std::collections::HashMap;
use std::fmt::Write as _;

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{Channel, ChannelId, IdSource, Timestamp, Workspace, WorkspaceId};
use futures::{StreamExt, TryStreamExt, stream};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use store::{Setup, StoreError};

const PREFIX: &str = "rv_";
/// A hash in Base64.
const PART_CHARS: usize = 43;
/// Under this a page's browser keeps it, out of the page's own reach.
const COOKIE: &str = "recado_visitor";
/// In this an embedder's own program sends it.
pub(crate) const HEADER: &str = "recado-visitor";
/// As long as browsers keep anything.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;
/// An id holds 56 bits from the operating system; together these hold more than a hash does.
const IDS_OF_A_SECRET: usize = 5;
/// Keys that are asked for at once.
const AT_ONCE: usize = 64;

/// A workspace's key to sign its visitors with. Does not print.
#[derive(Clone)]
pub struct VisitorKey(String);

impl std::fmt::Debug for VisitorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VisitorKey")
    }
}

/// Why a workspace has no key.
#[derive(Debug, thiserror::Error)]
#[error("the visitors' key of the workspace `{workspace}`")]
pub struct NoVisitorKey {
    pub workspace: String,
    pub source: StoreError,
}

/// The keys of these workspaces, each made when it is first asked for and the same on every node. Many
/// are asked for at once, so that what a first start writes shares commits.
pub async fn visitor_keys(
    setup: &(dyn Setup + Sync),
    workspaces: &[Workspace],
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<HashMap<WorkspaceId, VisitorKey>, NoVisitorKey> {
    let keys: Vec<_> = workspaces.iter().map(|one| visitor_key(setup, one, ids, now)).collect();
    stream::iter(keys).buffer_unordered(AT_ONCE).try_collect().await
}

async fn visitor_key(
    setup: &(dyn Setup + Sync),
    workspace: &Workspace,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<(WorkspaceId, VisitorKey), NoVisitorKey> {
    match setup.visitor_secret(workspace.id, &secret(ids), now).await {
        Ok(kept) => Ok((workspace.id, VisitorKey(kept))),
        Err(source) => Err(NoVisitorKey { workspace: workspace.slug.clone(), source }),
    }
}

fn secret(ids: &dyn IdSource) -> String {
    let mut hash = Sha256::new();
    for _ in 0..IDS_OF_A_SECRET {
        hash.update(ids.next().as_bytes());
    }
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// A visitor whose token is right, by the hash of it: who has only this cannot speak for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Visitor([u8; 20]);

impl Visitor {
    pub(crate) fn of(token: &str) -> Self {
        let mut hash = [0; 20];
        hash.copy_from_slice(&Sha256::digest(token)[..20]);
        Self(hash)
    }

    /// Under what they are known: their address on the channel.
    pub(crate) fn name(self) -> String {
        let mut name = "web-".to_owned();
        for byte in self.0 {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        name
    }
}

impl VisitorKey {
    /// A token for somebody new.
    pub(crate) fn issue(&self, channel: &ChannelId, ids: &dyn IdSource) -> String {
        let id = secret(ids);
        let sign = URL_SAFE_NO_PAD.encode(self.sign(channel, &id).finalize().into_bytes());
        format!("{PREFIX}{id}_{sign}")
    }

    /// Whose token this is; none if we did not give it out for this channel.
    pub(crate) fn read(&self, channel: &ChannelId, token: &str) -> Option<Visitor> {
        let (id, rest) = token.strip_prefix(PREFIX)?.split_at_checked(PART_CHARS)?;
        let sign = URL_SAFE_NO_PAD.decode(rest.strip_prefix('_')?).ok()?;
        self.sign(channel, id).verify_slice(&sign).ok()?;
        Some(Visitor::of(token))
    }

    fn sign(&self, channel: &ChannelId, id: &str) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes());
        let mut mac = mac.expect("an HMAC takes a key of any length");
        // No channel's name has a slash.
        mac.update(format!("visitor/{channel}/{id}").as_bytes());
        mac
    }

    /// The visitor who calls: by the header if there is one, else by the cookie.
    pub(crate) fn caller(&self, channel: &ChannelId, headers: &HeaderMap) -> Option<Visitor> {
        if let Some(token) = headers.get(HEADER) {
            return self.read(channel, token.to_str().ok()?);
        }
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = values
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs
            .find_map(|(name, token)| (name == COOKIE).then(|| self.read(channel, token)).flatten())
    }
}

/// The cookie that has a browser keep a token, for the pages of one channel and for no other site's.
pub(crate) fn cookie(channel: &Channel, token: &str, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    let path = format!("/chat/{}", channel.id);
    format!(
        "{COOKIE}={token}; Path={path}; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use domain::{SeededIds, VirtualClock};
    use store::{Durability, Signals, Stats, StoreResult};

    use super::*;

    /// A store that lets others ask before it answers, and notes how many wait.
    #[derive(Default)]
    struct Patient {
        waiting: AtomicUsize,
        most: AtomicUsize,
        broken: Option<WorkspaceId>,
    }

    #[async_trait::async_trait]
    impl Setup for Patient {
        async fn visitor_secret(
            &self,
            workspace: WorkspaceId,
            proposed: &str,
            _now: Timestamp,
        ) -> StoreResult<String> {
            let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(waiting, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            match self.broken == Some(workspace) {
                true => Err(StoreError::Busy),
                false => Ok(format!("{}{proposed}", workspace.0)),
            }
        }

        async fn ensure(
            &self,
            _workspace: &Workspace,
            _channels: &[Channel],
            _now: Timestamp,
        ) -> StoreResult<()> {
            unreachable!("the host makes rows")
        }

        async fn workspace(&self, _id: WorkspaceId) -> StoreResult<Option<Workspace>> {
            unreachable!("nothing else is read")
        }

        async fn ping(&self) -> StoreResult<()> {
            unreachable!("nothing else is read")
        }

        async fn durability(&self, _now: Timestamp) -> StoreResult<Durability> {
            unreachable!("nothing else is read")
        }

        async fn stats(&self, _now: Timestamp) -> StoreResult<Stats> {
            unreachable!("nothing else is read")
        }

        fn signals(&self) -> &Signals {
            unreachable!("nothing is woken")
        }
    }

    #[tokio::test]
    async fn keys_of_many_workspaces_are_asked_for_at_once_and_each_has_its_own() {
        let workspaces: Vec<_> =
            (0..3 * AT_ONCE).map(|number| Workspace::named(&format!("w{number}"))).collect();
        let now = Timestamp::from_millis(1_780_000_000_000);
        let store = Patient::default();
        let keys = visitor_keys(&store, &workspaces, &ids(), now).await.unwrap();
        assert_eq!((keys.len(), store.most.into_inner()), (3 * AT_ONCE, AT_ONCE));
        for workspace in &workspaces {
            assert!(keys[&workspace.id].0.starts_with(&workspace.id.0.to_string()));
        }
        let store = Patient { broken: Some(workspaces[70].id), ..Patient::default() };
        let error = visitor_keys(&store, &workspaces, &ids(), now).await.unwrap_err();
        assert_eq!(error.workspace, "w70");
    }

    fn ids() -> SeededIds<VirtualClock> {
        SeededIds::new(VirtualClock::at(Timestamp::from_millis(1_780_000_000_000)), 7)
    }

    #[test]
    fn a_token_is_its_visitors_and_any_other_text_is_nobodys() {
        let (ids, web) = (ids(), ChannelId("web".to_owned()));
        let key = VisitorKey(secret(&ids));
        let (token, other) = (key.issue(&web, &ids), key.issue(&web, &ids));
        let visitor = key.read(&web, &token).unwrap();
        assert_eq!(key.read(&web, &token), Some(visitor));
        assert_ne!(key.read(&web, &other), Some(visitor));
        for place in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'Q' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(key.read(&web, &changed), None, "{place}");
        }
        assert_eq!(key.read(&ChannelId("otra".to_owned()), &token), None, "another channel's");
        assert_eq!(VisitorKey(secret(&ids)).read(&web, &token), None, "another workspace's");
        for wrong in ["", "visitante-1", "rv_", &token[..60], &visitor.name()] {
            assert_eq!(key.read(&web, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_kept_of_a_token_does_not_open_it() {
        let (ids, web) = (ids(), ChannelId("web".to_owned()));
        let key = VisitorKey(secret(&ids));
        let token = key.issue(&web, &ids);
        let name = key.read(&web, &token).unwrap().name();
        assert_eq!(name.len(), 44);
        assert!(!token.contains(&name[4..]) && key.read(&web, &name).is_none());
        assert_eq!(format!("{key:?}"), "VisitorKey");
    }

    #[test]
    fn the_header_comes_before_the_cookie_and_of_many_cookies_the_right_one_counts() {
        let (ids, web) = (ids(), ChannelId("web".to_owned()));
        let key = VisitorKey(secret(&ids));
        let (ana, beto) = (key.issue(&web, &ids), key.issue(&web, &ids));
        let caller = |pairs: &[(&'static str, String)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, value.parse().unwrap());
            }
            key.caller(&web, &headers)
        };
        let (is_ana, is_beto) = (key.read(&web, &ana), key.read(&web, &beto));
        let cookies = ("cookie", format!("a=b; {COOKIE}=rv_old; {COOKIE}={ana}"));
        assert_eq!(caller(std::slice::from_ref(&cookies)), is_ana);
        assert_eq!(caller(&[cookies.clone(), (HEADER, beto)]), is_beto);
        assert_eq!(caller(&[cookies, (HEADER, "rv_old".to_owned())]), None);
        assert_eq!(caller(&[("cookie", format!("other={ana}"))]), None);
        assert_eq!(caller(&[]), None);
    }
}
