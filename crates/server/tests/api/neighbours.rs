//! A workspace beside one whose callers have credentials and hold whatever they are given.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::Request;
use axum::response::Response;
use futures::future::{BoxFuture, join_all};
use futures::{FutureExt, poll};
use hyper::body::{Frame, SizeHint};
use serde_json::json;
use store::KeyRole;
use tower::ServiceExt;

use crate::kit::{Answer, Shop};

crate::on_both_stores!(
    bodies_that_one_workspace_is_sent_slowly_leave_room_for_those_of_another,
    deliveries_of_one_workspace_that_wait_leave_room_for_those_of_another,
);

/// As many bytes as announced, none of which comes.
struct Never(u64);

impl hyper::body::Body for Never {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Pending
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}

/// A delivery to the channel, by its provider.
fn delivery(shop: &Shop, channel: &str, body: Body) -> BoxFuture<'static, Response> {
    let request = Request::post(format!("/webhooks/infobip/{channel}"))
        .header("authorization", "Basic aW5mb2JpcDpjbGF2ZQ==")
        .body(body)
        .unwrap();
    let router = shop.router.clone();
    async move { router.oneshot(request).await.unwrap() }.boxed()
}

fn message(number: u32) -> Body {
    let item = json!({
        "from": format!("57300{number:07}"), "to": "573001112233", "integrationType": "WHATSAPP",
        "messageId": format!("m-{number}"), "receivedAt": "2026-05-28T20:26:40Z",
        "message": { "type": "TEXT", "text": "hola" },
    });
    json!({ "results": [item] }).to_string().into()
}

async fn bodies_that_one_workspace_is_sent_slowly_leave_room_for_those_of_another(shop: Shop) {
    let (ours, theirs) = (
        shop.key("tienda", "marta", KeyRole::Admin).await,
        shop.key("otra", "olga", KeyRole::Admin).await,
    );
    let mut slow = Vec::new();
    for _ in 0..6 {
        let mut one = delivery(&shop, "tienda-wa", Body::new(Never(4 * 1024 * 1024)));
        assert!(poll!(&mut one).is_pending());
        slow.push(one);
    }
    let again = delivery(&shop, "tienda-wa", Body::new(Never(4 * 1024 * 1024))).await;
    assert_eq!(Answer::of(again).await.problem().0, 503, "all that one may have");
    assert_eq!(delivery(&shop, "otra-wa", message(1)).await.status(), 200);
    let key = json!({ "name": "nueva", "role": "viewer" });
    assert_eq!(shop.post("/keys", &theirs, key.clone()).await.status, 201);
    assert_eq!(shop.post("/keys", &ours, key.clone()).await.problem().0, 503);
    drop(slow);
    assert_eq!(shop.post("/keys", &ours, key).await.status, 201);
}

async fn deliveries_of_one_workspace_that_wait_leave_room_for_those_of_another(shop: Shop) {
    let mut waiting = Vec::new();
    for number in 0..2_048 {
        let mut one = delivery(&shop, "tienda-wa", message(number));
        assert!(poll!(&mut one).is_pending(), "{number}: it is not stored yet");
        waiting.push(one);
    }
    let more = delivery(&shop, "tienda-wa", message(2_048)).now_or_never();
    assert_eq!(Answer::of(more.expect("an answer at once")).await.problem().0, 503);
    let mut other = delivery(&shop, "otra-wa", message(2_049));
    assert!(poll!(&mut other).is_pending(), "it is not turned away");
    waiting.push(other);
    let taken = join_all(waiting).await;
    assert!(taken.iter().all(|answer| answer.status() == 200));
}
