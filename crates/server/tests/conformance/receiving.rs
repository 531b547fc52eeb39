//! Arrivals are taken in once, in order, each item on its own, and only from the right caller.

use serde_json::{Value, json};
use store::{AttentionFilter, MediaStatus};

use super::desk::{ANA, Desk};
use super::on_both_channels;
use super::provider::FILE;
use super::wire::{NUMBER, SECRET, Sent, WORD, Wire};

on_both_channels![
    copies_change_nothing_and_what_comes_out_of_order_is_put_in_order,
    one_malformed_item_spoils_none_of_its_siblings_and_is_kept,
    messages_and_reports_share_a_body,
    what_is_not_signed_as_it_should_be_is_turned_away_unread,
    every_kind_of_content_is_read,
    what_is_older_than_a_provider_repeats_waits_for_a_person,
    files_are_fetched_from_the_provider_with_its_key,
];

fn text(words: &str) -> Sent {
    Sent::Text(words.to_owned())
}

async fn copies_change_nothing_and_what_comes_out_of_order_is_put_in_order(wire: Wire) {
    let desk = Desk::open(wire).await;
    let said: Vec<_> = ["uno", "dos", "tres"].iter().map(|word| desk.next(&text(word))).collect();
    let backwards: Vec<_> = said.iter().rev().cloned().collect();
    let first = desk.deliver(&[backwards.clone(), vec![said[1].clone()]].concat(), &[]).await;
    assert_eq!((&first["accepted"], &first["duplicates"]), (&json!(3), &json!(1)));
    desk.work().await;
    for _ in 0..3 {
        let again = desk.deliver(&said, &[]).await;
        assert_eq!((&again["accepted"], &again["duplicates"]), (&json!(0), &json!(3)));
    }
    desk.work().await;
    assert_eq!(desk.heard().await, ["uno", "dos", "tres"]);
    assert_eq!(desk.provider.attempts(), 3);
}

async fn one_malformed_item_spoils_none_of_its_siblings_and_is_kept(wire: Wire) {
    let desk = Desk::open(wire).await;
    let mut bad = desk.next(&text("roto"));
    for key in ["messageId", "id"] {
        if !bad[key].is_null() {
            bad[key] = json!(7);
        }
    }
    let batch = [desk.next(&text("antes")), bad.clone(), desk.next(&text("después"))];
    let said = desk.deliver(&batch, &[]).await;
    assert_eq!((&said["accepted"], &said["unreadable"]), (&json!(2), &json!(1)));
    desk.deliver(&batch, &[]).await;
    desk.work().await;
    assert_eq!(desk.heard().await, ["antes", "después"]);
    let kept =
        desk.store.quarantined(desk.channel.workspace, &AttentionFilter::first(100)).await.unwrap();
    assert_eq!(kept.len(), 1, "once");
    let raw: Value = serde_json::from_str(kept[0].payload.reveal()).unwrap();
    assert_eq!((&raw, kept[0].kind.as_str()), (&bad, "unreadable"));
}

async fn messages_and_reports_share_a_body(wire: Wire) {
    let desk = Desk::open(wire).await;
    desk.says("uno").await;
    let reference = desk.provider.taken()[0].reference.clone();
    let stranger = wire.report("01890a5d-ac96-774b-bcce-b302099a8057", "read");
    let reports = [wire.report(&reference, "failed"), stranger];
    let said = desk.deliver(&[desk.next(&text("dos"))], &reports).await;
    assert_eq!((&said["accepted"], &said["reports"]), (&json!(1), &json!(1)));
    let items = desk.open_items().await;
    assert_eq!(items.len(), 1);
    assert!(items[0].error.as_ref().unwrap().contains("WHY"), "{items:?}");
}

