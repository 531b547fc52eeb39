//! Whose a read is and how long it may take: what drivers share their connections by.

use domain::WorkspaceId;

use crate::fair::Whose;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub whose: Whose,
    /// A list or a search: it waits for others of its kind, and what reads little never for it.
    pub long: bool,
}

impl Look {
    /// Reads little, by keys.
    pub fn short(workspace: WorkspaceId) -> Self {
        Self { whose: Some(workspace), long: false }
    }

    /// Reads a page of a list, or of what was said.
    pub fn long(workspace: WorkspaceId) -> Self {
        Self { whose: Some(workspace), long: true }
    }

    /// Reads little, for the engine itself.
    pub fn engine() -> Self {
        Self { whose: None, long: false }
    }
}
