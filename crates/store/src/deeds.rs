//! Deeds outside any turn: acts of people and imports, and plain reads.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Timestamp, WorkspaceId};
use serde_json::Value;
use uuid::Uuid;

use crate::{Deed, DeedError};

#[async_trait]
pub trait Deeds {
    /// Runs a deed that only reads; a deed that writes fails.
    async fn consult(
        &self,
        workspace: WorkspaceId,
        deed: Arc<dyn Deed>,
        now: Timestamp,
    ) -> Result<Value, DeedError>;

    /// Runs a deed in a transaction of its own and notes its actor, once: repeated under the same
    /// id, the deed is not run and the first answer is given. The ids that the deed creates derive
    /// from that id too. A refused deed changes nothing and is not noted.
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
