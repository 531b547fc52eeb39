//! Refusals: bodies and callers that are wrong, and a schema from the future.

use serde_json::json;
use tokio::time::Instant;

use crate::support::{Customer, Kind, Site, check, message};

crate::on_both_stores!(
    bad_requests_are_refused_and_good_ones_go_on,
    bad_items_are_kept_apart_and_their_siblings_answered,
    a_schema_of_a_newer_version_is_refused,
);

async fn bad_requests_are_refused_and_good_ones_go_on(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let send = async |channel: &str, password: Option<&str>, body: Vec<u8>| {
        let url = format!("{}/webhooks/infobip/{channel}", node.url());
        let mut request = site.http.post(url).body(body);
        if let Some(password) = password {
            request = request.basic_auth("infobip", Some(password));
        }
        request.send().await.expect("an answer").status().as_u16()
    };
    let right = Some("s3creto");
    let good = || json!({ "results": [message("5491199", "x", "hola")] }).to_string().into_bytes();
    assert_eq!(send("tienda", right, b"not JSON".to_vec()).await, 400);
    assert_eq!(send("tienda", right, b"[1, 2]".to_vec()).await, 400);
    assert_eq!(send("tienda", right, "[".repeat(5_000).into_bytes()).await, 400);
    assert_eq!(send("tienda", Some("otro"), good()).await, 401);
    assert_eq!(send("tienda", None, good()).await, 401);
    assert_eq!(send("nadie", right, good()).await, 401);
    assert_eq!(send("web", right, good()).await, 401);
    assert_eq!(send("tienda", right, vec![b' '; 5 * 1024 * 1024]).await, 413);

    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
    assert_eq!(site.conversations().await.len(), 1, "nobody else was let in");
    assert_eq!(node.get("/healthz").await, (200, "ok\n".to_owned()));
    assert_eq!(node.get("/readyz").await, (200, "ready\n".to_owned()));
    assert_eq!(node.metric("recado_inbox_accepted_total").await, 1.0);
}

async fn bad_items_are_kept_apart_and_their_siblings_answered(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    let no_sender = json!({ "messageId": "bad-1", "message": { "type": "TEXT", "text": "x" } });
    let no_text = json!({ "from": "5491103", "messageId": "bad-2", "message": { "type": "TEXT" } });
    let batch = json!({ "results": [
        message(&ana.number, "batch-1", "antes"), no_sender, 7, no_text,
        message(&beto.number, "batch-2", "después"),
    ] });
    let at = Instant::now();
    // Twice: a copy of what cannot be read is known too.
    site.deliver(&batch).await;
    site.deliver(&batch).await;
    ana.acknowledged("antes", at);
    beto.acknowledged("después", at);
    let findings = check(&site, &[&node], &[&ana, &beto]).await;
    let kinds: Vec<_> = findings.quarantined.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["unreadable"; 3], "{findings:?}");
    assert!(findings.open.is_empty(), "{findings:?}");
}

async fn a_schema_of_a_newer_version_is_refused(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
    node.stop().await;
    let (raise, lower) = match kind {
        Kind::Sqlite => {
            ("PRAGMA user_version = 99", format!("PRAGMA user_version = {}", store::SCHEMA_VERSION))
        }
        Kind::Postgres => (
            "INSERT INTO schema_migrations (version) VALUES (99)",
            "DELETE FROM schema_migrations WHERE version = 99".to_owned(),
        ),
    };
    site.sql(raise).await;
    for command in [["serve"].as_slice(), &["conv", "list"]] {
        let refused = site.run(command, None).await;
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("schema version 99") && said.contains("newer recado"), "{said}");
    }
    // The refusal changed nothing.
    site.sql(&lower).await;
    let node = site.start().await;
    ana.says("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
