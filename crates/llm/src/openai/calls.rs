//! Tool calls put together from their pieces, for vendors that leave out some of the marks.

use domain::{ModelPart, ModelRequest};
use serde::Deserialize;
use serde_json::Value;

use crate::wire::arguments;
use crate::{WireNames, estimate};

/// A piece of a call, or a whole one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Piece {
    index: Option<u32>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function {
    name: Option<String>,
    /// The arguments: a string by the specification, but some servers send the object itself.
    arguments: Option<Value>,
}

struct Call {
    index: Option<u32>,
    id: Option<String>,
    name: String,
    json: String,
}

impl Call {
    fn is_whole(&self) -> bool {
        serde_json::from_str::<Value>(&self.json).is_ok()
    }
}

pub(super) struct Calls {
    names: WireNames,
    calls: Vec<Call>,
    /// The number of calls in the history, so that a generated id is not taken yet.
    before: usize,
}

impl Calls {
    pub(super) fn new(names: WireNames, request: &ModelRequest) -> Self {
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let before = parts.filter(|part| matches!(part, ModelPart::ToolCall { .. })).count();
        Self { names, calls: Vec::new(), before }
    }

    /// Adds a piece; returns the name if a call began with it.
    pub(super) fn take(&mut self, piece: Piece) -> Option<String> {
        let id = piece.id.filter(|id| !id.is_empty());
        let Function { name, arguments } = piece.function.unwrap_or_default();
        let name = name.filter(|name| !name.is_empty());
        let more = match arguments {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            Some(whole) => whole.to_string(),
        };
        let begins = name.is_some() && !more.is_empty();
        if let Some(call) = self.under_way(piece.index, id.as_deref(), begins) {
            call.json.push_str(&more);
            return None;
        }
        let name = self.names.ours(&name.unwrap_or_default());
        self.calls.push(Call { index: piece.index, id, name: name.clone(), json: more });
        Some(name)
    }

    /// The call that a piece continues. By the specification the index names it; some vendors
    /// number all calls 0 and tell them apart by id, some give neither and send each call whole.
    fn under_way(
        &mut self,
        index: Option<u32>,
        id: Option<&str>,
        begins: bool,
    ) -> Option<&mut Call> {
        let same = |call: &&mut Call| match (id, call.id.as_deref()) {
            (Some(given), Some(known)) => given == known,
            _ => !(begins && call.is_whole()),
        };
        match (index, id) {
            (Some(_), _) => {
                self.calls.iter_mut().rev().find(|call| call.index == index).filter(same)
            }
            (None, Some(id)) => self.calls.iter_mut().find(|call| call.id.as_deref() == Some(id)),
            (None, None) => self.calls.last_mut().filter(same),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(super) fn chars(&self) -> usize {
        self.calls.iter().map(|call| estimate::chars(&call.json)).sum()
    }

    pub(super) fn parts(self) -> Result<Vec<ModelPart>, String> {
        let before = self.before;
        let part = |(place, call): (usize, Call)| {
            if call.name.is_empty() {
                return Err("a tool is called without a name".to_owned());
            }
            let input = arguments(&call.name, &call.json)?;
            let id = call.id.unwrap_or_else(|| format!("call_{}", before + place + 1));
            Ok(ModelPart::ToolCall { id, name: call.name, input })
        };
        self.calls.into_iter().enumerate().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pieces: Value, expected: &[(&str, &str, Value)]) {
        let mut calls = Calls::new(WireNames::new(["crm.find"]), &ModelRequest::default());
        let pieces: Vec<Piece> = serde_json::from_value(pieces).unwrap();
        let begun = pieces.into_iter().filter_map(|piece| calls.take(piece)).count();
        assert_eq!(begun, expected.len());
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, name, input)| ModelPart::ToolCall {
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                input: input.clone(),
            })
            .collect();
        assert_eq!(calls.parts().unwrap(), expected);
    }

    #[test]
    fn pieces_of_parallel_calls_find_their_call_by_index() {
        check(
            json!([
                {"index": 0, "id": "a", "function": {"name": "crm_find", "arguments": ""}},
                {"index": 1, "id": "b", "function": {"name": "other", "arguments": "{\"n\""}},
                {"index": 0, "function": {"arguments": "{\"q\":"}},
                {"index": 1, "function": {"arguments": ":1}"}},
                {"index": 0, "function": {"arguments": "\"x\"}"}},
            ]),
            &[("a", "crm.find", json!({"q": "x"})), ("b", "other", json!({"n": 1}))],
        );
    }

    #[test]
    fn calls_all_numbered_nought_are_told_apart_by_id() {
        check(
            json!([
                {"index": 0, "id": "a", "function": {"name": "t", "arguments": "{\"n\":1}"}},
                {"index": 0, "id": "b", "function": {"name": "t", "arguments": "{\"n\":"}},
                {"index": 0, "id": "b", "function": {"name": "t", "arguments": "2}"}},
            ]),
            &[("a", "t", json!({"n": 1})), ("b", "t", json!({"n": 2}))],
        );
    }

    #[test]
    fn whole_calls_without_index_or_id_are_each_their_own_and_get_ids() {
        let whole = |n: u32| json!({"function": {"name": "t", "arguments": {"n": n}}});
        let expected = [("call_1", "t", json!({"n": 1})), ("call_2", "t", json!({"n": 2}))];
        check(json!([whole(1), whole(2)]), &expected);
        let numbered = |n: u32| {
            let arguments = format!("{{\"n\":{n}}}");
            json!({"index": 0, "id": "", "function": {"name": "t", "arguments": arguments}})
        };
        check(json!([numbered(1), numbered(2)]), &expected);
    }

    #[test]
    fn pieces_without_marks_go_on_with_the_last_call() {
        check(
            json!([
                {"id": "a", "function": {"name": "t"}},
                {"function": {"arguments": "{\"n\""}},
                {"function": {"name": "", "arguments": ":1}"}},
                {"id": "a", "function": {"name": "t", "arguments": ""}},
            ]),
            &[("a", "t", json!({"n": 1}))],
        );
    }

    #[test]
    fn a_made_id_is_not_one_that_the_history_has() {
        let call = ModelPart::ToolCall { id: "call_1".into(), name: "t".into(), input: json!({}) };
        let message = domain::ModelMessage { role: domain::Speaker::Assistant, parts: vec![call] };
        let request = ModelRequest { messages: vec![message], ..ModelRequest::default() };
        let mut calls = Calls::new(WireNames::default(), &request);
        calls.take(serde_json::from_value(json!({"function": {"name": "t"}})).unwrap());
        let parts = calls.parts().unwrap();
        assert!(matches!(&parts[0], ModelPart::ToolCall { id, .. } if id == "call_2"));
    }

    #[test]
    fn a_call_without_a_name_or_with_broken_arguments_is_an_error() {
        for function in [json!({"arguments": "{}"}), json!({"name": "t", "arguments": "{"})] {
            let mut calls = Calls::new(WireNames::default(), &ModelRequest::default());
            calls.take(serde_json::from_value(json!({"index": 0, "function": function})).unwrap());
            assert!(calls.parts().is_err(), "{function}");
        }
    }
}
