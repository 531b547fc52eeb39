//! Puts templates into the reply: none twice in a session, with values of the engine alone. What
//! asks for a yes is kept with what it proposes.

use domain::{Approved, ModelMessage, ModelRequest, Proposal, ReplyOption, StopReason};
use pack::files::Summary;
use regex::Regex;
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use std::sync::LazyLock;

use super::act::fill_in;
use super::facts::{plain, values};
use super::models::ask_model;
use super::state::{Bubble, FlowState};
use crate::model::{ask, served, strays};

/// Numbers, with what belongs to them, and links: what a paraphrase must leave as it is.
static VALUES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"https?://\S+|www\.\S+|\S+@\S+|[$#+]?\d[\d.,:/-]*\d|\d")
        .expect("a constant pattern")
});

/// Sends a template, or what stands for it if the session has had it. A summary that cannot be
/// proposed now is not sent.
pub(super) async fn say(state: &mut FlowState<'_>, template: &str) -> bool {
    if state.notes.templates.iter().any(|said| plain(said) == template) {
        return true;
    }
    if let Some(summary) = state.spec.summary(template) {
        let shown = summarise(state, summary, Map::new()).await;
        if let Err(reason) = &shown {
            state.notes.other.push(format!("{template}: {reason}"));
        }
        return shown.is_ok();
    }
    repeat(state, template).await;
    true
}

/// Shows what a call would come to and asks for the customer's yes to it.
pub(super) async fn summarise(
    state: &mut FlowState<'_>,
    summary: &Summary,
    mut input: Map<String, Value>,
) -> Result<(), String> {
    // A customer who has just said yes is asked for no other: they would take it for the same.
    if state.has_used_consent() {
        return Err("the customer's yes was acted on in this very turn".to_owned());
    }
    let Summary { template, proposes, with, .. } = summary;
    for (name, text) in with {
        match state.spec.value(text, &*state)? {
            Value::Null => {}
            value => {
                input.insert(name.clone(), value);
            }
        }
    }
    fill_in(state, proposes, &mut input)?;
    let proposal = state.context.propose(proposes, Value::Object(input)).await;
    let proposal = proposal.map_err(|error| error.to_string())?;
    let total = proposal.terms.total;
    let before = state.session.proposal.replace(proposal);
    match shown(state, template, total) {
        Ok(text) => {
            let approved = approved(state, template, &values(state, template));
            if let Some(proposal) = &mut state.session.proposal {
                proposal.said = text.as_str().into();
                let Proposal { tool, terms, .. } = proposal;
                let total = terms.total.map(|total| total.to_string()).unwrap_or_default();
                state.notes.other.push(format!("proposes {tool}: {total} {}", terms.digest));
            }
            send(state, text, approved, template.clone());
            Ok(())
        }
        Err(reason) => {
            state.session.proposal = before;
            Err(reason)
        }
    }
}

