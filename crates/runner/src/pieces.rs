//! A delivery cut into pieces: each is one commit, so that somebody else's message waits for a piece and
//! never for a whole delivery, however much one brings.

use std::io;

use domain::WorkspaceId;
use serde::Serialize;
use store::fair::{Gate, Pass};

/// So many items of a delivery are stored at once.
const ITEMS: usize = 32;
/// And of those no more than these bytes, but for an item that is longer by itself.
const BYTES: usize = 256 * 1024;
/// So many pieces of long deliveries are stored at once; workspaces take turns.
const AT_ONCE: usize = 2;

/// Passed by each piece of a delivery that has more than one item.
pub(crate) struct Pieces(Gate);

impl Default for Pieces {
    fn default() -> Self {
        Self(Gate::of(AT_ONCE))
    }
}

impl Pieces {
    /// Waits for a piece's turn. An item that came alone waits for nobody.
    pub(crate) async fn turn(&self, workspace: WorkspaceId, is_long: bool) -> Option<Pass> {
        match is_long {
            true => Some(self.0.enter(Some(workspace)).await),
            false => None,
        }
    }
}

/// The items in their order, in pieces.
pub(crate) fn cut<T>(items: Vec<T>, bytes: impl Fn(&T) -> usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter().peekable();
    std::iter::from_fn(move || {
        let mut piece = vec![items.next()?];
        if items.peek().is_some() {
            let mut left = BYTES.saturating_sub(bytes(&piece[0]));
            while piece.len() < ITEMS
                && let Some(item) = items.next_if(|item| bytes(item) <= left)
            {
                left -= bytes(&item);
                piece.push(item);
            }
        }
        Some(piece)
    })
}

/// How long a value is as it is stored.
pub(crate) fn length(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A value that cannot be written down is refused when it is stored.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(items: &[usize]) -> Vec<Vec<usize>> {
        cut(items.to_vec(), |bytes| *bytes).collect()
    }

    #[test]
    fn a_piece_has_so_many_items_and_so_many_bytes_and_at_least_one() {
        assert_eq!(sizes(&[]), Vec::<Vec<usize>>::new());
        assert_eq!(sizes(&[2 * BYTES]), [[2 * BYTES]]);
        let half = BYTES / 2;
        assert_eq!(
            sizes(&[half, half, 1, 2 * BYTES, 1]),
            [vec![half, half], vec![1], vec![2 * BYTES], vec![1]]
        );
        let counts: Vec<_> = sizes(&[1; 70]).iter().map(Vec::len).collect();
        assert_eq!(counts, [32, 32, 6]);
        assert_eq!(length(&serde_json::json!({"a": "ñ"})), 10);
    }
}
