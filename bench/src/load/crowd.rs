//! Customers who write one message each, all of them new.

use std::sync::Arc;

use super::book::Book;
use super::courier::Mail;
use crate::infobip::Message;

pub(crate) struct Crowd {
    pub(crate) channel: &'static str,
    /// Tells its numbers from those of other crowds.
    pub(crate) series: u32,
    pub(crate) text: &'static str,
    pub(crate) book: Arc<Book>,
}

impl Crowd {
    /// How the numbers of a series begin.
    pub(crate) fn beginning(series: u32) -> String {
        format!("57{series:02}")
    }

    /// A customer's place in the crowd, by their number.
    pub(crate) fn place(from: &str) -> u32 {
        from[4..].parse().unwrap_or(0)
    }
}

pub(crate) fn number(series: u32, place: u32) -> String {
    format!("{}{place:07}", Crowd::beginning(series))
}

impl Mail for Crowd {
    fn letter(&self, place: u32) -> Vec<u8> {
        let Self { channel, series, text, book } = self;
        let from = number(*series, place);
        book.writes(&from);
        let (id, name) = (format!("{channel}-{from}"), format!("Cliente {place}"));
        Message { channel, from: &from, id: &id, name: &name, text }.request()
    }
}