/// The words of a summary; one that does not say its total asks for a yes to something unseen.
fn shown(state: &FlowState<'_>, template: &str, total: Option<Decimal>) -> Result<String, String> {
    let before =
        state.session.templates_enviados.iter().filter(|sent| plain(sent) == template).count();
    let text = state.spec.pack().templates.render(template, before, &values(state, template));
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

/// Sends a template that is no summary, or what stands for it if the session has had it.
async fn repeat(state: &mut FlowState<'_>, template: &str) {
    let texts = &state.spec.pack().templates;
    let before =
        state.session.templates_enviados.iter().filter(|sent| plain(sent) == template).count();
    let whole = before == 0 || texts.repeats(template);
    let all = values(state, template);
    if whole || before < texts.wordings(template) {
        // What goes out as approved is the text itself, never what stands for it.
        match texts.render(template, before, &all) {
            Ok(text) => {
                let approved = approved(state, template, &all);
                send(state, text, approved, template.to_owned());
            }
            Err(error) => state.notes.other.push(error.to_string()),
        }
        return;
    }
    let backup = before - texts.wordings(template).max(1);
    if backup < texts.backups(template) {
        if let Ok(text) = texts.render_backup(template, backup, &all) {
            send(state, text, None, format!("{template}#respaldo{}", backup + 1));
        }
        return;
    }
    let text = texts.render(template, 0, &all).unwrap_or_default();
    match paraphrase(state, &text).await {
        Some(text) => send(state, text, None, format!("{template}#parafrasis")),
        None => refer(state, template, &all),
    }
}

/// Sends one of the flow's own messages, whose wordings take turns for ever.
pub(super) fn say_message(state: &mut FlowState<'_>, template: &str, more: Map<String, Value>) {
    let before =
        state.session.templates_enviados.iter().filter(|sent| plain(sent) == template).count();
    let mut all = values(state, template);
    all.extend(more);
    match state.spec.pack().templates.render(template, before, &all) {
        Ok(text) if text.trim().is_empty() => {}
        Ok(text) => send(state, text, None, template.to_owned()),
        Err(error) => state.notes.other.push(error.to_string()),
    }
}

/// Sends one of the flow's own messages with what the customer may pick in answer.
pub(super) fn say_with_options(
    state: &mut FlowState<'_>,
    template: &str,
    more: Map<String, Value>,
    options: Vec<ReplyOption>,
) {
    let before = state.replies.len();
    say_message(state, template, more);
    if let Some(bubble) = state.replies.get_mut(before) {
        bubble.options = options;
    }
}

/// Sends words that are no template.
pub(super) fn send_words(state: &mut FlowState<'_>, text: String) {
    state.replies.push(Bubble { text, template: None, approved: None, options: Vec::new() });
}

fn send(state: &mut FlowState<'_>, text: String, approved: Option<Approved>, sent: String) {
    if text.trim().is_empty() {
        state.notes.other.push(format!("{sent} says nothing"));
        return;
    }
    let template = Some(sent.clone());
    state.replies.push(Bubble { text, template, approved, options: Vec::new() });
    state.session.templates_enviados.push(sent.clone());
    state.notes.templates.push(sent);
}

fn approved(
    state: &FlowState<'_>,
    template: &str,
    values: &Map<String, Value>,
) -> Option<Approved> {
    let approved = state.spec.pack().templates.approved(template, values)?.ok()?;
    Some(Approved { name: approved.name, language: approved.language, values: approved.values })
}

/// A short word on what was already said.
fn refer(state: &mut FlowState<'_>, template: &str, all: &Map<String, Value>) {
    let short = state.spec.pack().templates.short(template, all).and_then(Result::ok);
    let reference = state.spec.flow.messages.reference.clone();
    let before = state
        .session
        .templates_enviados
        .iter()
        .filter(|sent| sent.ends_with("#referencia"))
        .count();
    let mut all = all.clone();
    all.insert("texto".to_owned(), short.unwrap_or_default().into());
    match state.spec.pack().templates.render(&reference, before, &all) {
        Ok(text) => send(state, text.trim().to_owned(), None, format!("{template}#referencia")),
        Err(error) => state.notes.other.push(error.to_string()),
    }
}

/// The same in other words: the values are hidden from the model and put back by the engine.
async fn paraphrase(state: &mut FlowState<'_>, text: &str) -> Option<String> {
    let spec = state.spec;
    let writer = spec.pack().manifest.models.writer.as_ref();
    let component = served(writer, &*state.context)?;
    let (masked, hidden) = mask(text);
    let prompt = spec.pack().prompt("writer", &Map::new());
    let system = match prompt {
        Some(Ok(prompt)) => prompt,
        _ => "Di lo mismo con otras palabras, en el mismo tono y más corto.".to_owned(),
    };
    let rule = "Deja cada marca ⟦n⟧ tal como está, una vez cada una. No agregues números, enlaces \
                ni promesas. Responde solo con el texto.";
    let request = ModelRequest {
        system: format!("{system}\n\n{rule}").into(),
        messages: vec![ModelMessage::user(masked.clone())],
        ..ModelRequest::default()
    };
    let ask = ask(spec.pack(), "writer", component, request);
    let reply = ask_model(state, &ask, None).await?;
    if reply.stop != StopReason::End {
        return None;
    }
    let said = reply.text();
    let said = said.trim();
    let extractor = &spec.fields.extractor;
    let faithful = strays(&spec.vocabulary, extractor, &masked, said).is_none();
    let unmasked = unmask(said, &hidden).filter(|_| faithful);
    if unmasked.is_none() {
        state.notes.refused.push("paraphrase".to_owned());
    }
    unmasked.filter(|said| said != text)
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
