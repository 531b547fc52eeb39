//! A customer who registers, over the webchat or Infobip.

use std::ops::{Deref, DerefMut};

use serde_json::Value;

use crate::registration::{MESSAGES, Registration, Words};
use crate::support::Site;
pub(crate) use crate::support::{Caller, Via};

pub(crate) struct Applicant<'a> {
    site: &'a Site,
    caller: Caller<'a>,
    pub(crate) registration: Registration,
}

impl<'a> Deref for Applicant<'a> {
    type Target = Caller<'a>;

    fn deref(&self) -> &Caller<'a> {
        &self.caller
    }
}

impl DerefMut for Applicant<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.caller
    }
}

impl<'a> Applicant<'a> {
    pub(crate) fn new(site: &'a Site, via: Via, place: usize) -> Self {
        let caller = Caller::new(site, via, place);
        Self { site, caller, registration: Registration::of(place) }
    }

    /// Says what the form asks for at this place, and returns once it is acknowledged.
    pub(crate) async fn gives(&mut self, place: usize) {
        let text = self.registration.says()[place].clone();
        self.says(&text).await;
    }

    /// Gives everything from this place on, each once the last was answered.
    pub(crate) async fn goes_on_from(&mut self, place: usize) {
        let heard = self.heard().await.expect("a node is up").len();
        for (more, place) in (place..MESSAGES).enumerate() {
            self.gives(place).await;
            self.hears(heard + more + 1).await;
        }
    }

    /// Every answer came once and in order.
    pub(crate) async fn assert_heard(&self, words: &Words) {
        let heard = self.heard().await.expect("a node is up");
        assert_eq!(heard, self.registration.hears(words), "{} heard", self.address);
    }

    /// The lines that the page shows as they are said: the webchat's other way to the customer.
    pub(crate) async fn follows(&self, count: usize) -> Vec<String> {
        let door = self.site.doors.borrow().first().cloned().expect("a node is up");
        let request = self.site.http.get(format!("{door}/chat/web/events?after=0"));
        let request = request.header("recado-visitor", self.token().await.expect("a token"));
        let mut stream = request.send().await.expect("events");
        let mut text = String::new();
        while text.matches("\n\n").count() < count {
            let chunk = stream.chunk().await.expect("a chunk").expect("events stay open");
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let lines = data.map(|data| serde_json::from_str::<Value>(data).expect("JSON"));
        lines.map(|line| line["text"].as_str().expect("a text").to_owned()).collect()
    }
}
