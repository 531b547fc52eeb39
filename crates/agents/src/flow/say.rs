//! Puts templates into the reply: none twice in a session, with values of the engine alone. A text that
//! asks for a yes is kept with what it proposes.

use domain::{Approved, ModelMessage, ModelRequest, Priority, Proposal, ReplyOption, StopReason};
use pack::program::Summary;
use regex::Regex;
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use std::sync::LazyLock;

use super::act::fill_in;
use super::facts::{plain, values};
use super::models::note_answer;
use super::plan::{Decided, Effect};
use super::turn::{Cause, Turn};
use crate::Reply;
use crate::model::{ask, strays};

/// Numbers, with what belongs to them, and links: what a paraphrase must leave as it is.
static VALUES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"https?://\S+|www\.\S+|\S+@\S+|[$#+]?\d[\d.,:/-]*\d|\d")
        .expect("a constant pattern")
});

/// Says a template, or what stands for it if the session has had it. A summary that cannot be
/// proposed now is not said.
pub(super) fn say(turn: &mut Turn<'_>, template: &str) -> Decided<bool> {
    if turn.plan.templates().any(|said| plain(said) == template) {
        return Ok(true);
    }
    if let Some(summary) = turn.spec.summary(template) {
        let shown = summarise(turn, summary, Map::new())?;
        if let Err(reason) = &shown {
            turn.notes.other.push(format!("{template}: {reason}"));
        }
        return Ok(shown.is_ok());
    }
    repeat(turn, template)?;
    Ok(true)
}

/// Shows what a call would come to and asks for the customer's yes to it.
pub(super) fn summarise(
    turn: &mut Turn<'_>,
    summary: &Summary,
    input: Map<String, Value>,
) -> Decided<Result<(), String>> {
    // A customer who has just said yes is asked for no other: they would take it for the same.
    if turn.has_used_consent() {
        return Ok(Err("the customer's yes was acted on in this very turn".to_owned()));
    }
    let input = match proposed(turn, summary, input) {
        Ok(input) => input,
        Err(reason) => return Ok(Err(reason)),
    };
    let proposal = match turn.propose(&summary.proposes, Value::Object(input))? {
        Ok(proposal) => *proposal,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let template = &summary.template;
    let total = proposal.terms.total;
    let before = turn.state.session.proposal.replace(proposal);
    Ok(match shown(turn, template, total) {
        Ok(text) => {
            let approved = approved(turn, template, &values(turn, template));
            if let Some(proposal) = &mut turn.state.session.proposal {
                proposal.said = text.as_str().into();
                let Proposal { tool, terms, .. } = proposal;
                let total = terms.total.map(|total| total.to_string()).unwrap_or_default();
                turn.notes.other.push(format!("proposes {tool}: {total} {}", terms.digest));
            }
            send(turn, text, approved, template.clone());
            Ok(())
        }
        Err(reason) => {
            turn.state.session.proposal = before;
            Err(reason)
        }
    })
}

/// The input of the call that a summary proposes.
fn proposed(
    turn: &Turn<'_>,
    summary: &Summary,
    mut input: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    for (name, value) in &summary.with {
        match value.value(turn)? {
            Value::Null => {}
            value => {
                input.insert(name.clone(), value);
            }
        }
    }
    fill_in(turn, &summary.proposes, &mut input)?;
    Ok(input)
}

/// The words of a summary; one that does not say its total asks for a yes to something unseen.
fn shown(turn: &Turn<'_>, template: &str, total: Option<Decimal>) -> Result<String, String> {
    let before = turn.sent().filter(|sent| plain(sent) == template).count();
    let text = turn.spec.pack().templates.render(template, before, &values(turn, template));
    let text = text.map_err(|error| error.to_string())?;
    match total {
        Some(total) if !says(&text, total) => Err(format!("it does not say its total, {total}")),
        _ => Ok(text),
    }
}

/// Whether an amount stands in a text, however its thousands are marked.
fn says(text: &str, amount: Decimal) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let amount = amount.normalize();
    let wanted = digits(&amount.to_string());
    VALUES.find_iter(text).any(|found| digits(found.as_str()).trim_start_matches('0') == wanted)
}

