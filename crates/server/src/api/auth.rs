//! The caller's key in the `Authorization` header, and whether it allows the request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use domain::WorkspaceId;
use store::{ApiKey, KeyRole};

use crate::App;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::token::Token;
use crate::{refusals, repeated};

pub(super) const MISSING: &str =
    "send a key: `Authorization: Bearer rk_…`; `recado key create` makes one";
const REFUSED: &str = "this key opens nothing: it is wrong, revoked, expired or of a workspace that is not served here";

/// The holder of a key. The key's workspace is the only one it sees.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(super) workspace: WorkspaceId,
    pub(super) key: ApiKey,
}

impl Caller {
    /// As whom it acts.
    pub(super) fn name(&self) -> &str {
        &self.key.name
    }

    pub(super) fn must_be(&self, role: KeyRole) -> Result<(), Problem> {
        if self.key.role >= role {
            return Ok(());
        }
        let (has, needs) = (self.key.role.as_str(), role.as_str());
        refusals::count(format!(
            "403, the key {} is a {has}'s where {needs} is needed",
            self.key.id
        ));
        Err(Problem::Forbidden(format!("this key is a {has}'s; {needs} or more may do this")))
    }
}

/// The workspace of a key that was shown, for whoever reads the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whose(pub(super) WorkspaceId);

/// The token of the header; none if there is no such header.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?;
    let (scheme, token) = value.to_str().unwrap_or_default().split_once(' ').unwrap_or_default();
    Some(if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" })
}

/// Finds out whose key a text is.
pub(super) async fn authenticate(app: &App, text: &str, peer: Peer) -> Result<Caller, Problem> {
    let now = app.now();
    // A key of a workspace without a channel is not looked for: made-up workspaces would each have turns of
    // their own at the database.
    let token = Token::parse(text).filter(|token| app.connected().serves(token.workspace));
    let attempt = (peer, token.as_ref().map(|token| token.key));
    if let Some(seconds) = app.0.throttle.wait_s(attempt, token.as_ref(), now) {
        return Err(Problem::TooMany(seconds));
    }
    let stored = match &token {
        Some(token) => app.store().key(token.workspace, token.key).await?,
        None => None,
    };
    let opens = |(token, stored): &(Token, store::StoredKey)| {
        token.opens(stored) && stored.key.is_live(now)
    };
    let kept = stored.as_ref().map(|stored| stored.secret_sha256.clone());
    let Some((token, stored)) = token.zip(stored).filter(opens) else {
        app.0.throttle.failed(attempt, kept, now);
        refusals::count(format!("401, a wrong key from {}", peer.0));
        return Err(Problem::NoKey(REFUSED));
    };
    let caller = Caller { workspace: token.workspace, key: stored.key };
    app.0.throttle.opened(caller.key.id);
    note_use(app, &caller).await;
    Ok(caller)
}

// The request is done even if its key's use cannot be written down.
async fn note_use(app: &App, caller: &Caller) {
    let (key, now) = (&caller.key, app.now());
    if key.use_is_noted(now) {
        return;
    }
    if let Err(error) = app.store().key_used(caller.workspace, key.id, now).await {
        repeated::USE_UNNOTED.warn(&error);
    }
}

/// Whether a caller that was let in would still be.
pub(super) async fn still_stands(app: &App, caller: &Caller) -> store::StoreResult<bool> {
    let stored = app.store().key(caller.workspace, caller.key.id).await?;
    Ok(stored.is_some_and(|stored| stored.key.is_live(app.now())))
}

macro_rules! who {
    ($($(#[$doc:meta])* $who:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $who(pub(super) Caller);

        impl FromRequestParts<App> for $who {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
                let text = bearer(&parts.headers).ok_or(Problem::NoKey(MISSING))?.to_owned();
                let Ok(peer) = Peer::from_request_parts(parts, app).await;
                let caller = authenticate(app, &text, peer).await?;
                caller.must_be(KeyRole::$who)?;
                parts.extensions.insert(Whose(caller.workspace));
                Ok(Self(caller))
            }
        }
    )*};
}

who! {
    /// May read.
    Viewer;
    /// May act.
    Operator;
    /// May manage keys.
    Admin;
}
