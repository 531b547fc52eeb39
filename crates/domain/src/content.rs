//! A customer's message or news of it: each kind whole, and in words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Pii, visible};

/// The field that ties a filled-in form to the message that asked for it; it is no customer's
/// answer.
const FLOW_TOKEN: &str = "flow_token";

/// The mark on record between an edited message's words and its words before.
const EDITED_BEFORE: &str = " [edited before: ";

/// Content from a customer's side of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Text {
        text: Pii,
    },
    Choice {
        text: Pii,
        payload: Option<String>,
    },
    Media(Media),
    Location {
        latitude: f64,
        longitude: f64,
        label: Option<Pii>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<Pii>,
    },
    Contacts {
        people: Vec<Card>,
    },
    /// Goods picked from the catalogue that the channel shows.
    Basket(Basket),
    /// A form that was filled in within the chat.
    Form {
        name: Option<String>,
        answers: Vec<Answer>,
    },
    /// The news of a payment, as the provider tells it.
    Payment(PaymentNews),
    /// A message edited after it was sent, with its content before.
    Edited {
        before: Option<Pii>,
        now: Box<Content>,
    },
    Reaction {
        emoji: Option<String>,
    },
    /// An event around the conversation that nobody wrote.
    Notice {
        kind: String,
        detail: Option<Pii>,
    },
    Other {
        kind: String,
    },
}

impl Content {
    pub fn text(text: impl Into<Pii>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The words to be understood, if there are any.
    pub fn words(&self) -> Option<String> {
        let said = match self {
            Self::Text { text } | Self::Choice { text, .. } => Cow::from(text.reveal()),
            Self::Media(Media { caption: Some(caption), .. }) => Cow::from(caption.reveal()),
            // An address is words; coordinates are not.
            Self::Location { label: Some(label), .. } => Cow::from(label.reveal()),
            Self::Contacts { people } if !people.is_empty() => Cow::from(cards(people)),
            Self::Basket(basket) => Cow::from(basket.in_words(false)),
            Self::Form { answers, .. } => {
                let given = answers.iter().filter(|answer| answer.field != FLOW_TOKEN);
                Cow::from(lines(given))
            }
            Self::Payment(news) => Cow::from(format!("pago {}", news.in_words())),
            Self::Edited { now, .. } => return now.words(),
            _ => return None,
        };
        let read = visible(&said);
        (matches!(self, Self::Text { .. }) || !read.trim().is_empty()).then_some(read)
    }

    /// Whether somebody wrote or did this and may wait for an answer. Other content is only noted.
    pub fn is_said(&self) -> bool {
        match self {
            Self::Edited { now, .. } => now.is_said(),
            content => !matches!(content, Self::Reaction { .. } | Self::Notice { .. }),
        }
    }

    /// Whether the customer wrote this: news from the provider about them opens no window, and
    /// breaks no silence.
    pub fn is_written(&self) -> bool {
        self.is_said() && !matches!(self, Self::Payment(_))
    }

    /// The goods that were picked from a catalogue.
    pub fn basket(&self) -> Option<&Basket> {
        match self {
            Self::Basket(basket) => Some(basket),
            Self::Edited { now, .. } => now.basket(),
            _ => None,
        }
    }

    /// The file that came with the message.
    pub fn file(&self) -> Option<&Media> {
        match self {
            Self::Media(file) => Some(file),
            Self::Edited { now, .. } => now.file(),
            _ => None,
        }
    }

    /// The words from before each edit, as the record may show them, the latest first.
    pub fn before_edits(&self) -> Vec<&str> {
        let Self::Edited { before: Some(before), .. } = self else { return Vec::new() };
        let mut shown = vec![before.reveal().as_str()];
        while let Some((_, earlier)) = shown
            .last()
            .and_then(|last| last.strip_suffix(']'))
            .and_then(|last| last.split_once(EDITED_BEFORE))
        {
            shown.push(earlier);
        }
        shown
    }

    /// The content as the record shows it, whole and as it was written: its words, or its kind in
    /// brackets.
    pub fn in_words(&self) -> String {
        match self {
            Self::Text { text } => text.reveal().clone(),
            Self::Choice { text, payload } => match payload {
                Some(payload) if payload != text.reveal() => {
                    format!("{} {}", text.reveal(), bracketed("button", payload))
                }
                _ => text.reveal().clone(),
            },
            Self::Media(Media { caption: Some(caption), .. }) => caption.reveal().clone(),
            Self::Media(Media { kind, .. }) | Self::Other { kind } => bracketed(kind, ""),
            Self::Location { latitude, longitude, label, url } => {
                let mut place = format!("{latitude},{longitude}");
                for part in label.iter().chain(url) {
                    place += &format!(" {}", part.reveal());
                }
                bracketed("location", &place)
            }
            Self::Contacts { people } => bracketed("contacts", &cards(people)),
            Self::Basket(basket) => bracketed("order", &basket.in_words(true)),
            Self::Form { name, answers } => {
                let name = name.as_deref().filter(|name| !name.is_empty());
                let kind = name.map_or("form".to_owned(), |name| format!("form {name}"));
                bracketed(&kind, &lines(answers.iter()))
            }
            Self::Payment(news) => bracketed("payment", &news.in_words()),
            Self::Edited { before, now } => {
                let now = now.in_words();
                match before {
                    Some(before) => format!("{now}{EDITED_BEFORE}{}]", before.reveal()),
                    None => format!("{now} {}", bracketed("edited", "")),
                }
            }
            Self::Reaction { emoji } => {
                bracketed("reaction", emoji.as_deref().unwrap_or("removed"))
            }
            Self::Notice { kind, detail } => {
                bracketed(kind, detail.as_ref().map_or("", |detail| detail.reveal()))
            }
        }
    }
}

fn bracketed(kind: &str, detail: &str) -> String {
    match detail {
        "" => format!("[{kind}]"),
        detail => format!("[{kind} {detail}]"),
    }
}

fn lines<'a>(answers: impl Iterator<Item = &'a Answer>) -> String {
    let line = |answer: &Answer| format!("{}: {}", answer.field, answer.value.reveal());
    answers.map(line).collect::<Vec<_>>().join("\n")
}

