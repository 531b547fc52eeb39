//! A customer who registers over the webchat or Infobip, repeating each thing until it is taken.

use serde_json::{Value, json};

use crate::registration::{MESSAGES, Registration, Words};
use crate::support::{Site, message, until};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    Web,
    Infobip,
}

impl Via {
    pub(crate) const ALL: [Self; 2] = [Self::Web, Self::Infobip];
}

pub(crate) struct Applicant<'a> {
    site: &'a Site,
    pub(crate) via: Via,
    pub(crate) address: String,
    pub(crate) registration: Registration,
    /// How many things were said so far, each under an id of its own.
    said: usize,
}

impl<'a> Applicant<'a> {
    pub(crate) fn new(site: &'a Site, via: Via, place: usize) -> Self {
        let address = match via {
            Via::Web => format!("visita-{place:04}"),
            Via::Infobip => format!("573100{place:04}"),
        };
        Self { site, via, address, registration: Registration::of(place), said: 0 }
    }

    /// Says what the form asks for at this place, and returns once it is acknowledged.
    pub(crate) async fn gives(&mut self, place: usize) {
        let text = self.registration.says()[place].clone();
        self.says(&text).await;
    }

    pub(crate) async fn says(&mut self, text: &str) {
        let id = self.next_id();
        match self.via {
            Via::Infobip => {
                let body = json!({ "results": [message(&self.address, &id, text)] });
                self.site.deliver(&body).await;
            }
            Via::Web => {
                let body = json!({ "visitor": self.address, "id": id, "text": text });
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

    /// One post through the first door there is; none if no answer came.
    pub(crate) async fn post(&self, body: String) -> Option<u16> {
        let door = self.site.doors.borrow().first().cloned()?;
        let request = self.site.http.post(format!("{door}/chat/web/messages"));
        let request = request.header("content-type", "application/json").body(body);
        Some(request.send().await.ok()?.status().as_u16())
    }

    /// Every text that reached the customer, in order.
    pub(crate) async fn heard(&self) -> Result<Vec<String>, String> {
        if self.via == Via::Infobip {
            let sent = self.site.sink.sent();
            let own = sent.into_iter().filter(|sent| sent.to == self.address);
            return Ok(own.map(|sent| sent.text).collect());
        }
        let door = self.site.doors.borrow().first().cloned().ok_or("no node is up")?;
        let url = format!("{door}/chat/web/history?visitor={}", self.address);
        let answer = self.site.http.get(url).send().await.map_err(|error| error.to_string())?;
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

    /// What the page shows as it is said: the webchat's other way to the customer.
    pub(crate) async fn follows(&self, count: usize) -> Vec<String> {
        let door = self.site.doors.borrow().first().cloned().expect("a node is up");
        let url = format!("{door}/chat/web/events?visitor={}&after=0", self.address);
        let mut stream = self.site.http.get(url).send().await.expect("events");
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
