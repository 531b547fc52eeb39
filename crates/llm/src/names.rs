//! Tool names on the wire: providers allow no dots, so each request has a table there and back.

use std::collections::HashMap;

use domain::{ModelPart, ModelRequest};

const LONGEST: usize = 64;

/// Our names ↔ the names sent, for one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireNames {
    to_wire: HashMap<String, String>,
    to_ours: HashMap<String, String>,
}

impl WireNames {
    /// The names of the offered tools, and of tools that were called before and are no longer
    /// offered.
    pub fn of(request: &ModelRequest) -> Self {
        let offered = request.tools.iter().map(|tool| tool.name.as_str());
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let called = parts.filter_map(|part| match part {
            ModelPart::ToolCall { name, .. } => Some(name.as_str()),
            _ => None,
        });
        Self::new(offered.chain(called))
    }

    /// A table for these names. Earlier names take the plainer wire names; a name that fits the
    /// wire always keeps itself.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self::default();
        let (fitting, others): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|n| fits(n));
        for name in fitting.into_iter().chain(others) {
            if !table.to_wire.contains_key(name) {
                let wire = table.free(&fitted(name));
                table.to_wire.insert(name.to_owned(), wire.clone());
                table.to_ours.insert(wire, name.to_owned());
            }
        }
        table
    }

    /// The name to send; a name outside the request is made to fit.
    pub fn wire(&self, ours: &str) -> String {
        self.to_wire.get(ours).cloned().unwrap_or_else(|| fitted(ours))
    }

    /// The tool's own name. A name that the model made up stays as the model wrote it, for the
    /// agent to refuse.
    pub fn ours(&self, wire: &str) -> String {
        self.to_ours.get(wire).map_or_else(|| wire.to_owned(), String::clone)
    }

    fn free(&self, wanted: &str) -> String {
        let numbered = (2..).map(|number| {
            let suffix = format!("_{number}");
            format!("{}{suffix}", &wanted[..wanted.len().min(LONGEST - suffix.len())])
        });
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates.find(|name| !self.to_ours.contains_key(name)).unwrap_or_default()
    }
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn fits(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(allowed)
}

fn fitted(name: &str) -> String {
    if name.is_empty() {
        return "tool".to_owned();
    }
    name.chars().take(LONGEST).map(|c| if allowed(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wires(names: &[&str]) -> Vec<String> {
        let table = WireNames::new(names.iter().copied());
        names.iter().map(|name| table.wire(name)).collect()
    }

    #[test]
    fn dots_become_underscores_and_what_would_collide_is_numbered() {
        assert_eq!(wires(&["crm.contact.create"]), ["crm_contact_create"]);
        assert_eq!(wires(&["a.b", "a_b", "a-b", "a/b"]), ["a_b_2", "a_b", "a-b", "a_b_3"]);
        assert_eq!(wires(&["añadir", "", "tool"]), ["a_adir", "tool_2", "tool"]);
        let long = "x".repeat(70);
        let longer = "x".repeat(80);
        let pair = wires(&[&long, &longer]);
        assert_eq!(pair[0], "x".repeat(64));
        assert_eq!(pair[1], format!("{}_2", "x".repeat(62)));
    }

    #[test]
    fn a_name_the_model_made_up_stays_as_it_wrote_it() {
        let table = WireNames::new(["crm.contact.create"]);
        assert_eq!(table.ours("crm_contact_create"), "crm.contact.create");
        assert_eq!(table.ours("crm_contact_destroy"), "crm_contact_destroy");
        assert_eq!(table.ours("crm.contact.create"), "crm.contact.create");
    }

    #[test]
    fn a_tool_called_before_has_a_name_though_it_is_no_longer_offered() {
        let part =
            ModelPart::ToolCall { id: "1".into(), name: "old.tool".into(), input: "".into() };
        let message = domain::ModelMessage { role: domain::Speaker::Assistant, parts: vec![part] };
        let request = ModelRequest { messages: vec![message], ..ModelRequest::default() };
        let table = WireNames::of(&request);
        assert_eq!(table.wire("old.tool"), "old_tool");
        assert_eq!(table.ours("old_tool"), "old.tool");
    }

    // Short names over few letters collide often; long and strange ones need to be made to fit.
    fn any_name() -> impl Strategy<Value = String> {
        prop_oneof!["[a.b_/-]{0,4}", "[xy.]{60,70}", "\\PC{0,12}", "[a_]_[2-4]"]
    }

    proptest! {
        #[test]
        fn any_names_come_back_exactly_and_are_distinct_and_fit_the_wire(
            names in proptest::collection::vec(any_name(), 0..40)
        ) {
            let table = WireNames::new(names.iter().map(String::as_str));
            let mut seen = HashMap::new();
            for name in &names {
                let wire = table.wire(name);
                prop_assert!(fits(&wire), "{wire:?}");
                prop_assert_eq!(&table.ours(&wire), name);
                prop_assert_eq!(seen.entry(wire).or_insert(name), &name);
            }
            prop_assert_eq!(table, WireNames::new(names.iter().map(String::as_str)));
        }
    }
}
