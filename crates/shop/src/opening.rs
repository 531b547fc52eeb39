//! A shop's first day: the profile its pack says, and the pack's catalogue if it has none yet.

use std::sync::Arc;

use domain::{IdSource, Timestamp, WorkspaceId};
use pack::{Agent, Pack};
use store::{DeedError, Deeds};
use thiserror::Error;
use uuid::Uuid;

use crate::catalogue::{ImportProducts, Page, page};
use crate::{SetProfile, ShowProfile, profile};

/// Why a pack's shop is not open.
#[derive(Debug, Error)]
pub enum OpeningError {
    #[error("the catalogue of `{pack}`: {reason}")]
    Catalogue { pack: String, reason: String },
    #[error(transparent)]
    Deed(#[from] DeedError),
}

/// The actor that the audit log has for it.
const ACTOR: &str = "pack";

/// Brings a workspace's shop up to what the pack says; what people changed since stays.
pub async fn open(
    deeds: &(dyn Deeds + Sync),
    workspace: WorkspaceId,
    pack: &Pack,
    ids: &dyn IdSource,
    now: Timestamp,
) -> Result<(), OpeningError> {
    let Some(Agent::Flow(flow)) = pack.agents.first().map(|agent| &agent.agent) else {
        return Ok(());
    };
    let name = &pack.manifest.name;
    if let Some(commerce) = &flow.commerce {
        let says = profile(commerce);
        let known = deeds.consult(workspace, Arc::new(ShowProfile), now).await?;
        if known != says {
            let deed = Arc::new(SetProfile(says));
            deeds.perform(workspace, ACTOR, "profile.set", name, ids.next(), deed, now).await?;
        }
    }
    let catalogue = flow.flow.shop.as_ref().and_then(|shop| shop.catalogue.as_deref());
    let catalogue = catalogue.and_then(|path| pack.data.get(path.strip_prefix("data/")?));
    if let Some(text) = catalogue
        && is_empty(deeds, workspace, now).await?
    {
        let bad = |reason| OpeningError::Catalogue { pack: name.clone(), reason };
        let batches = ImportProducts::batches(text).map_err(bad)?;
        for (at, import) in batches.into_iter().enumerate() {
            // Two nodes that start at once load it once.
            let id = Uuid::new_v5(&workspace.0, format!("first catalogue {name} {at}").as_bytes());
            let deed = Arc::new(import);
            deeds.perform(workspace, ACTOR, "catalogue.import", name, id, deed, now).await?;
        }
        tracing::info!(pack = name, "the shop had nothing: loaded the pack's catalogue");
    }
    Ok(())
}

async fn is_empty(
    deeds: &(dyn Deeds + Sync),
    workspace: WorkspaceId,
    now: Timestamp,
) -> Result<bool, DeedError> {
    let first = Arc::new(Page { after: None, limit: 1 });
    let answer = deeds.consult(workspace, first, now).await?;
    Ok(page(answer).is_ok_and(|(_, last)| last.is_none()))
}
