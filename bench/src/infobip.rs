//! A customer's message as Infobip delivers it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Clock, SystemClock};

use crate::node::{PASSWORD, USER};

pub(crate) struct Message<'a> {
    pub(crate) channel: &'a str,
    pub(crate) from: &'a str,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl Message<'_> {
    /// The whole request, of this moment.
    pub(crate) fn request(&self) -> Vec<u8> {
        let Self { channel, from, id, name, text } = self;
        let now = SystemClock::default().now();
        let body = format!(
            r#"{{"results":[{{"from":"{from}","to":"573000000000","integrationType":"WHATSAPP","receivedAt":"{now}","messageId":"{id}","pairedMessageId":null,"callbackData":null,"message":{{"type":"TEXT","text":"{text}"}},"contact":{{"name":"{name}"}},"price":{{"pricePerMessage":0,"currency":"EUR"}}}}],"messageCount":1,"pendingMessageCount":0}}"#
        );
        format!(
            "POST /webhooks/infobip/{channel} HTTP/1.1\r\nhost: bench\r\n\
             authorization: Basic {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            BASE64_STANDARD.encode(format!("{USER}:{PASSWORD}")),
            body.len(),
        )
        .into_bytes()
    }
}
