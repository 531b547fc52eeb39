//! Meta's webhook, as the crash suite calls it: what it says, signed as it signs.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::time::{Instant, sleep};

use super::site::Site;
use super::wait::PATIENCE;

pub(crate) const APP_SECRET: &str = "firma";
pub(crate) const NUMBER: &str = "100200300";

/// Meta's words.
pub(crate) struct Meta;
pub(crate) const META: Meta = Meta;

impl Meta {
    pub(crate) fn text(&self, from: &str, id: &str, text: &str) -> Value {
        let message = json!({ "from": from, "id": id, "type": "text", "text": { "body": text } });
        self.body(json!({ "messages": [message] }))
    }

    /// A customer's reaction to a message, which nobody wrote.
    pub(crate) fn reaction(&self, from: &str, id: &str, emoji: &str) -> Value {
        let reaction = json!({ "message_id": "m1", "emoji": emoji });
        let message = json!({ "from": from, "id": id, "type": "reaction", "reaction": reaction });
        self.body(json!({ "messages": [message] }))
    }

    /// A message that was deleted where it was written.
    pub(crate) fn deleted(&self, id: &str) -> Value {
        self.body(json!({ "statuses": [{ "id": id, "status": "deleted" }] }))
    }

    fn body(&self, mut value: Value) -> Value {
        value["metadata"] = json!({ "phone_number_id": NUMBER });
        let changes = json!([{ "field": "messages", "value": value }]);
        json!({ "object": "whatsapp_business_account", "entry": [{ "changes": changes }] })
    }
}

/// As Meta puts it into the header.
pub(crate) fn signature(body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(APP_SECRET.as_bytes()).expect("a key");
    mac.update(body);
    let digits = mac.finalize().into_bytes();
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

impl Site {
    /// Delivers a body until it is acknowledged, as Meta does.
    pub(crate) async fn deliver_meta(&self, body: &Value) {
        let body = body.to_string();
        let signature = signature(body.as_bytes());
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "never acknowledged");
            let door = self.doors.borrow().first().cloned();
            if let Some(door) = door {
                let request = self.http.post(format!("{door}/webhooks/whatsapp/meta"));
                let request = request.header("x-hub-signature-256", &signature);
                match request.body(body.clone()).send().await.map(|answer| answer.status().as_u16())
                {
                    Ok(200) => return,
                    Ok(503) | Err(_) => {}
                    Ok(status) => panic!("a delivery was answered {status}"),
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}
