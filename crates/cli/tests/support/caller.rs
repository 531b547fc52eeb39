//! Somebody who writes over the webchat or Infobip, repeating each thing until it is taken.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::customer::message;
use super::site::Site;
use super::wait::until;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    Web,
    Infobip,
}

impl Via {
    pub(crate) const ALL: [Self; 2] = [Self::Web, Self::Infobip];
}

pub(crate) struct Caller<'a> {
    site: &'a Site,
    pub(crate) via: Via,
    pub(crate) address: String,
    /// The webchat channel it writes to.
    web: String,
    /// The token that the webchat knows them by, once they have been there.
    token: RefCell<Option<String>>,
    /// How many things were said so far, each under an id of its own.
    said: usize,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(site: &'a Site, via: Via, place: usize) -> Self {
        let address = match via {
            Via::Web => format!("visita-{place:04}"),
            Via::Infobip => format!("573100{place:04}"),
        };
        Self { site, via, address, web: "web".to_owned(), token: RefCell::default(), said: 0 }
    }

    /// A visitor of another webchat.
    pub(crate) fn visiting(site: &'a Site, channel: &str) -> Self {
        Self { web: channel.to_owned(), ..Self::new(site, Via::Web, 0) }
    }

    pub(crate) async fn says(&mut self, text: &str) {
        let id = self.next_id();
        match self.via {
            Via::Infobip => {
                let body = json!({ "results": [message(&self.address, &id, text)] });
                self.site.deliver(&body).await;
            }
            Via::Web => {
                let body = json!({ "id": id, "text": text });
                self.posts(&body).await;
            }
        }
    }

    pub(crate) fn next_id(&mut self) -> String {
        self.said += 1;
        format!("{}-{}", self.address, self.said)
    }

    /// As the page does: again under the same id until it is taken.
    async fn posts(&self, body: &Value) {
        let look = async || match self.post(body.to_string()).await {
            Some(202) => Ok(()),
            Some(503) | None => Err("not taken".to_owned()),
            Some(status) => panic!("a message was answered {status}"),
        };
        until("the message to be taken", look).await;
    }

    /// Posts once through the first door there is; `None` if no answer came.
    pub(crate) async fn post(&self, body: String) -> Option<u16> {
        let door = self.site.doors.borrow().first().cloned()?;
        let request = self.site.http.post(format!("{door}/chat/{}/messages", self.web));
        let request = request.header("recado-visitor", self.token().await?);
        let request = request.header("content-type", "application/json").body(body);
        Some(request.send().await.ok()?.status().as_u16())
    }

    /// The visitor's token, asked for the first time; none if no answer came.
    pub(crate) async fn token(&self) -> Option<String> {
        if let Some(token) = self.token.borrow().clone() {
            return Some(token);
        }
        let door = self.site.doors.borrow().first().cloned()?;
        let request = self.site.http.post(format!("{door}/chat/{}/visitor", self.web));
        let answer = request.json(&json!({ "carry": "header" })).send().await.ok()?;
        let said: Value = answer.json().await.ok()?;
        let token = said["visitor"].as_str().expect("a token").to_owned();
        *self.token.borrow_mut() = Some(token.clone());
        Some(token)
    }

    /// Every text that reached the customer, in order.
    pub(crate) async fn heard(&self) -> Result<Vec<String>, String> {
        if self.via == Via::Infobip {
            let sent = self.site.sink.sent();
            let own = sent.into_iter().filter(|sent| sent.to == self.address);
            return Ok(own.map(|sent| sent.text).collect());
        }
        let door = self.site.doors.borrow().first().cloned().ok_or("no node is up")?;
        let token = self.token().await.ok_or("no token")?;
        let request = self.site.http.get(format!("{door}/chat/{}/history", self.web));
        let answer = request.header("recado-visitor", token).send().await;
        let answer = answer.map_err(|error| error.to_string())?;
        let history: Value = answer.json().await.map_err(|error| error.to_string())?;
        let lines = history["lines"].as_array().into_iter().flatten();
        let assistant = lines.filter(|line| line["role"] == "assistant");
        Ok(assistant.map(|line| line["text"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// Waits until this many texts have come, and returns the last.
    pub(crate) async fn hears(&self, count: usize) -> String {
        let look = async || match self.heard().await? {
            heard if heard.len() >= count => Ok(heard[count - 1].clone()),
            heard => Err(format!("{} heard {heard:?}", self.address)),
        };
        until("the next text", look).await
    }
}
