//! A form that collects fields: eight nodes and four routers, as data that its routers read.

use graph::Graph;

/// How the form's routers choose.
pub(crate) type Router = fn(&Form) -> &'static str;

/// The findings of the checks of one message.
#[derive(Clone, Copy, Default)]
pub(crate) struct Form {
    pub(crate) escalates: bool,
    pub(crate) corrects: bool,
    pub(crate) off_topic: bool,
    pub(crate) full: bool,
}

fn after_escalation_check(form: &Form) -> &'static str {
    if form.escalates { "escalate" } else { "check_correction" }
}

fn after_correction_check(form: &Form) -> &'static str {
    if form.corrects { "extract_field" } else { "check_off_topic" }
}

fn after_off_topic_check(form: &Form) -> &'static str {
    match form {
        Form { full: true, .. } => "complete",
        Form { off_topic: true, .. } => "prompt_next",
        _ => "extract_field",
    }
}

fn after_validation(form: &Form) -> &'static str {
    if form.full { "complete" } else { "prompt_next" }
}

pub(crate) fn form() -> Graph<(), Router> {
    Graph::<(), Router>::builder()
        .node("check_escalation", ())
        .node("escalate", ())
        .node("check_correction", ())
        .node("check_off_topic", ())
        .node("extract_field", ())
        .node("validate", ())
        .node("prompt_next", ())
        .node("complete", ())
        .start("check_escalation")
        .route(
            "check_escalation",
            "after_escalation_check",
            &["escalate", "check_correction"],
            after_escalation_check,
        )
        .end("escalate")
        .route(
            "check_correction",
            "after_correction_check",
            &["extract_field", "check_off_topic"],
            after_correction_check,
        )
        .route(
            "check_off_topic",
            "after_off_topic_check",
            &["prompt_next", "complete", "extract_field"],
            after_off_topic_check,
        )
        .edge("extract_field", "validate")
        .route("validate", "after_validation", &["prompt_next", "complete"], after_validation)
        .end("prompt_next")
        .end("complete")
        .build()
        .unwrap()
}
