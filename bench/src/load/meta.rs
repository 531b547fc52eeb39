//! Whether webhooks are acknowledged in time when they come as Meta sends them.

use std::sync::Arc;

use anyhow::Result;
use domain::{Clock, SystemClock};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::book::Book;
use super::courier::{Mail, Pace, deliver};
use super::crowd::{Crowd, number};
use super::oracle::LINE;
use super::site::{APP_SECRET, Channel, Kind, NUMBER, Site};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::spread::Spread;
use crate::subject::Subject;

const RATE: f64 = 300.0;
const SERIES: u32 = 1;
/// The reports on each answer; with the message, four webhooks a customer.
const STATUSES: [&str; 3] = ["sent", "delivered", "read"];
/// An answer is spoken of when so many more customers have written: in about two seconds.
const BEHIND: u32 = 150;
const SLOW_MS: f64 = 1_000.0;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let agent = Subject::Registro.name();
    let channel = Channel::new(Kind::WhatsappCloud, CHANNEL, WORKSPACE, agent);
    let site = Site::open(plan.empty_database().await?, "", &[channel]).await?;
    let node = site.node().await?;
    let mail = Arc::new(Meta { book: Arc::clone(&site.book), signer: Signer::new()? });
    let pace = Pace { count: (RATE * plan.pick(20.0, 5.0)) as u32, rate: RATE, connections: 64 };
    let delivered = deliver(&[node.address], pace, mail).await?;
    let lost = site.book.settle(&Crowd::beginning(SERIES), 30.0).await;
    let slow = delivered.acks_ms.iter().filter(|ack| **ack > SLOW_MS).count();
    let acks = Spread::of(delivered.acks_ms);
    measures.add("load.meta.ack_p50", acks.p50());
    measures.add("load.meta.ack_p99", acks.p99());
    measures.add("load.meta.slow", slow as f64);
    measures.add("load.meta.refused", f64::from(delivered.refused));
    measures.add("load.meta.lost", lost as f64);
    measures.add("load.meta.end_p99", site.book.ends(&Crowd::beginning(SERIES)).p99());
    Ok(())
}

struct Meta {
    book: Arc<Book>,
    signer: Signer,
}

impl Mail for Meta {
    fn letter(&self, webhook: u32) -> Vec<u8> {
        let (customer, kind) = (webhook / 4, webhook % 4);
        let earlier = customer.checked_sub(BEHIND).map(|place| number(SERIES, place));
        let answered = earlier.and_then(|to| Some((self.book.line(&to)?.answer?, to)));
        let Some(status) = STATUSES.get(kind as usize) else {
            let from = number(SERIES, customer);
            self.book.writes(&from);
            return self.signer.message(&from);
        };
        let before = || (("wamid.before".to_owned(), None), number(SERIES + 1, customer));
        let ((id, reference), to) = answered.unwrap_or_else(before);
        self.signer.request(&delivery(status_of(status, &id, reference, &to)))
    }
}

fn now_s() -> String {
    (SystemClock::default().now().millis() / 1000).to_string()
}

fn message(from: &str) -> Value {
    let text = json!({ "body": LINE });
    json!({
        "contacts": [{ "profile": { "name": "Cliente" }, "wa_id": from }],
        "messages": [{ "from": from, "id": format!("wamid.in.{from}"), "timestamp": now_s(), "type": "text", "text": text }],
    })
}

fn status_of(status: &str, id: &str, reference: Option<String>, to: &str) -> Value {
    let mut said = json!({
        "id": id, "status": status, "timestamp": now_s(), "recipient_id": to,
        "conversation": { "id": id, "origin": { "type": "service" } },
        "pricing": { "billable": false, "pricing_model": "PMP", "category": "service", "type": "free_customer_service" },
    });
    if let Some(reference) = reference {
        said["biz_opaque_callback_data"] = json!(reference);
    }
    json!({ "statuses": [said] })
}

fn delivery(mut value: Value) -> String {
    value["messaging_product"] = json!("whatsapp");
    value["metadata"] =
        json!({ "display_phone_number": "573000000000", "phone_number_id": NUMBER });
    let changes = json!([{ "field": "messages", "value": value }]);
    let entry = json!([{ "id": "200300400", "changes": changes }]);
    json!({ "object": "whatsapp_business_account", "entry": entry }).to_string()
}

/// Meta, whose signature is on every delivery.
pub(crate) struct Signer(Hmac<Sha256>);

impl Signer {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(Hmac::new_from_slice(APP_SECRET.as_bytes())?))
    }

    /// A customer's message, as a whole request.
    pub(crate) fn message(&self, from: &str) -> Vec<u8> {
        self.request(&delivery(message(from)))
    }

    fn request(&self, body: &str) -> Vec<u8> {
        let mac = self.0.clone().chain_update(body.as_bytes()).finalize().into_bytes();
        let digits: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        format!(
            "POST /webhooks/whatsapp/{CHANNEL} HTTP/1.1\r\nhost: bench\r\n\
             x-hub-signature-256: sha256={digits}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }
}
