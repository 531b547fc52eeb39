//! The workspace and the length of a read, by which drivers share their connections fairly.

use domain::WorkspaceId;

use crate::fair::Whose;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub whose: Whose,
    /// A list or a search, which waits for other long reads only; a short read never waits for it.
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
