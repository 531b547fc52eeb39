//! Drawings say exactly what is walked: every node and every way.

use graph::{Builder, END, Graph};

use crate::form::form;

fn nodes(names: &[&str]) -> Builder<(), ()> {
    names.iter().fold(Graph::builder(), |graph, name| graph.node(name, ()))
}

#[test]
fn the_form_as_mermaid() {
    let expected = r#"flowchart TD
    START([START])
    check_escalation["check_escalation"]
    escalate["escalate"]
    check_correction["check_correction"]
    check_off_topic["check_off_topic"]
    extract_field["extract_field"]
    validate["validate"]
    prompt_next["prompt_next"]
    complete["complete"]
    END([END])
    START --> check_escalation
    check_escalation -.->|"after_escalation_check"| escalate
    check_escalation -.->|"after_escalation_check"| check_correction
    escalate --> END
    check_correction -.->|"after_correction_check"| extract_field
    check_correction -.->|"after_correction_check"| check_off_topic
    check_off_topic -.->|"after_off_topic_check"| prompt_next
    check_off_topic -.->|"after_off_topic_check"| complete
    check_off_topic -.->|"after_off_topic_check"| extract_field
    extract_field --> validate
    validate -.->|"after_validation"| prompt_next
    validate -.->|"after_validation"| complete
    prompt_next --> END
    complete --> END
"#;
    assert_eq!(form().mermaid(), expected);
}

#[test]
fn loops_and_awkward_names_as_mermaid() {
    let graph = nodes(&["listen", "a \"b\" <c>"])
        .start("listen")
        .route("listen", "what & why", &["listen", "a \"b\" <c>", END], ())
        .end("a \"b\" <c>");
    let expected = r#"flowchart TD
    START([START])
    listen["listen"]
    a__b___c_["a #34;b#34; #60;c#62;"]
    END([END])
    START --> listen
    listen -.->|"what #38; why"| listen
    listen -.->|"what #38; why"| a__b___c_
    listen -.->|"what #38; why"| END
    a__b___c_ --> END
"#;
    assert_eq!(graph.build().unwrap().mermaid(), expected);
}

#[test]
fn ids_that_mermaid_would_misread_or_confuse_are_made_distinct() {
    let graph = nodes(&["end", "a b", "a-b"]).start("end").edge("end", "a b").edge("a b", "a-b");
    let mermaid = graph.end("a-b").build().unwrap().mermaid();
    for line in ["end_[\"end\"]", "a_b[\"a b\"]", "a_b_[\"a-b\"]", "end_ --> a_b", "a_b --> a_b_"] {
        assert!(mermaid.lines().any(|drawn| drawn.trim() == line), "{line}\n{mermaid}");
    }
}
