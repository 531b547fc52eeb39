//! The model's lines: the recorded calls of a task, dealt out to messages and answers.

use std::slice::Chunks;

use super::task::{Call, Task};

/// Answers with calls that one message gets; a turn of the flow has room for one more, in words.
const ANSWERS: usize = 3;

/// The model's last words to a message.
pub(super) const WORDS: &str = "Gracias por escribirnos.";

/// The customer's message, which names the task's place and which of its messages this is.
pub(super) fn message(place: usize, part: usize) -> String {
    format!("tarea {place} parte {part}")
}

/// The place and the part that a text names.
pub(super) fn named(text: &str) -> Option<(usize, usize)> {
    let rest = text.split("tarea ").nth(1)?;
    let (place, rest) = rest.split_once(" parte ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((place.parse().ok()?, rest[..digits].parse().ok()?))
}

/// A task as a conversation.
pub(super) struct Script<'t> {
    calls: &'t [Call],
    /// How many calls the model makes in one answer: tasks differ in it.
    at_once: usize,
}

impl<'t> Script<'t> {
    pub(super) fn of(place: usize, task: &'t Task) -> Self {
        Self { calls: &task.calls, at_once: 1 + place % 3 }
    }

    fn answers(&self) -> Chunks<'t, Call> {
        self.calls.chunks(self.at_once)
    }

    /// How many messages the customer writes: at least one.
    pub(super) fn messages(&self) -> usize {
        self.answers().len().div_ceil(ANSWERS).max(1)
    }

    /// The calls of an answer; none once all are made that belong to the message.
    pub(super) fn answer(&self, part: usize, number: usize) -> Option<&'t [Call]> {
        let here = number < ANSWERS;
        self.answers().nth(part * ANSWERS + number).filter(|_| here)
    }

    /// How many answers come before this one in the whole conversation.
    pub(super) fn before(&self, part: usize, number: usize) -> usize {
        // Every message before it was full, and ended in words.
        part * (ANSWERS + 1) + number
    }

    /// All answers, the words among them.
    pub(super) fn total(&self) -> usize {
        self.answers().len() + self.messages()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_its_task_and_part_wherever_it_stands() {
        assert_eq!(named(&format!("<m>{}</m>", message(12, 3))), Some((12, 3)));
        assert_eq!(named("tarea x parte 1"), None);
        assert_eq!(named("hola"), None);
    }
}
