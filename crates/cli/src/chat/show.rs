//! A turn as it is shown: lines to read, or one JSON object.

use domain::{
    AskedModel, Author, Confidence, SessionStatus, Tier, Timestamp, Tokens, ToolUse, TurnTrace,
};
use serde::Serialize;
use serde_json::{Map, Value};
use store::SentLine;

/// The sender's name on an operator's lines.
pub(super) const OPERATOR: &str = "operador";

pub(super) struct Shown {
    pub(super) at: Timestamp,
    /// message, timer or operator.
    pub(super) cause: &'static str,
    pub(super) input: String,
    pub(super) sent: Vec<SentLine>,
    pub(super) mode: Option<String>,
    pub(super) status: SessionStatus,
    pub(super) fields: Map<String, Value>,
    pub(super) tools: Vec<ToolUse>,
    pub(super) trace: TurnTrace,
}

/// The object of a turn; its keys are a promise to whoever reads the pipe.
#[derive(Serialize)]
struct Turn<'t> {
    turn: u32,
    at: String,
    cause: &'static str,
    #[serde(rename = "in")]
    input: &'t str,
    out: Vec<&'t str>,
    agent: &'t str,
    mode: Option<&'t str>,
    path: Vec<&'t str>,
    intents: Vec<Intent>,
    band: Option<&'t str>,
    tier: Option<Tier>,
    tools: &'t [ToolUse],
    fields: &'t Map<String, Value>,
    templates: &'t [String],
    refused: &'t [String],
    models: &'t [AskedModel],
    thread: Option<&'t str>,
    status: &'static str,
    handoff: Option<Handoff<'t>>,
    tokens: Tokens,
    ms: f64,
}

#[derive(Serialize)]
struct Intent {
    name: String,
    confidence: Confidence,
}

#[derive(Serialize)]
struct Handoff<'t> {
    policy: Option<&'t str>,
    reason: &'t str,
}

impl<'t> Handoff<'t> {
    /// A form's reason begins with the policy that gave it.
    fn of(text: &'t str) -> Self {
        match text.split_once(": ") {
            Some((policy, reason)) => Self { policy: Some(policy), reason },
            None => Self { policy: None, reason: text },
        }
    }
}

impl Shown {
    pub(super) fn json(&self, turn: u32, agent: &str) -> String {
        let trace = &self.trace;
        let intent = |(name, confidence): &(String, Confidence)| Intent {
            name: name.clone(),
            confidence: *confidence,
        };
        let object = Turn {
            turn,
            at: self.at.to_string(),
            cause: self.cause,
            input: &self.input,
            out: self.sent.iter().map(|line| line.text.reveal().as_str()).collect(),
            agent,
            mode: self.mode.as_deref(),
            path: trace.path.iter().map(|step| step.node.as_str()).collect(),
            intents: trace.intents.iter().map(intent).collect(),
            band: trace.band.as_deref(),
            tier: trace.tier,
            tools: &self.tools,
            fields: &self.fields,
            templates: &trace.templates,
            refused: &trace.refused,
            models: &trace.asked,
            thread: trace.thread.as_deref(),
            status: self.status.as_str(),
            handoff: trace.handoff.as_deref().map(Handoff::of),
            tokens: trace.tokens,
            ms: (trace.ms * 1000.0).round() / 1000.0,
        };
        serde_json::to_string(&object).unwrap_or_default()
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.cause == "timer" {
            text += &format!("— {} —\n", self.at);
        }
        for line in &self.sent {
            let who = if line.author == Author::Operator { OPERATOR } else { "bot" };
            text += &format!("{who}: {}\n", line.text.reveal().replace('\n', "\n     "));
        }
        if self.trace.handoff.is_some() {
            text += "(from here a person attends: /operator say TEXT writes to the customer, \
                     /operator return gives the conversation back)\n";
        }
        text
    }
}

