//! `collect`: takes the values a message gives for the fields, through the form's door.

use pack::files::FieldKind;
use pack::program::IntentId;

use super::plan::Effect;
use super::turn::Turn;
use super::understand::asks;
use crate::form;
use crate::form::free_text::is_title;
use crate::form::heard::Heard;
use crate::{Context, FIRST_DATA, MIN_DATA};

pub(super) async fn collect(turn: &mut Turn<'_>, context: &mut dyn Context) {
    let Some(heard) = turn.heard() else { return };
    if turn.spec.fields.fields.is_empty() {
        return;
    }
    let was_missing = !turn.missing().is_empty();
    let asked = turn.mode().collects;
    let may_answer = asked && was_missing && may_be_data(turn, heard);
    let sent = turn.sent().cloned().collect();
    let message = form::Message { heard, now: turn.given.now, asked, may_answer, sent };
    let (conversation, collected) =
        form::collect(&turn.spec.fields, message, turn.conversation(), context).await;
    turn.converse(conversation);
    turn.reading.completes = was_missing && turn.missing().is_empty();
    if let Some(why) = &collected.escalated {
        turn.will(Effect::HandOff(why.handoff()));
    }
    let gave = !collected.taken.is_empty();
    turn.reading.collected = collected;
    if gave {
        turn.summary_falls();
        note_data(turn);
    }
    // A wish to correct something gives nothing yet.
    if (gave || may_answer) && turn.reading.chosen.is_empty() {
        turn.reading.ranking.gives_data();
    }
}

/// Notes when the first data came, and when the minimum was there.
pub(super) fn note_data(turn: &mut Turn<'_>) {
    turn.will(Effect::Note(FIRST_DATA.to_owned()));
    if turn.missing().is_empty() && !turn.minimum().is_empty() {
        turn.will(Effect::Note(MIN_DATA.to_owned()));
    }
}

fn asked_for_name(turn: &Turn<'_>) -> bool {
    let missing = turn.missing().first().copied();
    let mut fields = turn.spec.fields.fields.iter();
    fields.any(|field| Some(field.name.as_str()) == missing && field.kind == FieldKind::Name)
}

/// Whether a message that names no value may still be one: a name, an address.
fn may_be_data(turn: &Turn<'_>, heard: &Heard<'_>) -> bool {
    let ranking = &turn.reading.ranking;
    let sure = ranking.confidence() >= turn.spec.flow.bands.proceed;
    let other = match ranking.intent() {
        IntentId::DATA => false,
        // A place or an address is like nothing else; what is no name is none in capitals either.
        IntentId::OTHER => sure && asked_for_name(turn) && !is_title(heard.text.original()),
        _ => sure,
    };
    !other && !asks(heard) && !heard.text.words().is_empty() && !heard.is_yes()
}
