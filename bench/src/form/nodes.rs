//! The eight nodes and the edges between them.

use serde_json::{Map, Value, json};

use super::rules::{Field, Rules};

/// What a walk through the graph comes to.
pub(super) struct Walked {
    pub(super) data: Map<String, Value>,
    pub(super) response: String,
    pub(super) ended_at: &'static str,
    pub(super) handoff: Option<String>,
}

#[derive(Clone, Copy)]
enum Node {
    CheckEscalation,
    CheckCorrection,
    CheckOffTopic,
    ExtractField,
    Validate,
    PromptNext,
    Escalate,
    Complete,
}

/// The graph's state while it is walked.
pub(super) struct Walk<'a> {
    rules: &'a Rules,
    message: &'a str,
    data: Map<String, Value>,
    escalation: Option<usize>,
    correcting: Option<&'a Field>,
    is_off_topic: bool,
    current: Option<&'a Field>,
    extracted: Option<String>,
    is_invalid: bool,
    response: String,
    handoff: Option<String>,
}

impl<'a> Walk<'a> {
    pub(super) fn through(rules: &'a Rules, message: &'a str, data: Map<String, Value>) -> Walked {
        let mut walk = Self {
            rules,
            message,
            data,
            escalation: None,
            correcting: None,
            is_off_topic: false,
            current: None,
            extracted: None,
            is_invalid: false,
            response: String::new(),
            handoff: None,
        };
        let mut node = Node::CheckEscalation;
        let ended_at = loop {
            node = match node {
                Node::CheckEscalation => walk.check_escalation(),
                Node::CheckCorrection => walk.check_correction(),
                Node::CheckOffTopic => walk.check_off_topic(),
                Node::ExtractField => walk.extract_field(),
                Node::Validate => walk.validate(),
                Node::PromptNext => break walk.prompt_next(),
                Node::Escalate => break walk.escalate(),
                Node::Complete => break walk.complete(),
            };
        };
        Walked { data: walk.data, response: walk.response, ended_at, handoff: walk.handoff }
    }

    fn missing(&self) -> Option<&'a Field> {
        self.rules.fields.iter().find(|field| !self.data.contains_key(field.name))
    }

    fn check_escalation(&mut self) -> Node {
        self.escalation = self.rules.escalation.matches(self.message).iter().next();
        if self.escalation.is_some() { Node::Escalate } else { Node::CheckCorrection }
    }

    fn check_correction(&mut self) -> Node {
        if self.rules.correction.is_match(self.message) {
            let known = |field: &&Field| self.data.contains_key(field.name);
            let named = |field: &&Field| field.named.is_match(self.message);
            self.correcting = self.rules.fields.iter().filter(known).find(named);
        }
        if self.correcting.is_some() { Node::ExtractField } else { Node::CheckOffTopic }
    }

    fn check_off_topic(&mut self) -> Node {
        self.is_off_topic = self.rules.off_topic.is_match(self.message);
        if self.missing().is_none() {
            Node::Complete
        } else if self.is_off_topic {
            Node::PromptNext
        } else {
            Node::ExtractField
        }
    }

    fn extract_field(&mut self) -> Node {
        self.current = self.correcting.or_else(|| self.missing());
        let found = self.current.and_then(|field| field.value.captures(self.message));
        self.extracted = found.and_then(|found| Some(found.get(1)?.as_str().trim().to_owned()));
        Node::Validate
    }

    fn validate(&mut self) -> Node {
        let valid = match (self.current, self.extracted.take()) {
            (Some(field), Some(value)) if field.valid.is_match(&value) => Some((field, value)),
            _ => None,
        };
        self.is_invalid = valid.is_none();
        if let Some((field, value)) = valid {
            self.data.insert(field.name.to_owned(), json!(value));
        }
        if self.missing().is_none() { Node::Complete } else { Node::PromptNext }
    }

    fn prompt_next(&mut self) -> &'static str {
        if let Some(field) = self.missing() {
            self.response = if self.is_off_topic {
                format!("¡Con gusto! Pero antes: {}", field.question)
            } else if self.is_invalid {
                format!("No lo entendí; espero {}. {}", field.expected, field.question)
            } else {
                format!("Gracias. {}", field.question)
            };
        }
        "prompt_next"
    }

    fn escalate(&mut self) -> &'static str {
        let policy = self.escalation.unwrap_or_default();
        self.handoff = Some(format!("the escalation rule {policy} matched"));
        "Te paso con una persona.".clone_into(&mut self.response);
        "escalate"
    }

    /// Thanks, and begins the next form, so that a long run goes on doing the same work.
    fn complete(&mut self) -> &'static str {
        let name = self.data.get("nombre").and_then(Value::as_str).unwrap_or_default();
        self.response = format!("Listo, {name}: ya tengo todo. ¡Muchas gracias!");
        self.data.clear();
        "complete"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::SCRIPT;

    #[test]
    fn the_script_fills_the_form_once() {
        let rules = Rules::new();
        let mut data = Map::new();
        let mut said = Vec::new();
        for message in SCRIPT {
            let walked = Walk::through(&rules, message, data);
            data = walked.data;
            said.push((walked.ended_at, walked.response));
        }
        let last = ("complete", "Listo, Juan Pérez: ya tengo todo. ¡Muchas gracias!".to_owned());
        assert_eq!(said.pop(), Some(last));
        assert!(said.iter().all(|(ended_at, _)| *ended_at == "prompt_next"));
        assert!(said.iter().all(|(_, response)| !response.contains("No lo entendí")), "{said:?}");
    }

    #[test]
    fn a_customer_who_wants_a_person_gets_one() {
        let walked = Walk::through(&Rules::new(), "quiero un asesor", Map::new());
        assert_eq!(walked.ended_at, "escalate");
        assert!(walked.handoff.is_some());
    }
}