async fn what_is_not_signed_as_it_should_be_is_turned_away_unread(wire: Wire) {
    let desk = Desk::open(wire).await;
    let body = wire.body(&[desk.next(&text("hola"))], &[]);
    let (name, good) = wire.signature(SECRET, &body);
    let (_, other) = wire.signature("otra", &body);
    let (_, empty) = wire.signature(SECRET, b"");
    let spaced = String::from_utf8(body.clone()).unwrap().replacen(':', ": ", 1).into_bytes();
    let short = &good[..good.len() - 3];
    let cases: [(&[u8], Option<&str>); 6] = [
        (&body, None),
        (&body, Some("")),
        (&body, Some(&other)),
        (&body, Some(&empty)),
        (&body, Some(short)),
        (&spaced, Some(&good)),
    ];
    for (body, signature) in cases {
        let header = signature.map(|signature| (name, signature));
        assert_eq!(desk.post(body.to_vec(), header).await.0, 401, "{signature:?}");
    }
    // Not even garbage is looked at before its signature is.
    assert_eq!(desk.post(b"[[[[".to_vec(), Some((name, &good))).await.0, 401);
    let elsewhere = format!("{}{}", desk.base, wire.path().replace("tienda", "otra"));
    let request = desk.http.post(elsewhere).header(name, &good).body(body.clone());
    assert_eq!(request.send().await.unwrap().status().as_u16(), 401, "as if it were not there");
    assert!(desk.lines().await.is_empty() && desk.store.next_due().await.unwrap().is_none());

    let deep = "[".repeat(100);
    let (name, signed) = wire.signature(SECRET, deep.as_bytes());
    assert_eq!(desk.post(deep.into_bytes(), Some((name, &signed))).await.0, 400);
    assert_eq!(desk.post(body, Some((name, &good))).await.0, 200);
}

async fn every_kind_of_content_is_read(wire: Wire) {
    let desk = Desk::open(wire).await;
    let cases = [
        (text("hola ñ"), "user: hola ñ"),
        (Sent::Button("si", "Sí"), "user: Sí [button si]"),
        (Sent::Row("p", "Pan"), "user: Pan [button p]"),
        (Sent::File("https://x.example/files/1"), "user: mi foto"),
        (Sent::Place, "user: [location 4.6,-74.1]"),
        (Sent::Card, "user: [contacts Luis +57 1]"),
        (Sent::Heart, "system: [reaction ❤]"),
        (Sent::NoHeart, "system: [reaction removed]"),
        (Sent::Order, "user: [order 2 x pan at 9.5 COP; catalog c]"),
    ];
    for (sent, expected) in &cases {
        let said = desk.deliver(&[desk.next(sent)], &[]).await;
        let how = if expected.starts_with("user") { "accepted" } else { "noted" };
        assert_eq!(said[how], 1, "{sent:?}");
        desk.work().await;
        let lines = desk.lines().await;
        let came: Vec<_> = lines.iter().filter(|line| !line.starts_with("assistant")).collect();
        assert_eq!(came.last().unwrap(), &expected, "{sent:?}");
    }
    assert_eq!(desk.provider.taken().len(), cases.len() - 2, "what somebody said is answered");
}

async fn what_is_older_than_a_provider_repeats_waits_for_a_person(wire: Wire) {
    let desk = Desk::open(wire).await;
    let at = domain::Clock::now(&desk.clock).millis() / 1_000 - 9 * 86_400;
    let old = wire.message(ANA, "viejo", at, &text("hace mucho"));
    let said = desk.deliver(&[old], &[]).await;
    assert_eq!((&said["accepted"], &said["set_aside"]), (&json!(1), &json!(1)));
    desk.work().await;
    assert_eq!(desk.provider.attempts(), 0);
    assert_eq!(
        desk.store
            .quarantined(desk.channel.workspace, &AttentionFilter::first(100))
            .await
            .unwrap()
            .len(),
        1
    );
}

async fn files_are_fetched_from_the_provider_with_its_key(wire: Wire) {
    let desk = Desk::open(wire).await;
    let near: &'static str = format!("{}/files/cerca", desk.provider.base).leak();
    let far = "https://elsewhere.example/files/elsewhere";
    desk.deliver(&[desk.next(&Sent::File(near)), desk.next(&Sent::File(far))], &[]).await;
    desk.work().await;
    desk.fetch().await;
    let (workspace, channel) = (desk.channel.workspace, &desk.channel.id);
    let id = desk.store.find(workspace, channel, ANA).await.unwrap().unwrap();
    let rows = desk.store.media(workspace, id).await.unwrap();
    let ends: Vec<_> = rows.iter().map(|row| (row.status, row.size)).collect();
    let size = Some(FILE.len() as i64);
    assert_eq!(ends, [(MediaStatus::Fetched, size), (MediaStatus::Failed, None)], "{rows:?}");
    let error = rows[1].error.as_ref().unwrap();
    assert!(error.starts_with("not fetched: the file's"), "{error}");
}

