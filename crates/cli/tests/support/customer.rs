//! A customer, through a provider that delivers at least once: it repeats until it gets a 200.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::lines::Wanted;
use super::site::{PASSWORD, Site, USER};
use super::wait::PATIENCE;

const AGAIN: Duration = Duration::from_millis(50);

pub(crate) struct Said {
    pub(crate) text: String,
    /// Before the first delivery.
    pub(crate) at: Instant,
    /// The answer that must follow; `None` if nobody is to answer.
    pub(crate) wanted: Option<Wanted>,
}

pub(crate) struct Customer<'a> {
    site: &'a Site,
    pub(crate) number: String,
    /// The messages that were acknowledged, in order.
    pub(crate) said: Vec<Said>,
    /// Texts that must come once, besides the numbered answers.
    pub(crate) extras: Vec<String>,
    /// Whether the order of the answers follows from the order here.
    pub(crate) ordered: bool,
}

impl<'a> Customer<'a> {
    pub(crate) fn new(site: &'a Site, number: &str) -> Self {
        let number = number.to_owned();
        Self { site, number, said: Vec::new(), extras: Vec::new(), ordered: true }
    }

    /// Says something and returns once it is acknowledged.
    pub(crate) async fn says(&mut self, text: &str) {
        let at = Instant::now();
        let id = format!("{}-{}", self.number, self.said.len());
        self.site.deliver(&json!({ "results": [message(&self.number, &id, text)] })).await;
        self.acknowledged(text, at);
    }

    /// Sends a picture, which the demo agent cannot read and says so.
    pub(crate) async fn shows(&mut self, url: &str) {
        let at = Instant::now();
        let id = format!("{}-{}", self.number, self.said.len());
        self.site.deliver(&json!({ "results": [image(&self.number, &id, url)] })).await;
        self.said.push(Said { text: "[image]".to_owned(), at, wanted: Some(Wanted::Unread) });
    }

    /// Says something that nobody is to answer.
    pub(crate) async fn says_to_a_person(&mut self, text: &str) {
        self.says(text).await;
        let said = self.said.last_mut().expect("what was just said");
        said.wanted = None;
    }

    /// Notes what was acknowledged some other way.
    pub(crate) fn acknowledged(&mut self, text: &str, at: Instant) {
        let wanted = Wanted::of(text);
        self.extras.extend(wanted.iter().filter_map(Wanted::reminder));
        self.said.push(Said { text: text.to_owned(), at, wanted });
    }

    /// Waits until the last thing said was answered.
    pub(crate) async fn is_answered(&self) {
        let wanted = self.wanted().len();
        let look = async || {
            let sent = self.site.sink.sent();
            let mut lines = sent.iter().filter(|sent| sent.to == self.number);
            let last = format!("{wanted}. ");
            match lines.any(|sent| sent.text.lines().any(|line| line.starts_with(&last))) {
                true => Ok(()),
                false => Err(format!("no line {last}")),
            }
        };
        super::until("an answer", look).await;
    }

    /// The answers that must come, in order.
    pub(crate) fn wanted(&self) -> Vec<&Wanted> {
        self.said.iter().filter_map(|said| said.wanted.as_ref()).collect()
    }
}

/// A text as Infobip delivers it.
pub(crate) fn message(number: &str, id: &str, text: &str) -> Value {
    json!({
        "from": number,
        "to": "573001112233",
        "integrationType": "WHATSAPP",
        "messageId": id,
        "message": { "text": text, "type": "TEXT" },
        "contact": { "name": number },
        "price": { "pricePerMessage": 0, "currency": "EUR" },
    })
}

/// A picture as Infobip delivers it.
fn image(number: &str, id: &str, url: &str) -> Value {
    json!({
        "from": number,
        "to": "573001112233",
        "messageId": id,
        "message": { "url": url, "type": "IMAGE" },
    })
}

impl Site {
    /// Delivers a body until it is acknowledged. Anything but a 200, a 503 or no answer is wrong.
    pub(crate) async fn deliver(&self, body: &Value) {
        let deadline = Instant::now() + PATIENCE;
        for attempt in 0.. {
            assert!(Instant::now() < deadline, "never acknowledged: {:?}", self.answers.borrow());
            let door = {
                let doors = self.doors.borrow();
                doors.get(attempt % doors.len().max(1)).cloned()
            };
            if let Some(door) = door {
                match self.post(&door, "tienda", body).await {
                    Some(200) => return,
                    Some(503) | None => {}
                    Some(status) => panic!("a delivery was answered {status}"),
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// Delivers once through one door; `None` if no answer came.
    pub(crate) async fn post(&self, door: &str, channel: &str, body: &Value) -> Option<u16> {
        let request = self.http.post(format!("{door}/webhooks/infobip/{channel}"));
        let answer = request.basic_auth(USER, Some(PASSWORD)).json(body).send().await;
        let status = answer.ok()?.status().as_u16();
        *self.answers.borrow_mut().entry(status).or_default() += 1;
        Some(status)
    }
}