/// A trace in words, for who asks why, with the tools its turn called.
pub(super) fn why(trace: &TurnTrace, tools: &[&ToolUse]) -> String {
    let mut lines = Vec::new();
    let step = |step: &domain::PathStep| match step.us {
        0 => step.node.clone(),
        us => format!("{} ({us} µs)", step.node),
    };
    lines.push(format!("path     {}", trace.path.iter().map(step).collect::<Vec<_>>().join(" → ")));
    let tier = trace.tier.map_or("no tier", |tier| match tier {
        Tier::Rules => "rules",
        Tier::Local => "the pack's examples",
        Tier::Model => "a model",
    });
    for (place, (intent, confidence)) in trace.intents.iter().enumerate() {
        lines.push(match place {
            0 => format!("intent   {intent}, {confidence}, by {tier}"),
            _ => format!("or       {intent}, {confidence}"),
        });
    }
    lines.extend(trace.band.iter().map(|band| format!("band     {band}")));
    lines.extend(trace.asked.iter().map(asked));
    lines.extend(trace.refused.iter().map(|refused| format!("refused  {refused}")));
    let call = |tool: &&ToolUse| match tool.ok {
        true => format!("calls    {} {}", tool.name, tool.input),
        false => format!("calls    {} {}: failed, {}", tool.name, tool.input, tool.output),
    };
    lines.extend(tools.iter().map(call));
    lines.extend(trace.rules.iter().map(|rule| format!("rule     {rule}")));
    lines.extend(trace.fields.iter().map(|(name, value)| format!("field    {name} = {value}")));
    if !trace.templates.is_empty() {
        lines.push(format!("says     {}", trace.templates.join(", ")));
    }
    if let Some(signals) = &trace.signals {
        lines.push(format!("signals  {signals}"));
    }
    lines.extend(trace.notes.iter().map(|note| format!("note     {note}")));
    if let Some(handoff) = &trace.handoff {
        lines.push(format!("handoff  {handoff}"));
    }
    lines.push(format!("took     {:.2} ms", trace.ms));
    lines.join("\n")
}

fn asked(asked: &AskedModel) -> String {
    let AskedModel { component, model, outcome, tokens } = asked;
    let model = if model.is_empty() { "no model" } else { model };
    let Tokens { input, output } = tokens;
    format!("model    {component}: {model}, {outcome}, {input} tokens in, {output} out")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trace() -> TurnTrace {
        TurnTrace {
            intents: vec![
                ("precio".to_owned(), Confidence::CERTAIN),
                ("envio".to_owned(), Confidence::CERTAIN),
            ],
            band: Some("proceed".to_owned()),
            tier: Some(Tier::Model),
            templates: vec!["precios".to_owned()],
            refused: vec!["go compra_confirmada".to_owned()],
            asked: vec![
                AskedModel {
                    component: "detector".to_owned(),
                    model: "claude-haiku-4-5".to_owned(),
                    outcome: "answered".to_owned(),
                    tokens: Tokens { input: 120, output: 30 },
                },
                AskedModel {
                    component: "orchestrator".to_owned(),
                    model: String::new(),
                    outcome: "overloaded".to_owned(),
                    tokens: Tokens::default(),
                },
            ],
            tokens: Tokens { input: 120, output: 30 },
            ..TurnTrace::default()
        }
    }

    fn tool(ok: bool, output: Value) -> ToolUse {
        ToolUse { name: "crm.order.create".to_owned(), input: json!({}), ok, output }
    }

    #[test]
    fn why_tells_band_alternatives_models_refused_moves_templates_and_tools() {
        let tools = [tool(true, json!({})), tool(false, json!("no lines"))];
        let text = why(&trace(), &tools.iter().collect::<Vec<_>>());
        for line in [
            "intent   precio, 100 %, by a model",
            "or       envio, 100 %",
            "band     proceed",
            "model    detector: claude-haiku-4-5, answered, 120 tokens in, 30 out",
            "model    orchestrator: no model, overloaded, 0 tokens in, 0 out",
            "refused  go compra_confirmada",
            "calls    crm.order.create {}",
            "calls    crm.order.create {}: failed, \"no lines\"",
            "says     precios",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n---\n{text}");
        }
    }

    #[test]
    fn the_object_of_a_turn_has_them_too() {
        let shown = Shown {
            at: Timestamp::from_millis(0),
            cause: "message",
            input: "hola".to_owned(),
            sent: Vec::new(),
            mode: None,
            status: SessionStatus::Active,
            fields: Map::new(),
            tools: vec![tool(true, json!({}))],
            trace: trace(),
        };
        let object: Value = serde_json::from_str(&shown.json(1, "somnio")).unwrap();
        assert_eq!(object["band"], "proceed");
        assert_eq!(object["intents"][1]["name"], "envio");
        assert_eq!(object["refused"], json!(["go compra_confirmada"]));
        assert_eq!(object["templates"], json!(["precios"]));
        assert_eq!(object["tools"][0]["name"], "crm.order.create");
        let models = json!([
            { "component": "detector", "model": "claude-haiku-4-5", "outcome": "answered",
              "tokens": { "input": 120, "output": 30 } },
            { "component": "orchestrator", "model": "", "outcome": "overloaded",
              "tokens": { "input": 0, "output": 0 } },
        ]);
        assert_eq!(object["models"], models);
        assert_eq!(object["tokens"], json!({ "input": 120, "output": 30 }));
    }
}