fn cards(people: &[Card]) -> String {
    people.iter().map(Card::in_words).collect::<Vec<_>>().join("; ")
}

/// A contact that a customer passes on from their address book.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub name: Option<Pii>,
    pub phones: Vec<Pii>,
    /// Mail, addresses, companies, pages, in the card's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Pii>,
}

impl Card {
    fn in_words(&self) -> String {
        let parts = self.name.iter().chain(&self.phones).chain(&self.details);
        parts.map(|part| part.reveal().as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// A file a customer sent, as far as it is known before it is fetched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Media {
    /// `image`, `audio`, `voice`, `video`, `sticker` or `document`.
    pub kind: String,
    /// The id under which the provider serves the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where the file is, if the provider says so at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Pii>,
    pub caption: Option<Pii>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// SHA-256 of the file, in Base64 as the provider writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<Pii>,
}

/// The goods a customer picked from a catalogue, with the prices they were shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Basket {
    pub catalog: Option<String>,
    pub items: Vec<Picked>,
    /// The customer's words beside the goods.
    pub note: Option<Pii>,
}

impl Basket {
    /// The basket in words. Prices are only for a person, because the prices in a message are the
    /// customer's claim and not the shop's.
    fn in_words(&self, with_prices: bool) -> String {
        let item = |item: &Picked| {
            let mut line = format!("{} x {}", item.quantity, item.sku);
            if let Some(price) = item.price.as_ref().filter(|_| with_prices) {
                let currency = item.currency.as_deref().unwrap_or_default();
                line += format!(" at {price} {currency}").trim_end();
            }
            line
        };
        let mut parts: Vec<_> = self.items.iter().map(item).collect();
        if let Some(catalog) = self.catalog.as_ref().filter(|_| with_prices) {
            parts.push(format!("catalog {catalog}"));
        }
        parts.extend(self.note.as_ref().map(|note| note.reveal().clone()));
        parts.retain(|part| !part.is_empty());
        parts.join(if with_prices { "; " } else { "\n" })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picked {
    pub sku: String,
    pub quantity: u32,
    /// The price of one, as the message has it: the customer's claim, which nobody computes with.
    pub price: Option<String>,
    pub currency: Option<String>,
}

/// The value entered in one field of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub field: String,
    pub value: Pii,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaymentNews {
    /// The business's name for the payment, from when it asked for the money.
    pub reference: Option<String>,
    /// The provider's name for the payment.
    pub payment: Option<String>,
    /// The provider's name for the transaction.
    pub transaction: Option<String>,
    /// The status in the provider's words.
    pub status: Option<String>,
    /// A decimal.
    pub amount: Option<String>,
    pub currency: Option<String>,
}

impl PaymentNews {
    fn in_words(&self) -> String {
        let named = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{name} {value}"))
        };
        let sum = self.amount.as_ref().map(|amount| {
            let currency = self.currency.as_deref().unwrap_or_default();
            format!("{amount} {currency}").trim_end().to_owned()
        });
        let parts = [
            self.reference.clone(),
            self.status.clone(),
            sum,
            named("payment", &self.payment),
            named("transaction", &self.transaction),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn whatever_comes_has_words_on_the_record_and_for_the_agent_where_it_says_something() {
        let photo = |caption: Option<&str>| {
            let (kind, caption) = ("image".to_owned(), caption.map(Pii::from));
            Content::Media(Media { kind, caption, ..Media::default() })
        };
        let place = |label: Option<&str>| {
            let label = label.map(Pii::from);
            let url = label.as_ref().map(|_| Pii::from("https://m.example"));
            Content::Location { latitude: -34.6, longitude: -58.4, label, url }
        };
        let card = |name: Option<&str>, phones: &[&str], details: &[&str]| Card {
            name: name.map(Pii::from),
            phones: phones.iter().map(|phone| Pii::from(*phone)).collect(),
            details: details.iter().map(|detail| Pii::from(*detail)).collect(),
        };
        let cards = vec![
            card(Some("Luis Paz"), &["+57 1", "+57 2"], &["luis@x.co"]),
            card(None, &["+57 3"], &[]),
        ];
        let choice = |payload: Option<&str>| Content::Choice {
            text: "Sí".into(),
            payload: payload.map(str::to_owned),
        };
        let picked = |sku: &str, quantity: u32, price: Option<&str>| Picked {
            sku: sku.to_owned(),
            quantity,
            price: price.map(str::to_owned),
            currency: text("ARS"),
        };
        let basket = Basket {
            catalog: text("77"),
            items: vec![picked("coca-500", 2, Some("1700.50")), picked("pan", 1, None)],
            note: Some("para hoy".into()),
        };
        let answer =
            |field: &str, value: &str| Answer { field: field.to_owned(), value: value.into() };
        let answers =
            vec![answer("flow_token", "f1"), answer("nombre", "Ana Paz"), answer("talla", "M")];
        let news = PaymentNews {
            reference: text("pedido-7"),
            payment: text("p1"),
            transaction: text("t9"),
            status: text("captured"),
            amount: text("125.00"),
            currency: text("BRL"),
        };
        let edited = |before: Option<&str>, now: Content| Content::Edited {
            before: before.map(Pii::from),
            now: Box::new(now),
        };
        let notice = |kind: &str, detail: Option<&str>| Content::Notice {
            kind: kind.to_owned(),
            detail: detail.map(Pii::from),
        };
        for (content, record, words) in [
            (Content::text("ho\u{200b}la"), "ho\u{200b}la", text("hola")),
            (Content::text(""), "", text("")),
            (choice(None), "Sí", text("Sí")),
            (choice(Some("Sí")), "Sí", text("Sí")),
            (choice(Some("yes-1")), "Sí [button yes-1]", text("Sí")),
            (photo(None), "[image]", None),
            (photo(Some("mi casa")), "mi casa", text("mi casa")),
            (place(None), "[location -34.6,-58.4]", None),
            (
                place(Some("Mitre 450")),
                "[location -34.6,-58.4 Mitre 450 https://m.example]",
                text("Mitre 450"),
            ),
            (
                Content::Contacts { people: cards },
                "[contacts Luis Paz +57 1 +57 2 luis@x.co; +57 3]",
                text("Luis Paz +57 1 +57 2 luis@x.co; +57 3"),
            ),
            (Content::Contacts { people: Vec::new() }, "[contacts]", None),
            (
                Content::Basket(basket.clone()),
                "[order 2 x coca-500 at 1700.50 ARS; 1 x pan; catalog 77; para hoy]",
                text("2 x coca-500\n1 x pan\npara hoy"),
            ),
            (Content::Basket(Basket::default()), "[order]", None),
            (
                Content::Form { name: text("flow"), answers },
                "[form flow flow_token: f1\nnombre: Ana Paz\ntalla: M]",
                text("nombre: Ana Paz\ntalla: M"),
            ),
            (Content::Form { name: None, answers: Vec::new() }, "[form]", None),
            (
                Content::Payment(news),
                "[payment pedido-7, captured, 125.00 BRL, payment p1, transaction t9]",
                text("pago pedido-7, captured, 125.00 BRL, payment p1, transaction t9"),
            ),
            (
                edited(Some("2 leches"), Content::text("3 leches")),
                "3 leches [edited before: 2 leches]",
                text("3 leches"),
            ),
            (edited(None, Content::text("hola")), "hola [edited]", text("hola")),
            (Content::Reaction { emoji: text("❤️") }, "[reaction ❤️]", None),
            (Content::Reaction { emoji: None }, "[reaction removed]", None),
            (notice("number_changed", Some("549")), "[number_changed 549]", None),
            (notice("unsupported", None), "[unsupported]", None),
            (Content::Other { kind: "poll".to_owned() }, "[poll]", None),
        ] {
            assert_eq!(content.in_words(), record);
            assert_eq!(content.words(), words, "{record}");
            let stored = serde_json::to_value(&content).unwrap();
            assert_eq!(serde_json::from_value::<Content>(stored).unwrap(), content);
        }
        assert!(edited(None, Content::Basket(basket)).basket().is_some());
        assert!(edited(None, photo(None)).file().is_some());
    }

    #[test]
    fn an_edited_message_tells_all_that_it_was_on_record_as() {
        let edit = |before: Content, now: &str| {
            let (before, now) = (Some(before.in_words().into()), Box::new(Content::text(now)));
            Content::Edited { before, now }
        };
        let once = edit(Content::text("1 [a]"), "2");
        let thrice = edit(edit(once.clone(), "3"), "4");
        assert_eq!(once.before_edits(), ["1 [a]"]);
        let all =
            ["3 [edited before: 2 [edited before: 1 [a]]]", "2 [edited before: 1 [a]]", "1 [a]"];
        assert_eq!(thrice.before_edits(), all);
        assert_eq!(Content::text("2 [edited before: 1]").before_edits(), Vec::<&str>::new());
    }

    #[test]
    fn what_nobody_said_is_noted_and_what_nobody_wrote_opens_no_window() {
        let notice = Content::Notice { kind: "system".to_owned(), detail: None };
        let payment = Content::Payment(PaymentNews::default());
        for (content, said, written) in [
            (Content::text("hola"), true, true),
            (Content::Other { kind: "unreadable".to_owned() }, true, true),
            (payment, true, false),
            (Content::Reaction { emoji: None }, false, false),
            (Content::Edited { before: None, now: Box::new(notice.clone()) }, false, false),
            (notice, false, false),
        ] {
            assert_eq!((content.is_said(), content.is_written()), (said, written), "{content:?}");
        }
    }
}
