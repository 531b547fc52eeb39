//! Live events whose transactions commit in another order than they wrote in.

use domain::Workspace;
use store::{Live, LiveId, Setup};
use store_postgres::testing::{Session, Urls, connect, fresh_database};
use store_postgres::{PostgresStore, open};

struct Shop {
    urls: Urls,
    store: PostgresStore,
    workspace: Workspace,
}

impl Shop {
    async fn open() -> Self {
        let urls = fresh_database().await;
        let store = open(urls.options()).await.unwrap();
        let workspace = Workspace::named("tienda");
        store.ensure(&workspace, &[], domain::Timestamp::from_millis(1)).await.unwrap();
        Self { urls, store, workspace }
    }

    /// A transaction under way, with a number of its own.
    async fn begin(&self) -> Session {
        let session = connect(&self.urls.superuser).await;
        session.batch_execute("BEGIN; SELECT pg_current_xact_id()").await.unwrap();
        session
    }

    async fn tell(&self, session: &Session, subject: &str) {
        let insert = "INSERT INTO live_events (workspace_id, kind, subject, at, payload) \
                      VALUES ($1, 'turn', $2, 1, '{}')";
        session.execute(insert, &[&self.workspace.id.0, &subject]).await.unwrap();
    }

    /// The events for a reader at `after`, and whether more are to come soon.
    async fn told(&self, after: LiveId) -> (Vec<String>, bool, LiveId) {
        let news = self.store.live_after(self.workspace.id, after, 100).await.unwrap();
        let last = news.events.last().map_or(after, |event| event.id);
        (news.events.into_iter().map(|event| event.subject).collect(), news.soon, last)
    }

    /// The events for a reader at `after`, once no transaction holds events back, those of other
    /// tests included.
    async fn settled(&self, after: LiveId) -> (Vec<String>, LiveId) {
        loop {
            let (told, soon, last) = self.told(after).await;
            if !soon {
                return (told, last);
            }
            tokio::task::yield_now().await;
        }
    }
}

const START: LiveId = LiveId { xid: 0, seq: 0 };

#[tokio::test]
async fn an_event_waits_for_one_before_it_that_is_not_committed() {
    let shop = Shop::open().await;
    let (slow, quick) = (shop.begin().await, shop.begin().await);
    shop.tell(&slow, "first").await;
    shop.tell(&quick, "second").await;
    quick.batch_execute("COMMIT").await.unwrap();
    let (told, soon, _) = shop.told(START).await;
    assert_eq!((told.as_slice(), soon), (&[][..], true), "its turn has not come");
    slow.batch_execute("COMMIT").await.unwrap();
    let (told, last) = shop.settled(START).await;
    assert_eq!(told, ["first", "second"]);
    assert_eq!(shop.settled(last).await.0, Vec::<String>::new());
}

#[tokio::test]
async fn a_lower_number_that_appears_later_is_not_missed() {
    let shop = Shop::open().await;
    let (slow, quick) = (shop.begin().await, shop.begin().await);
    // The later transaction writes first, so that numbers alone would order the two the other way
    // round.
    shop.tell(&quick, "quick").await;
    shop.tell(&slow, "slow").await;
    slow.batch_execute("COMMIT").await.unwrap();
    let mut read = Vec::new();
    let mut after = START;
    let (told, _, last) = shop.told(after).await;
    read.extend(told);
    after = last;
    quick.batch_execute("COMMIT").await.unwrap();
    read.extend(shop.settled(after).await.0);
    assert_eq!(read, ["slow", "quick"]);
}

#[tokio::test]
async fn one_that_is_rolled_back_holds_nobody_up() {
    let shop = Shop::open().await;
    let (undone, done) = (shop.begin().await, shop.begin().await);
    shop.tell(&undone, "undone").await;
    shop.tell(&done, "done").await;
    done.batch_execute("COMMIT").await.unwrap();
    undone.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(shop.settled(START).await.0, ["done"]);
}

#[tokio::test]
async fn a_reader_that_begins_at_the_end_hears_of_what_is_under_way() {
    let shop = Shop::open().await;
    let under_way = shop.begin().await;
    shop.tell(&under_way, "under way").await;
    let end = shop.store.live_end(shop.workspace.id).await.unwrap();
    under_way.batch_execute("COMMIT").await.unwrap();
    assert_eq!(shop.settled(end).await.0, ["under way"]);
}
