//! A form that collects fields: eight nodes and four routers, as data that its routers read.

use graph::{Graph, Owned};

/// What the checks of one message find.
#[derive(Clone, Copy, Default)]
pub(crate) struct Form {
    pub(crate) escalates: bool,
    pub(crate) corrects: bool,
    pub(crate) off_topic: bool,
    pub(crate) full: bool,
}

async fn check(_: &mut Form) {
    tokio::task::yield_now().await;
}

fn work(_: &mut Form) {}

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

pub(crate) fn form() -> Graph<Owned<Form>> {
    Graph::<Owned<Form>>::builder()
        .node("check_escalation", check)
        .sync("escalate", work)
        .node("check_correction", check)
        .node("check_off_topic", check)
        .sync("extract_field", work)
        .sync("validate", work)
        .sync("prompt_next", work)
        .sync("complete", work)
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
