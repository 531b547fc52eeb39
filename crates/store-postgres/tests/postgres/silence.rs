//! A database that is silent, frozen or parted from the node, holds up nobody for longer than it would take
//! to give up by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::sql::Driver;
use store::{Point, StoreError, StoreResult};
use store_postgres::testing::{Urls, fresh_database};
use store_postgres::{Options, Patience, PostgresDriver};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::counters::{add, values};

/// A way to the server on which all that was connected before falls silent when it is cut.
struct Way {
    port: u16,
    cuts: Arc<AtomicU64>,
}

impl Way {
    async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let cuts = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&cuts);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&server).await.unwrap();
                let (near, far) = (near.into_split(), far.into_split());
                let began = seen.load(Ordering::Relaxed);
                tokio::spawn(carry(near.0, far.1, Arc::clone(&seen), began));
                tokio::spawn(carry(far.0, near.1, Arc::clone(&seen), began));
            }
        });
        Self { port, cuts }
    }

    fn cut(&self) {
        self.cuts.fetch_add(1, Ordering::Relaxed);
    }
}

/// Carries on what comes; once the way was cut, what comes is lost and nobody is told.
async fn carry(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    cuts: Arc<AtomicU64>,
    began: u64,
) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if cuts.load(Ordering::Relaxed) == began && to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

async fn put(driver: &PostgresDriver, point: Point, name: &'static str) -> StoreResult<()> {
    driver
        .write(point, move |tx| {
            Box::pin(async move {
                add(tx, name, 1);
                Ok(())
            })
        })
        .await
}

#[tokio::test]
async fn a_connection_that_falls_silent_is_given_up_and_another_goes_on() {
    let Urls { app, owner, .. } = fresh_database().await;
    let (before, database) = app.rsplit_once('/').unwrap();
    let server = before.rsplit_once('@').unwrap().1.to_owned();
    let way = Way::to(server.clone()).await;
    let url = format!("{}/{database}", before.replace(&server, &format!("127.0.0.1:{}", way.port)));
    let patience = Patience { statement_ms: 3_000, lock_ms: 3_000 };
    let options = Options { url, owner_url: Some(owner), pool_size: 1, patience };
    let driver = PostgresDriver::open(options).await.unwrap();
    put(&driver, Point::Setup, "a").await.unwrap();
    way.cut();
    // Alone, and in a group with others.
    for (point, name) in [(Point::Setup, "b"), (Point::StepOutcome, "c")] {
        let lost = put(&driver, point, name).await;
        assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{point:?}: {lost:?}");
    }
    put(&driver, Point::Setup, "d").await.expect("a new connection");
    assert_eq!(values(&driver).await, [1, 1], "and nothing of what was lost");
}
