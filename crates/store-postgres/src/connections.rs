//! Connections to the database, each set up as its use wants it, and how long one of them may be silent.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use store::{StoreError, StoreResult};
use tokio_postgres::{Config, NoTls};

use crate::error::from_pool;
use crate::wire::{Mode, Wire};

/// How long a caller waits for a connection.
pub(crate) const POOL_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(crate) struct Connections {
    pool: Pool,
    silence: Option<Duration>,
}

impl Connections {
    pub(crate) fn of(
        config: Config,
        size: usize,
        settings: String,
        silence: Option<Duration>,
    ) -> StoreResult<Self> {
        let settings: Arc<str> = settings.into();
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, NoTls, recycling))
            .max_size(size.max(1))
            .wait_timeout(Some(POOL_TIMEOUT))
            .create_timeout(Some(POOL_TIMEOUT))
            .recycle_timeout(Some(POOL_TIMEOUT))
            .post_create(Hook::async_fn(move |client, _| {
                let settings = Arc::clone(&settings);
                Box::pin(async move {
                    client.batch_execute(&settings).await.map_err(HookError::Backend)
                })
            }))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Unusable(error.to_string()))?;
        Ok(Self { pool, silence })
    }

    pub(crate) fn most(&self) -> usize {
        self.pool.status().max_size
    }

    pub(crate) async fn get(&self) -> StoreResult<Object> {
        self.pool.get().await.map_err(from_pool)
    }

    pub(crate) async fn wire(&self, mode: Mode) -> StoreResult<Wire> {
        Ok(Wire::new(self.get().await?, mode, self.silence))
    }
}