/// Says a template that is no summary, or what stands for it if the session has had it.
fn repeat(turn: &mut Turn<'_>, template: &str) -> Decided<()> {
    let texts = &turn.spec.pack().templates;
    let before = turn.sent().filter(|sent| plain(sent) == template).count();
    let whole = before == 0 || texts.repeats(template);
    let all = values(turn, template);
    if whole || before < texts.wordings(template) {
        // An approved template stands for the text itself, never for what takes its place.
        match texts.render(template, before, &all) {
            Ok(text) => {
                let approved = approved(turn, template, &all);
                send(turn, text, approved, template.to_owned());
            }
            Err(error) => turn.notes.other.push(error.to_string()),
        }
        return Ok(());
    }
    let backup = before - texts.wordings(template).max(1);
    if backup < texts.backups(template) {
        if let Ok(text) = texts.render_backup(template, backup, &all) {
            send(turn, text, None, format!("{template}#respaldo{}", backup + 1));
        }
        return Ok(());
    }
    let text = texts.render(template, 0, &all).unwrap_or_default();
    match paraphrase(turn, &text)? {
        Some(text) => send(turn, text, None, format!("{template}#parafrasis")),
        None => refer(turn, template, &all),
    }
    Ok(())
}

/// Says one of the flow's own messages, whose wordings take turns for ever.
pub(super) fn say_message(turn: &mut Turn<'_>, template: &str, more: Map<String, Value>) {
    say_with_options(turn, template, more, Vec::new());
}

/// The text of one of the flow's own messages, if it has anything to say.
fn message(turn: &mut Turn<'_>, template: &str, more: Map<String, Value>) -> Option<String> {
    let before = turn.sent().filter(|sent| plain(sent) == template).count();
    let mut all = values(turn, template);
    all.extend(more);
    match turn.spec.pack().templates.render(template, before, &all) {
        Ok(text) => (!text.trim().is_empty()).then_some(text),
        Err(error) => {
            turn.notes.other.push(error.to_string());
            None
        }
    }
}

/// Says one of the flow's own messages with what the customer may pick in answer.
pub(super) fn say_with_options(
    turn: &mut Turn<'_>,
    template: &str,
    more: Map<String, Value>,
    options: Vec<ReplyOption>,
) {
    if let Some(text) = message(turn, template, more) {
        put(turn, text, None, options, vec![template.to_owned()]);
    }
}

/// Says words that are no template.
pub(super) fn say_words(turn: &mut Turn<'_>, text: String) {
    put(turn, text, None, Vec::new(), Vec::new());
}

/// Says words that were made of these templates.
pub(super) fn say_made_of(turn: &mut Turn<'_>, text: String, templates: Vec<String>) {
    put(turn, text, None, Vec::new(), templates);
}

fn send(turn: &mut Turn<'_>, text: String, approved: Option<Approved>, sent: String) {
    if text.trim().is_empty() {
        turn.notes.other.push(format!("{sent} says nothing"));
        return;
    }
    put(turn, text, approved, Vec::new(), vec![sent]);
}

fn put(
    turn: &mut Turn<'_>,
    text: String,
    approved: Option<Approved>,
    options: Vec<ReplyOption>,
    templates: Vec<String>,
) {
    let priority = match turn.given.cause {
        // Nobody has asked for it just now.
        Cause::Timer(_) | Cause::Deadline => Priority::Proactive,
        _ => Priority::Reply,
    };
    let reply = Reply { text: text.into(), priority, approved, options };
    turn.will(Effect::Say { reply, templates });
}

fn approved(turn: &Turn<'_>, template: &str, values: &Map<String, Value>) -> Option<Approved> {
    let approved = turn.spec.pack().templates.approved(template, values)?.ok()?;
    Some(Approved { name: approved.name, language: approved.language, values: approved.values })
}

