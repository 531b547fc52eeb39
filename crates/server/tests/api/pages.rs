//! Pages of a web chat that come back far behind.

use std::time::Duration;

use axum::body::BodyDataStream;
use domain::{IdSource, VisitLimits};
use futures::StreamExt;
use serde_json::json;
use store::KeyRole;

use crate::kit::Shop;
use crate::visitors::Browser;

crate::on_both_stores!(
    a_page_far_behind_is_told_all_of_it_in_pieces_and_no_faster_than_histories_are_read,
);

const HOME: &str = "203.0.113.7";

/// A page, as it reads its stream.
struct Page(BodyDataStream);

impl Page {
    async fn open(browser: &Browser<'_>, after: i64) -> Self {
        let answer = browser.follow(after).await;
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self(answer.into_body().into_data_stream())
    }

    /// The ids of the lines that come together.
    async fn piece(&mut self) -> Vec<i64> {
        loop {
            let piece = self.0.next().await.expect("no end").expect("a piece");
            let text = String::from_utf8(piece.to_vec()).unwrap();
            let ids = text.lines().filter_map(|line| line.strip_prefix("id: "));
            let ids: Vec<_> = ids.map(|id| id.parse().unwrap()).collect();
            if !ids.is_empty() {
                return ids;
            }
            assert_eq!(text, ":\n\n");
        }
    }
}

async fn a_page_far_behind_is_told_all_of_it_in_pieces_and_no_faster_than_histories_are_read(
    shop: Shop,
) {
    // The clock stands still while a thread is busy, however long all of it takes.
    let (_done, wait) = std::sync::mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || wait.recv());
    tokio::time::pause();
    // A history may be read twice as often.
    let limits = VisitLimits { messages_per_visitor: 2, ..VisitLimits::DEFAULT };
    let shop = shop.again_with(|gate| gate.webchat_limits = Some(limits)).await;
    let ana = Browser::visiting(&shop, HOME).await;
    ana.says("hola").await.good();
    shop.engine.run_until_idle().await.unwrap();
    let key = shop.key("tienda", "marta", KeyRole::Operator).await;
    let list = shop.get("/conversations", &key).await.good();
    let path = format!("/conversations/{}", list["items"][0]["id"].as_str().unwrap());
    shop.post(&format!("{path}/take"), &key, json!({})).await.good();
    let say = async |lines: i64| {
        for line in 0..lines {
            let text = format!("línea {line} {}", "ñ".repeat(1_000));
            let body = json!({ "text": text, "client_id": shop.ids.next() });
            shop.post(&format!("{path}/reply"), &key, body).await.good();
        }
    };
    say(4).await;
    let first = Page::open(&ana, 0).await.piece().await;
    assert_eq!(first.len(), 5, "with the bot's own");
    assert_eq!(ana.get("history").await.status, 200);

    say(80).await;
    let mut page = Page::open(&ana, first[4]).await;
    let mut told = Vec::new();
    for expected in [8, 20, 20, 20] {
        let piece = page.piece().await;
        assert_eq!(piece.len(), expected);
        told.extend(piece);
    }
    let refused = ana.get("history").await;
    assert_eq!(refused.problem().0, 429, "each of those counted as a look at the history");
    // Both clocks: the one that limits are told by, and the one that is slept by.
    shop.clock.advance_ms(60_000);
    tokio::time::advance(Duration::from_secs(31)).await;
    told.extend(page.piece().await);
    assert!(told.len() == 80 && told.is_sorted() && told[0] > first[4], "{told:?}");
}
