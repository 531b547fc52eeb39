//! Scenarios around files that customers send, and around what they take back.

use super::{Crash, restarted};
use crate::support::{Customer, FILE, Kind, META, Setting, Site, accounted, check, until};

/// A file comes with a message. However often its fetching is cut short, it is there in the end,
/// once and whole, and the conversation never waited for it.
pub(crate) async fn fetching_a_file(kind: Kind, crash: Crash) {
    let site = Site::with(kind, Setting::HASTY).await;
    let dying = site.start_to_die(&crash.to_string()).await;
    let mut ana = Customer::new(&site, "5491101");
    // A node looks for files from time to time, so it may die before the file has come.
    let writes = async {
        ana.says("uno").await;
        ana.shows(&site.sink.file()).await;
    };
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), writes);
    ana.says("dos").await;
    // The node may have died while it sent an answer, which nobody knows the end of then.
    accounted(&site, &[&ana]).await;
    // A lost attempt is begun again when its lease is over, which is minutes: let it be over.
    let fetched = async || {
        site.sql("UPDATE media SET next_at = 1 WHERE next_at IS NOT NULL").await;
        match site.sql_number("SELECT count(*) FROM media WHERE status = 'fetched'").await {
            1 => Ok(()),
            _ => Err("not yet".to_owned()),
        }
    };
    until("the file", fetched).await;
    let kept = site.kept_files();
    assert_eq!(kept, [FILE.to_vec()], "{crash}: once, whole, and no part of another");
    assert_eq!(site.sql_number("SELECT count(*) FROM media").await, 1, "{crash}");
    drop(node);
}

/// A customer deletes what was just said.
pub(crate) async fn forgetting(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let dying = site.start_to_die(&crash.to_string()).await;
    site.deliver_meta(&META.text("5491101", "m1", "mi clave es 1234")).await;
    let noted = "SELECT count(*) FROM agent_turns WHERE content = 'mi clave es 1234'";
    let look = async || match site.sql_number(noted).await {
        1 => Ok(()),
        _ => Err("not yet".to_owned()),
    };
    until("the message to be noted", look).await;
    let deleted = META.deleted("m1");
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), site.deliver_meta(&deleted));
    assert_eq!(site.sql_number(noted).await, 0, "{crash}");
    let kept = "SELECT count(*) FROM webhook_inbox WHERE CAST(payload AS text) LIKE '%1234%'";
    assert_eq!(site.sql_number(kept).await, 0, "{crash}");
    let mut ana = Customer::new(&site, "5491102");
    ana.says("uno").await;
    accounted(&site, &[&ana]).await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
