//! Checks consent: each tool that needs a customer's yes and that a flow offers or calls has a
//! summary that proposes it, and each summary is said, and acted on.

use document::{Node, Place};

use super::Checked;
use super::names::{as_strs, listed_templates, tool_names};
use crate::actions::Stands;
use crate::check::template;
use crate::finding::Report;
use crate::look::{texts, unknown};
use crate::tools::need_yes;

/// How an order is bound to wait for a yes.
const PENDING: &str = "\"pending_confirmation\"";

pub(super) fn check<'a>(flow: &Checked<'a>, used: &mut Vec<&'a str>, report: &mut Report) {
    let tools = tool_names(flow.files);
    for summary in flow.file.tree.list("summaries") {
        template(flow.file, summary, "template", flow.files, used, report);
        listed_templates(flow, summary, "open_after", used, report);
        if let Some((tool, at)) = summary.text("proposes") {
            unknown(flow.file, "tool", tool, at, tools.as_deref().map(as_strs).as_deref(), report);
        }
    }
    for mode in flow.file.tree.list("modes") {
        for (tool, at) in texts(mode, "tools") {
            // An order that is always written down without a yes waits for one.
            let waits = bound(flow, tool, "estado").is_some_and(|estado| estado == PENDING);
            if !waits {
                proposed(flow, tool, at, report);
            }
            given(flow, tool, at, report);
            emptied(flow, tool, at, report);
        }
    }
    for (tool, at) in flow.stands.iter().filter_map(|stands| stands.action.text("call")) {
        // Emptying a cart, writing an order down or dropping one that waits for a yes needs none.
        if !["clear_cart", "crm.order.create", "crm.order.update"].contains(&tool) {
            proposed(flow, tool, at, report);
        }
    }
}

/// Checks that every summary is said, and a yes to it acted on, in a flow whose names are right.
pub(super) fn reached(flow: &Checked<'_>, report: &mut Report) {
    for summary in flow.file.tree.list("summaries") {
        said(flow, summary, report);
        acted_on(flow, summary, report);
    }
}

/// A tool that needs a yes is offered or called only where a summary can ask for it.
fn proposed(flow: &Checked<'_>, tool: &str, at: &Place, report: &mut Report) {
    let needs = need_yes().any(|(name, _)| name == tool) || held(flow, tool);
    if needs && !flow.scope.proposed.contains(&tool) {
        let message = format!(
            "`{tool}` is done only after the customer's yes, and no summary proposes it: add one \
             under `summaries` with `proposes: {tool}`"
        );
        report.error(flow.file.name, at, message);
    }
}

/// A tool that takes things out of a cart that is summed up stops at the last of them, which leaves
/// by `clear_cart` after a yes: without its summary a customer could never take it out.
fn emptied(flow: &Checked<'_>, tool: &str, at: &Place, report: &mut Report) {
    let proposed = &flow.scope.proposed;
    let takes_out = ["remove_from_cart", "update_cart_item"].contains(&tool);
    if takes_out && proposed.contains(&"confirm_order") && !proposed.contains(&"clear_cart") {
        let message = format!(
            "`{tool}` does not empty a cart that was summed up, and no summary asks whether to: add \
             one under `summaries` with `proposes: clear_cart`"
        );
        report.error(flow.file.name, at, message);
    }
}

/// Whether tools.yaml says of a tool that it needs a yes.
fn held(flow: &Checked<'_>, tool: &str) -> bool {
    let Some(file) = flow.files.tools.file() else { return false };
    let own = |entry: &&Node| entry.text("name").is_some_and(|(name, _)| name == tool);
    let entry = file.tree.list("tools").iter().chain(file.tree.list("http")).find(own);
    entry.is_some_and(|entry| entry.flag("needs_yes") == Some(true))
}

/// A model cannot give what is the engine's: where it may call such a tool, the pack binds it.
fn given(flow: &Checked<'_>, tool: &str, at: &Place, report: &mut Report) {
    let Some((_, required)) = need_yes().find(|(name, _)| *name == tool) else { return };
    for name in required.iter().filter(|name| bound(flow, tool, name).is_none()) {
        let message = format!(
            "`{tool}` is offered to models, which may not say `{name}`: bind it in tools.yaml"
        );
        report.error(flow.file.name, at, message);
    }
}

/// The expression that tools.yaml binds an input of a tool to.
fn bound<'a>(flow: &Checked<'a>, tool: &str, input: &str) -> Option<&'a str> {
    let entries = flow.files.tools.file()?.tree.list("tools").iter();
    let mut own = entries.filter(|entry| entry.text("name").is_some_and(|(name, _)| name == tool));
    own.find_map(|entry| entry.get("bind")?.text(input)).map(|(text, _)| text)
}

/// A summary that nothing says can never be agreed to.
fn said(flow: &Checked<'_>, summary: &Node, report: &mut Report) {
    let Some((name, at)) = summary.text("template") else { return };
    let tool = summary.text("proposes").map(|(tool, _)| tool);
    // A model that asks for the tool is answered with its summary.
    let offered = |mode: &Node| texts(mode, "tools").any(|(own, _)| Some(own) == tool);
    if flow.file.tree.list("modes").iter().any(offered) {
        return;
    }
    // A template that is sent by a computed name may be any.
    let sends = |stands: &Stands<'_>| {
        let called = stands.action.text("call");
        let says = stands.action.text("say").is_some_and(|(said, _)| said == name);
        says || called.is_some_and(|(tool, _)| tool == "whatsapp.template.send")
    };
    if !flow.stands.iter().any(sends) {
        report.error(flow.file.name, at, format!("no action says the summary `{name}`"));
    }
}

/// A yes that nothing is done for deceives the customer.
fn acted_on(flow: &Checked<'_>, summary: &Node, report: &mut Report) {
    let Some((tool, at)) = summary.text("proposes") else { return };
    let calls =
        |stands: &Stands<'_>| stands.action.text("call").is_some_and(|(name, _)| name == tool);
    if !flow.stands.iter().any(calls) {
        let message = format!("no action calls `{tool}`, so a yes to this summary does nothing");
        report.error(flow.file.name, at, message);
    }
}
