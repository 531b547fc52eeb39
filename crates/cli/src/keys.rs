//! `recado key`: making, listing and ending keys to the operators' API.

use std::process::ExitCode;

use anyhow::{Result, bail};
use domain::{Clock, KeyId};
use serde_json::json;
use store::{ApiKey, KeyRole, StoreError};

use crate::args::{Desk, KeyCommand, KeyRoleArg};
use crate::attend::{Office, done};
use crate::exit::{Outcome, Usage};
use crate::output::{print, table};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

impl From<KeyRoleArg> for KeyRole {
    fn from(role: KeyRoleArg) -> Self {
        match role {
            KeyRoleArg::Viewer => Self::Viewer,
            KeyRoleArg::Operator => Self::Operator,
            KeyRoleArg::Admin => Self::Admin,
        }
    }
}

pub(crate) async fn keys(command: KeyCommand) -> Outcome {
    match command {
        KeyCommand::Create { name, role, days, desk } => {
            create(&desk, &name, role.into(), days).await?;
        }
        KeyCommand::List { desk } => list(&desk).await?,
        KeyCommand::Revoke { key, desk } => {
            let office = Office::open(&desk).await?;
            let (workspace, now) = (office.workspace.id, office.clock.now());
            let key = find(&office, &key).await?;
            office.store.revoke_key(workspace, key.id, &desk.by, now).await?;
            done(&desk, key.id, &format!("revoked: `{}` opens nothing any more", key.name))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(desk: &Desk, name: &str, role: KeyRole, days: Option<u32>) -> Result<()> {
    if let Some(mistake) = server::name_mistake(name) {
        bail!(Usage(format!("--name: {mistake}")));
    }
    let office = Office::open(desk).await?;
    let (workspace, now) = (&office.workspace, office.clock.now());
    // A key may be made before the first `recado serve`.
    office.store.ensure(workspace, &[], now).await?;
    let expires_at = days.map(|days| now.plus_ms(i64::from(days) * DAY_MS));
    let (token, stored) = server::mint(workspace.id, name, role, expires_at, &office.ids, now);
    office.store.add_key(workspace.id, &stored, &desk.by, now).await?;
    let made = json!({
        "id": stored.key.id, "name": name, "role": role, "secret": token.reveal(),
        "expires_at": expires_at,
    });
    print(desk.json, &made, |_| token.reveal().to_owned())?;
    eprintln!("This is the only time the secret is shown: keep it where only `{name}` finds it.");
    Ok(())
}

async fn list(desk: &Desk) -> Result<()> {
    let office = Office::open(desk).await?;
    let keys = all(&office).await?;
    let now = office.clock.now();
    print(desk.json, &keys, |keys| {
        if keys.is_empty() {
            return "No keys yet: make one with `recado key create`.".to_owned();
        }
        let row = |key: &ApiKey| {
            let standing = match (key.revoked_at, key.is_live(now)) {
                (Some(at), _) => format!("revoked {at}"),
                (None, true) => "good".to_owned(),
                (None, false) => "expired".to_owned(),
            };
            let used = key.last_used_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
            let role = key.role.as_str().to_owned();
            vec![key.id.to_string(), key.name.clone(), role, used, standing]
        };
        let rows: Vec<_> = keys.iter().map(row).collect();
        table(&["KEY", "NAME", "ROLE", "LAST USED", "STANDING"], &rows)
    })
}

/// Every key, read page by page.
async fn all(office: &Office) -> Result<Vec<ApiKey>> {
    let mut keys: Vec<ApiKey> = Vec::new();
    loop {
        let after = keys.last().map(|key| (key.created_at, key.id));
        let page = office.store.keys(office.workspace.id, after, 200).await?;
        if page.is_empty() {
            return Ok(keys);
        }
        keys.extend(page);
    }
}

/// By the name of a key in use, an id, or an unambiguous end of one.
async fn find(office: &Office, text: &str) -> Result<ApiKey> {
    let keys = all(office).await?;
    let named = |key: &&ApiKey| key.name == text && key.revoked_at.is_none();
    if let Some(key) = keys.iter().find(named) {
        return Ok(key.clone());
    }
    let is = |id: KeyId| !text.is_empty() && id.to_string().ends_with(text);
    let matching: Vec<_> = keys.iter().filter(|key| is(key.id)).collect();
    match matching.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(StoreError::NotFound("key").into()),
        many => bail!(Usage(format!("{} keys end in `{text}`", many.len()))),
    }
}
