//! Scenarios around files that customers send, and around what they take back.

use super::people::begun;
use super::{Crash, restarted};
use crate::support::{Customer, FILE, Kind, META, Site, check, until};

/// A file comes with a message. However often its fetching is cut short, it is there in the end,
/// once and whole, and the conversation never waited for it.
pub(crate) async fn fetching_a_file(kind: Kind, crash: Crash) {
    const ATTEMPTS: &str = "SELECT CAST(sum(attempts) AS bigint) FROM media";
    let site = Site::new(kind).await;
    let (node, mut ana, _) = begun(&site).await;
    // The provider does not give it out at once, and the conversation goes on without it.
    site.sink.gives_file(false);
    ana.shows(&site.sink.file()).await;
    ana.says("dos").await;
    site.settled().await;
    node.stop().await;
    let before = site.sql_number(ATTEMPTS).await;
    assert!(before > 0, "{crash}: it was asked for");

    site.sink.gives_file(true);
    let dying = site.start_to_die(&crash.to_string()).await;
    let node = restarted(&site, dying, crash).await;
    let fetched =
        async || match site.sql_number("SELECT count(*) FROM media WHERE status = 'fetched'").await
        {
            1 => Ok(()),
            _ => Err("not yet".to_owned()),
        };
    until("the file", fetched).await;
    let kept = site.kept_files();
    assert_eq!(kept, [FILE.to_vec()], "{crash}: once, whole, and no part of another");
    assert_eq!(site.sql_number("SELECT count(*) FROM media").await, 1, "{crash}");
    let lost = match (crash.at, crash.did_it()) {
        // Nothing was begun, or all was done.
        ("media.claim", false) | ("media.record", true) => 0,
        _ => 1,
    };
    assert_eq!(site.sql_number(ATTEMPTS).await, before + 1 + lost, "{crash}");
    ana.says("tres").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}

/// A customer deletes what was just said.
pub(crate) async fn forgetting(kind: Kind, crash: Crash) {
    const NOTED: &str = "SELECT count(*) FROM agent_turns WHERE content = 'mi clave es 1234'";
    const KEPT: &str =
        "SELECT count(*) FROM webhook_inbox WHERE CAST(payload AS text) LIKE '%1234%'";
    let site = Site::new(kind).await;
    let node = site.start().await;
    site.deliver_meta(&META.text("5491101", "m1", "mi clave es 1234")).await;
    let dying = node.armed(&crash.to_string()).await;
    assert_eq!((site.sql_number(NOTED).await, site.sql_number(KEPT).await), (1, 1), "{crash}");
    let deleted = META.deleted("m1");
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), site.deliver_meta(&deleted));
    assert_eq!((site.sql_number(NOTED).await, site.sql_number(KEPT).await), (0, 0), "{crash}");
    let mut ana = Customer::new(&site, "5491102");
    ana.says("uno").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
