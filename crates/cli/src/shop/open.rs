//! A shop's first day: the profile its pack says, and the pack's catalogue if it has none yet.

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::{IdSource, Timestamp, WorkspaceId};
use eval::{imports, profile};
use pack::{Agent, Pack};
use store::{DeedError, Store};
use tools::shop::catalogue::{Page, page};
use tools::shop::{ShowProfile, SetProfile};
use uuid::Uuid;

/// Who is noted to have done it.
const ACTOR: &str = "pack";

/// Brings a workspace's shop up to what the pack says; what people changed since stays.
pub(crate) async fn open_shop(
    store: &dyn Store,
    workspace: WorkspaceId,
    pack: &Pack,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<()> {
    let Some(Agent::Flow(flow)) = pack.agents.first().map(|agent| &agent.agent) else {
        return Ok(());
    };
    let name = &pack.manifest.name;
    if let Some(commerce) = &flow.commerce {
        let says = profile(commerce);
        let known = store.consult(workspace, Arc::new(ShowProfile), now).await?;
        if known != says {
            let deed = Arc::new(SetProfile(says));
            store.perform(workspace, ACTOR, "profile.set", name, ids.next(), deed, now).await?;
        }
    }
    let catalogue = flow.flow.shop.as_ref().and_then(|shop| shop.catalogue.as_deref());
    let catalogue = catalogue.and_then(|path| pack.data.get(path.strip_prefix("data/")?));
    if let Some(text) = catalogue
        && is_empty(store, workspace, now).await?
    {
        let batches = imports(text).map_err(anyhow::Error::msg);
        let batches = batches.with_context(|| format!("the catalogue of `{name}`"))?;
        for (at, import) in batches.into_iter().enumerate() {
            // Two nodes that start at once load it once.
            let id = Uuid::new_v5(&workspace.0, format!("first catalogue {name} {at}").as_bytes());
            let deed = Arc::new(import);
            store.perform(workspace, ACTOR, "catalogue.import", name, id, deed, now).await?;
        }
        tracing::info!(pack = name, "the shop had nothing: loaded the pack's catalogue");
    }
    Ok(())
}

async fn is_empty(
    store: &dyn Store,
    workspace: WorkspaceId,
    now: Timestamp,
) -> Result<bool, DeedError> {
    let first = Arc::new(Page { after: None, limit: 1 });
    let answer = store.consult(workspace, first, now).await?;
    Ok(page(answer).is_ok_and(|(_, last)| last.is_none()))
}