/// A short word on what was already said.
fn refer(turn: &mut Turn<'_>, template: &str, all: &Map<String, Value>) {
    let short = turn.spec.pack().templates.short(template, all).and_then(Result::ok);
    let reference = turn.spec.flow.messages.reference.clone();
    let before = turn.sent().filter(|sent| sent.ends_with("#referencia")).count();
    let mut all = all.clone();
    all.insert("texto".to_owned(), short.unwrap_or_default().into());
    match turn.spec.pack().templates.render(&reference, before, &all) {
        Ok(text) => send(turn, text.trim().to_owned(), None, format!("{template}#referencia")),
        Err(error) => turn.notes.other.push(error.to_string()),
    }
}

/// The same in other words: the values are hidden from the model and put back by the engine.
fn paraphrase(turn: &mut Turn<'_>, text: &str) -> Decided<Option<String>> {
    let spec = turn.spec;
    let writer = spec.pack().manifest.models.writer.as_ref();
    let Some(component) = writer.filter(|_| turn.given.served.writer && turn.models.away.is_none())
    else {
        return Ok(None);
    };
    let (masked, hidden) = mask(text);
    let prompt = spec.pack().prompt("writer", &Map::new());
    let system = match prompt {
        Some(Ok(prompt)) => prompt,
        _ => spec.pack().frames.writer(),
    };
    let rule = spec.pack().frames.writer_rule();
    let request = ModelRequest {
        system: format!("{system}\n\n{rule}").into(),
        messages: vec![ModelMessage::user(masked.clone())],
        ..ModelRequest::default()
    };
    let ask = ask(spec.pack(), "writer", component, request);
    let answer = turn.ask(ask.clone())?;
    let reply = note_answer(turn, &ask, answer);
    let Some(reply) = reply.filter(|reply| reply.stop == StopReason::End) else { return Ok(None) };
    let said = reply.text();
    let said = said.trim();
    let extractor = &spec.fields.extractor;
    let faithful = strays(&spec.vocabulary, extractor, &masked, said).is_none();
    let unmasked = unmask(said, &hidden).filter(|_| faithful);
    if unmasked.is_none() {
        turn.notes.refused.push("paraphrase".to_owned());
    }
    Ok(unmasked.filter(|said| said != text))
}

/// The text with its values hidden behind marks.
fn mask(text: &str) -> (String, Vec<String>) {
    let mut hidden = Vec::new();
    let masked = VALUES.replace_all(text, |found: &regex::Captures<'_>| {
        hidden.push(found[0].to_owned());
        format!("⟦{}⟧", hidden.len())
    });
    (masked.into_owned(), hidden)
}

/// The text with its values back, if each mark is there once and no other number is.
fn unmask(text: &str, hidden: &[String]) -> Option<String> {
    let mut bare = text.to_owned();
    let mut whole = text.to_owned();
    for (at, value) in hidden.iter().enumerate() {
        let mark = format!("⟦{}⟧", at + 1);
        if text.matches(&mark).count() != 1 {
            return None;
        }
        bare = bare.replace(&mark, "");
        whole = whole.replace(&mark, value);
    }
    let clean = !bare.contains(['⟦', '⟧']) && !VALUES.is_match(&bare);
    (clean && !text.is_empty()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hidden_and_come_back_as_they_were() {
        let text = "2 frascos por $109.900, envío gratis. Mira https://somnio.co/x?a=1";
        let (masked, hidden) = mask(text);
        assert_eq!(masked, "⟦1⟧ frascos por ⟦2⟧, envío gratis. Mira ⟦3⟧");
        assert_eq!(unmask(&masked, &hidden).unwrap(), text);
        let refused = [
            "⟦1⟧ frascos por ⟦2⟧",
            "⟦1⟧ ⟦2⟧ ⟦3⟧ ⟦3⟧",
            "⟦1⟧ ⟦2⟧ ⟦3⟧ y 5 más",
            "⟦1⟧ ⟦2⟧ ⟦3⟧ ⟦4⟧",
            "",
        ];
        for said in refused {
            assert_eq!(unmask(said, &hidden), None, "{said}");
        }
    }
}
