//! A crowd: whoever comes stands there with the others until the test lets all of them go.

use std::sync::Arc;

use tokio::sync::watch;

use super::gate::PATIENCE;

#[derive(Clone)]
pub(crate) struct Crowd(Arc<Inner>);

struct Inner {
    standing: watch::Sender<usize>,
    may_go: watch::Sender<bool>,
}

/// Somebody who stands there; gone with the node they belong to.
struct Standing<'a>(&'a Crowd);

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        self.0.0.standing.send_modify(|count| *count -= 1);
    }
}

impl Crowd {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner { standing: watch::Sender::new(0), may_go: watch::Sender::new(false) }))
    }

    /// Called where the crowd stands.
    pub(crate) async fn stand(&self) {
        self.0.standing.send_modify(|count| *count += 1);
        let _standing = Standing(self);
        let may_go = &mut self.0.may_go.subscribe();
        may_go.wait_for(|may_go| *may_go).await.expect("its other end is here");
    }

    /// Waits until so many stand there at once.
    pub(crate) async fn stands(&self, many: usize) {
        let mut standing = self.0.standing.subscribe();
        let all = standing.wait_for(|count| *count == many);
        let all = tokio::time::timeout(PATIENCE, all).await.map(drop);
        all.unwrap_or_else(|_| panic!("{} of {many} stand there", *self.0.standing.borrow()));
    }

    /// Lets all go, and whoever comes later.
    pub(crate) fn go(&self) {
        self.0.may_go.send_replace(true);
    }
}