async fn shake(desk: &Desk, query: &str) -> (u16, String) {
    let url = format!("{}{}?{query}", desk.base, Wire::Cloud.path());
    let answer = desk.http.get(url).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn the_handshake_gives_its_challenge_back_to_whoever_knows_the_word() {
    let desk = Desk::open(Wire::Cloud).await;
    let query = |mode: &str, word: &str, challenge: &str| {
        format!("hub.mode={mode}&hub.verify_token={word}&hub.challenge={challenge}")
    };
    let good = shake(&desk, &query("subscribe", WORD, "1158201444")).await;
    assert_eq!(good, (200, "1158201444".to_owned()));
    for (mode, word) in
        [("subscribe", "otra"), ("subscribe", ""), ("unsubscribe", WORD), ("", WORD)]
    {
        assert_eq!(shake(&desk, &query(mode, word, "1")).await.0, 401, "{mode} {word}");
    }
    assert_eq!(shake(&desk, "").await.0, 401);
    let long = "1".repeat(257);
    assert_eq!(shake(&desk, &query("subscribe", WORD, &long)).await.0, 400);
    assert_eq!(shake(&desk, &query("subscribe", WORD, "")).await.0, 400);
    let url =
        format!("{}{}?{}", desk.base, "/webhooks/whatsapp/otra", query("subscribe", WORD, "1"));
    assert_eq!(desk.http.get(url).send().await.unwrap().status().as_u16(), 401);
}

#[tokio::test]
async fn the_secret_before_is_taken_too_and_other_numbers_are_left_alone() {
    let desk = Desk::open(Wire::Cloud).await;
    let body = desk.wire.body(&[desk.next(&text("hola"))], &[]);
    let (name, old) = desk.wire.signature("vieja", &body);
    assert_eq!(desk.post(body.clone(), Some((name, &old))).await.0, 200);
    let other = String::from_utf8(body).unwrap().replace(NUMBER, "999").replace("m0", "m9");
    let (name, signed) = desk.wire.signature(SECRET, other.as_bytes());
    let (status, said) = desk.post(other.into_bytes(), Some((name, &signed))).await;
    assert_eq!((status, &said["accepted"], &said["ignored"]), (200, &json!(0), &json!(1)));
}

#[tokio::test]
async fn what_a_customer_deletes_is_forgotten_with_its_file() {
    let desk = Desk::open(Wire::Cloud).await;
    desk.says("mi clave es 1234").await;
    desk.deliver(&[desk.next(&Sent::File("x/files/9"))], &[]).await;
    desk.work().await;
    desk.fetch().await;
    let gone = |id: &str| json!({"id": id, "status": "deleted"});
    let said = desk.deliver(&[], &[gone("m0"), gone("m1")]).await;
    assert_eq!(said["deleted"], 2);
    assert_eq!(desk.heard().await, ["[deleted]", "[deleted]"]);
    desk.fetch().await;
    let (workspace, channel) = (desk.channel.workspace, &desk.channel.id);
    let id = desk.store.find(workspace, channel, ANA).await.unwrap().unwrap();
    let row = desk.store.media(workspace, id).await.unwrap().remove(0);
    assert_eq!((row.status, row.sha256), (MediaStatus::Deleted, None));
}

#[tokio::test]
async fn a_customer_whose_business_id_comes_later_stays_the_same() {
    let desk = Desk::open(Wire::Cloud).await;
    desk.says("hola").await;
    let mut later = desk.next(&text("soy yo"));
    later["from_user_id"] = json!("CO.77");
    desk.deliver(&[later], &[]).await;
    let mut hidden = desk.next(&text("sin número"));
    hidden["from"] = Value::Null;
    hidden["from_user_id"] = json!("CO.77");
    desk.deliver(&[hidden], &[]).await;
    desk.work().await;
    assert_eq!(desk.heard().await, ["hola", "soy yo", "sin número"]);
    assert!(desk.provider.taken().iter().all(|one| one.to == ANA), "answered where it began");
}

#[tokio::test]
async fn a_customer_who_changes_their_number_stays_the_same_and_is_answered_there() {
    let desk = Desk::open(Wire::Cloud).await;
    desk.says("hola").await;
    let mut moved = desk.next(&text(""));
    moved["type"] = json!("system");
    moved["system"] = json!({ "body": "User changed from one to another", "wa_id": "573009998877",
                              "type": "user_changed_number" });
    let said = desk.deliver(&[moved], &[]).await;
    assert_eq!((&said["accepted"], &said["noted"]), (&json!(0), &json!(1)));
    let mut again = desk.next(&text("sigo yo"));
    again["from"] = json!("573009998877");
    desk.deliver(&[again], &[]).await;
    desk.work().await;
    let taken = desk.provider.taken();
    let to: Vec<_> = taken.iter().map(|one| one.to.as_str()).collect();
    assert_eq!(to, [ANA, "573009998877"]);
    let lines = desk.lines_of("573009998877").await;
    assert_eq!(lines.iter().filter(|line| line.starts_with("user: ")).count(), 2, "{lines:?}");
}

#[tokio::test]
async fn a_number_that_comes_with_another_id_is_somebody_new() {
    let desk = Desk::open(Wire::Cloud).await;
    let from = |id: &str, words: &str| {
        let mut message = desk.next(&text(words));
        message["from_user_id"] = json!(id);
        message
    };
    desk.deliver(&[from("CO.1", "soy Ana")], &[]).await;
    desk.work().await;
    desk.deliver(&[from("CO.2", "soy Beto")], &[]).await;
    desk.work().await;
    let heard = async |name: &str| {
        let lines = desk.lines_of(name).await;
        lines.into_iter().filter(|line| line.starts_with("user: ")).collect::<Vec<_>>()
    };
    assert_eq!(heard("CO.1").await, ["user: soy Ana"]);
    assert_eq!(heard("CO.2").await, ["user: soy Beto"]);
}

#[tokio::test]
async fn what_the_business_writes_from_its_phone_makes_the_conversation_a_persons() {
    let desk = Desk::open(Wire::Cloud).await;
    desk.says("hola").await;
    let sent_ago = |seconds: i64, id: &str, text: &str| {
        let at = domain::Clock::now(&desk.clock).millis() / 1_000 - seconds;
        json!({"from": "573001112233", "to": ANA, "id": id, "type": "text", "text": {"body": text},
               "timestamp": at.to_string()})
    };
    let echo = |id: &str, text: &str| sent_ago(0, id, text);
    let deliver = async |echoes: Value| {
        let body = json!({"entry": [{"changes": [{"field": "smb_message_echoes", "value": {
            "metadata": {"phone_number_id": NUMBER}, "message_echoes": echoes,
        }}]}]})
        .to_string()
        .into_bytes();
        let (name, signed) = desk.wire.signature(SECRET, &body);
        desk.post(body, Some((name, &signed))).await
    };
    let owner = async || {
        let (workspace, channel) = (desk.channel.workspace, &desk.channel.id);
        let id = desk.store.find(workspace, channel, ANA).await.unwrap().unwrap();
        desk.store.get(workspace, id).await.unwrap().owner
    };
    let old = sent_ago(9 * 24 * 3_600, "wamid.e0", "le llevé ayer");
    assert_eq!(deliver(json!([old])).await.0, 200);
    assert_eq!(owner().await, domain::Owner::Bot, "that was long ago");
    let sent = desk.provider.taken()[0].reference.clone();
    let own = echo(&format!("wamid.{sent}"), "eco: hola");
    let (status, said) =
        deliver(json!([own, echo("wamid.e1", "ya le llevo"), echo("wamid.e1", "ya le llevo")]))
            .await;
    assert_eq!((status, &said["echoes"]), (200, &json!(3)));
    assert_eq!(owner().await, domain::Owner::Human);
    let lines = desk.lines().await;
    assert_eq!(lines.iter().filter(|line| line.ends_with("ya le llevo")).count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.ends_with("eco: hola")).count(), 1, "our own");
    desk.says("gracias").await;
    assert_eq!(desk.provider.taken().len(), 1, "the bot is silent");
}
