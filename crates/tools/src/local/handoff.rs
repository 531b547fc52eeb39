//! `request_handoff` asks for a person. The handoff is the turn's own act, which the agent carries
//! out.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Spec;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by the agent; here it is the schema")]
struct Request {
    /// Why, in words for the person who takes over.
    #[schemars(length(min = 1, max = 500))]
    reason: String,
    trigger_type: TriggerType,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TriggerType {
    ConsecutiveErrors,
    NegativeSentiment,
    OrderAlreadyProcessed,
    CustomerRequest,
}

pub(crate) fn request() -> Spec {
    Spec::of::<Request>("request_handoff", "Gives the conversation to a person.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Trigger;
    use serde_json::json;

    #[test]
    fn every_reason_a_model_may_give_is_one_that_handoffs_know() {
        let spec = request();
        let names = spec.input["$defs"]["TriggerType"]["enum"].as_array().unwrap();
        assert_eq!(names.len(), 4);
        for name in names {
            assert!(Trigger::parse(name.as_str().unwrap()).is_some(), "{name}");
        }
        assert_eq!(spec.input["required"], json!(["reason", "trigger_type"]));
    }
}
