//! Deeds outside any turn: what people and imports do, and what is only looked up.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Timestamp, WorkspaceId};
use serde_json::Value;
use uuid::Uuid;

use crate::{Deed, DeedError};

#[async_trait]
pub trait Deeds {
    /// Runs a deed that only reads; one that writes fails.
    async fn consult(
        &self,
        workspace: WorkspaceId,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> Result<Value, DeedError>;

    /// Runs a deed in a transaction of its own and notes who did it, once: asked for again under
    /// the same id, it is not run, and the first answer is given. The ids of what it makes come of
    /// that id too. One that is refused changes nothing and is not noted.
    #[expect(clippy::too_many_arguments, reason = "who, what, to what, which, how and when")]
    async fn perform(
        &self,
        workspace: WorkspaceId,
        actor: &str,
        action: &str,
        subject: &str,
        id: Uuid,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> Result<Value, DeedError>;
}
