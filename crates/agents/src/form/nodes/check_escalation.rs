//! `check_escalation`: whether a person should take over; policies in their order, the first wins.

use domain::Tier;
use nlu::Sentiment;
use pack::files::SentimentLevel;
use serde_json::Map;

use crate::Context;
use crate::form::memory::Escalated;
use crate::form::state::{Cause, GraphState};
use crate::model::{Question, judge};

pub(crate) async fn check_escalation(state: &mut GraphState<'_>, context: &mut dyn Context) {
    let mut reason = accepted_offer(state)
        .or_else(|| keyword(state))
        .or_else(|| timeout(state))
        .or_else(|| sentiment(state));
    if reason.is_none() {
        reason = llm_intent(state, context).await;
    }
    let reason = reason.or_else(|| completion(state));
    state.should_escalate = reason.is_some();
    state.escalation_reason = reason;
}

fn escalated(policy: &str, reason: impl Into<String>) -> Option<Escalated> {
    Some(Escalated { policy: policy.to_owned(), reason: reason.into() })
}

/// A yes to the person that was offered after too many attempts counts as asking for one.
fn accepted_offer(state: &mut GraphState<'_>) -> Option<Escalated> {
    let heard = state.heard()?;
    let field = state.conversation.talk.offered_person.take()?;
    if !heard.is_yes() {
        return None;
    }
    state.metadata.by_rule("escalacion");
    escalated("keyword", format!("accepted a person after failing to give `{field}`"))
}

fn keyword(state: &mut GraphState<'_>) -> Option<Escalated> {
    if !state.spec.form.escalation.keyword.enabled {
        return None;
    }
    let rule = state.heard()?.hits.first("escalation")?.rule;
    state.metadata.by_rule("escalacion");
    state.metadata.rules.push(format!("escalation: {rule}"));
    escalated("keyword", format!("the customer asked for a person ({rule})"))
}

fn timeout(state: &mut GraphState<'_>) -> Option<Escalated> {
    let policy = state.spec.form.escalation.timeout;
    let since = state.conversation.talk.since?;
    let over = state.now.since_ms(since) >= policy.after.ms();
    if !policy.enabled || !over || state.all_fields_collected() {
        return None;
    }
    state.metadata.by_rule("escalacion");
    escalated("timeout", format!("the form is not complete after {}", policy.after))
}

fn sentiment(state: &mut GraphState<'_>) -> Option<Escalated> {
    let policy = state.spec.form.escalation.sentiment;
    let sentiment = state.heard()?.signals.sentiment;
    let unhappy = match policy.level {
        SentimentLevel::Negative => {
            matches!(sentiment, Sentiment::Negative | Sentiment::Frustrated)
        }
        SentimentLevel::Frustrated => sentiment == Sentiment::Frustrated,
    };
    // A customer who gives what was asked for, swearing or not, goes on.
    if !policy.enabled || !unhappy || !state.readings.is_empty() {
        return None;
    }
    state.conversation.talk.unhappy += 1;
    let times = state.conversation.talk.unhappy;
    if times < policy.times {
        return None;
    }
    state.metadata.by_rule("queja");
    let how = if sentiment == Sentiment::Frustrated { "frustrated" } else { "unhappy" };
    escalated("sentiment", format!("the customer sounds {how}"))
}

/// Asks a model, where the pack wants it and one is configured.
async fn llm_intent(state: &mut GraphState<'_>, context: &mut dyn Context) -> Option<Escalated> {
    let heard = state.heard()?;
    // A plain answer is no wish for a person, and not worth a model's while.
    if !state.spec.form.escalation.llm_intent.enabled || !state.readings.is_empty() {
        return None;
    }
    let question = Question {
        prompt: "llm_intent".to_owned(),
        values: Map::from_iter([("mensaje".to_owned(), heard.text.original().into())]),
        choices: vec!["persona".to_owned(), "seguir".to_owned()],
    };
    let judgement = judge(&state.spec.pack, context, &question).await?;
    if judgement.answer != "persona" {
        return None;
    }
    state.metadata.understood("escalacion", judgement.confidence, Tier::Model);
    escalated("llm_intent", "a model reads the message as a wish for a person")
}

/// The customer writes on although everything is collected.
fn completion(state: &mut GraphState<'_>) -> Option<Escalated> {
    let policy = state.spec.form.escalation.completion;
    let writes_on = matches!(state.cause, Cause::Message(_) | Cause::Unreadable);
    if !policy.enabled || !writes_on || !state.conversation.talk.completed {
        return None;
    }
    escalated("completion", "everything is collected and the customer writes on")
}
