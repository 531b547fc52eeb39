//! A node that runs by itself, many lanes at once, and can be killed with all that it is at.

use std::sync::Arc;
use std::time::Duration;

use runner::Engine;
use tokio::runtime::{Builder, Runtime};

use super::World;

pub(crate) struct Process {
    pub(crate) node: Arc<Engine>,
    runtime: Option<Runtime>,
}

impl World {
    /// A node on threads of its own; on PostgreSQL with connections of its own.
    pub(crate) async fn process(&self) -> Process {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread");
        let opened = runtime.spawn(self.opening()).await.expect("a database");
        let node = self.node_over(&opened);
        runtime.spawn(Arc::clone(&node).run(Duration::ZERO));
        Process { node, runtime: Some(runtime) }
    }
}

impl Process {
    pub(crate) fn kill(self) {
        drop(self);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
