//! Names in a flow: each is declared once, and what is named exists.

use document::{Node, Place, Value};

use super::{Checked, OWN_INTENTS};
use crate::check::{normal, pattern, phrases, template};
use crate::facts;
use crate::finding::Report;
use crate::look::{File, Files, Opened, SHARED, Seen, texts, unknown};
use crate::tools::ENGINE_TOOLS;

pub(super) fn check<'a>(flow: &Checked<'a>, used: &mut Vec<&'a str>, report: &mut Report) {
    let tree = &flow.file.tree;
    let modes = flow.scope.modes.as_slice();
    if let Some((initial, at)) = tree.text("initial") {
        unknown(flow.file, "mode", initial, at, Some(modes), report);
    }
    once(flow.file, "mode", tree.list("modes"), report);
    once(flow.file, "timer", tree.list("timers"), report);
    own_names(flow, report);
    bands(flow.file, report);
    collect(flow, report);
    for choice in tree.list("choices") {
        choices(flow, choice, report);
    }
    if let Some(messages) = tree.get("messages") {
        for entry in messages.entries() {
            template(flow.file, messages, &entry.key, flow.files, used, report);
        }
    }
    shop(flow, used, report);
    handoff(flow, used, report);
    intents_of(flow, tree, report);
    for mode in tree.list("modes") {
        mode_names(flow, mode, used, report);
    }
    for timer in tree.list("timers") {
        for (name, at) in texts(timer, "in") {
            unknown(flow.file, "mode", name, at, Some(modes), report);
        }
    }
}

/// The goods that a flow sells, and the files it reads for that.
fn shop<'a>(flow: &Checked<'a>, used: &mut Vec<&'a str>, report: &mut Report) {
    let tree = &flow.file.tree;
    let shop = tree.get("shop");
    let file = |node: &'a Node, key: &str, what: &str, report: &mut Report| {
        let Some((name, at)) = node.text(key) else { return };
        if !flow.files.has(name) {
            report.error(flow.file.name, at, format!("there is no {what} `{name}` in this pack"));
        }
    };
    file(tree, "commerce", "profile", report);
    let Some(shop) = shop else { return };
    file(shop, "catalogue", "catalogue", report);
    for entry in shop.get("intents").map_or(&[][..], Node::entries) {
        if let Value::Text(name) = &entry.node.value {
            let known = flow.scope.intents.as_deref();
            unknown(flow.file, "intent", name, &entry.node.at, known, report);
        }
    }
    if let Some(messages) = shop.get("messages") {
        for entry in messages.entries() {
            template(flow.file, messages, &entry.key, flow.files, used, report);
        }
    }
}

/// The text said when a person takes over, and where the flow goes on.
fn handoff<'a>(flow: &Checked<'a>, used: &mut Vec<&'a str>, report: &mut Report) {
    let Some(handoff) = flow.file.tree.get("handoff") else { return };
    let modes = handoff.list("returns").iter().filter_map(|to| to.text("mode"));
    for (name, at) in modes.chain(handoff.text("mode")) {
        unknown(flow.file, "mode", name, at, Some(&flow.scope.modes), report);
    }
    for key in ["attending", "closed"] {
        template(flow.file, handoff, key, flow.files, used, report);
    }
    if let Some(unattended) = handoff.get("unattended") {
        template(flow.file, unattended, "say", flow.files, used, report);
    }
}

fn mode_names<'a>(
    flow: &Checked<'a>,
    mode: &'a Node,
    used: &mut Vec<&'a str>,
    report: &mut Report,
) {
    intents_of(flow, mode, report);
    for (name, at) in texts(mode, "expects") {
        unknown(flow.file, "intent", name, at, flow.scope.intents.as_deref(), report);
    }
    listed_templates(flow, mode, "templates", used, report);
    let tools = tool_names(flow.files);
    for (name, at) in texts(mode, "tools") {
        unknown(flow.file, "tool", name, at, tools.as_deref().map(as_strs).as_deref(), report);
    }
    for entry in mode.get("after").map_or(&[][..], Node::entries) {
        let known = tools.as_deref().map(as_strs);
        unknown(flow.file, "tool", &entry.key, &entry.at, known.as_deref(), report);
    }
    let mut ways = Seen::default();
    for way in mode.list("to") {
        let Some((name, at)) = way.text("mode") else { continue };
        unknown(flow.file, "mode", name, at, Some(&flow.scope.modes), report);
        if let Some(first) = ways.before(name, at) {
            let message = format!("the way to `{name}` is already on line {}", first.line);
            report.error(flow.file.name, at, message);
        }
    }
    if let Some(entry) = mode.entry("collects")
        && mode.flag("collects") == Some(true)
        && flow.file.tree.get("collect").is_none()
    {
        let message = "this flow collects nothing: say what under `collect`";
        report.error(flow.file.name, &entry.at, message);
    }
}

/// The tools there are: the engine's, and those that tools.yaml brings; none if that is not known.
pub(crate) fn tool_names(files: &Files<'_>) -> Option<Vec<String>> {
    let mut names: Vec<String> = ENGINE_TOOLS.iter().map(|tool| tool.name.to_owned()).collect();
    match &files.tools {
        Opened::Broken => return None,
        Opened::Absent => {}
        Opened::File(file) => {
            let http = file.tree.list("http").iter();
            names.extend(http.filter_map(|tool| Some(tool.text("name")?.0.to_owned())));
            for server in file.tree.list("mcp") {
                let Some((name, _)) = server.text("server") else { continue };
                names.extend(texts(server, "tools").map(|(tool, _)| format!("{name}.{tool}")));
            }
        }
    }
    Some(names)
}

pub(super) fn as_strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The intents under `intents`, which are its keys.
fn intents_of(flow: &Checked<'_>, node: &Node, report: &mut Report) {
    for entry in node.get("intents").map_or(&[][..], Node::entries) {
        let known = flow.scope.intents.as_deref();
        unknown(flow.file, "intent", &entry.key, &entry.at, known, report);
    }
}

pub(super) fn listed_templates<'a>(
    flow: &Checked<'a>,
    node: &'a Node,
    key: &str,
    used: &mut Vec<&'a str>,
    report: &mut Report,
) {
    for (name, at) in texts(node, key) {
        used.push(name);
        unknown(flow.file, "template", name, at, flow.scope.templates.as_deref(), report);
    }
}

fn once(file: &File<'_>, what: &str, nodes: &[Node], report: &mut Report) {
    let mut seen = Seen::default();
    for (name, at) in nodes.iter().filter_map(|node| node.text("name")) {
        if let Some(first) = seen.before(name, at) {
            let message = format!("the {what} `{name}` is already on line {}", first.line);
            report.error(file.name, at, message);
        }
    }
}

/// Names that conditions and texts know: each means one thing.
fn own_names(flow: &Checked<'_>, report: &mut Report) {
    let tree = &flow.file.tree;
    let values = tree.get("values").map_or(&[][..], Node::entries);
    let values = values.iter().map(|entry| (entry.key.as_str(), &entry.at));
    let choices = tree.list("choices").iter().filter_map(|choice| choice.text("name"));
    let mut seen = Seen::default();
    let mut declared: Vec<&str> = Vec::new();
    for (name, at) in values.chain(choices) {
        engine_name(flow.file, name, at, report);
        if let Some(first) = seen.before(name, at) {
            let message = format!("`{name}` is already on line {}", first.line);
            report.error(flow.file.name, at, message);
        }
        declared.push(name);
    }
    for (name, at) in flow.stands.iter().filter_map(|stands| stands.action.text("save")) {
        engine_name(flow.file, name, at, report);
        if declared.contains(&name) {
            let message = format!("`{name}` is already a value or a choice of this flow");
            report.error(flow.file.name, at, message);
        }
    }
}

fn engine_name(file: &File<'_>, name: &str, at: &Place, report: &mut Report) {
    if facts::is_known(name) {
        let message = format!("the engine uses `{name}` for a value of its own");
        report.error(file.name, at, message);
    }
}

fn bands(file: &File<'_>, report: &mut Report) {
    let Some(bands) = file.tree.get("bands") else { return };
    let default = crate::files::Bands::default();
    let band = |key: &str, default: f64| {
        let number = bands.get(key).and_then(|node| match node.value {
            Value::Whole(number) => Some((number as f64, node.at)),
            Value::Fraction(number) => Some((number, node.at)),
            _ => None,
        });
        number.unwrap_or((default, bands.at))
    };
    let falling = [
        ("proceed", band("proceed", default.proceed)),
        ("reanalyse", band("reanalyse", default.reanalyse)),
        ("clarify", band("clarify", default.clarify)),
    ];
    for pair in falling.windows(2) {
        let [(upper, (high, _)), (lower, (low, at))] = pair else { continue };
        if low > high {
            let message = format!("`{lower}` is {low}, above `{upper}` at {high}: bands fall");
            report.error(file.name, at, message);
        }
    }
}

fn collect(flow: &Checked<'_>, report: &mut Report) {
    let Some(collect) = flow.file.tree.get("collect") else { return };
    let Some((name, at)) = collect.text("file") else { return };
    let Some(form) = flow.files.forms().find(|form| form.name == name) else {
        if !flow.files.has(name) || SHARED.contains(&name) || name == flow.file.name {
            let forms = flow.files.forms().map(|form| form.name);
            let hint = document::suggestion(name, forms)
                .unwrap_or_else(|| "; write the fields in a form file beside it".to_owned());
            report.error(flow.file.name, at, format!("there is no form `{name}`{hint}"));
        }
        return;
    };
    let fields = form.tree.list("fields");
    let names: Vec<&str> = fields.iter().filter_map(|field| Some(field.text("name")?.0)).collect();
    for key in ["minimum_when", "known"] {
        for entry in collect.get(key).map_or(&[][..], Node::entries) {
            unknown(flow.file, "field", &entry.key, &entry.at, Some(&names), report);
        }
    }
    for (name, at) in texts(collect, "minimum").chain(texts(collect, "keep")) {
        unknown(flow.file, "field", name, at, Some(&names), report);
    }
    for (name, at) in texts(collect, "minimum") {
        let field =
            fields.iter().find(|field| field.text("name").is_some_and(|(own, _)| own == name));
        if field.is_some_and(|field| field.entry("ask").is_none()) {
            let message = format!("`{name}` is needed to go on, but nothing asks for it");
            report.warning(flow.file.name, at, message);
        }
    }
}

fn choices(flow: &Checked<'_>, choice: &Node, report: &mut Report) {
    if let Some((name, at)) = choice.text("intent") {
        unknown(flow.file, "intent", name, at, flow.scope.intents.as_deref(), report);
    }
    for (name, at) in texts(choice, "asked_in") {
        unknown(flow.file, "mode", name, at, Some(&flow.scope.modes), report);
    }
    let phrased = flow.files.words();
    phrases::of_choice(flow.file, choice, &phrased, report);
    let mut values = Seen::default();
    let mut words: Vec<(String, usize, Place)> = Vec::new();
    for (index, option) in choice.list("options").iter().enumerate() {
        if let Some((value, at)) = option.text("value")
            && let Some(first) = values.before(value, at)
        {
            let message = format!("the option `{value}` is already on line {}", first.line);
            report.error(flow.file.name, at, message);
        }
        let number = option.whole("number").and_then(|number| u32::try_from(number).ok());
        phrases::check(flow.file, option, &phrased.with_number(number), report);
        for (pattern, at) in texts(option, "patterns") {
            if let Some(message) = pattern::fault(pattern) {
                report.error(flow.file.name, at, message);
            }
        }
        for (word, at) in texts(option, "words").chain(texts(option, "asked")) {
            let plain = normal(word);
            match words.iter().find(|(known, ..)| *known == plain) {
                Some((_, owner, first)) if *owner != index => {
                    let line = first.line;
                    let message = format!("`{word}` also chooses another option, on line {line}");
                    report.error(flow.file.name, at, message);
                }
                _ => words.push((plain, index, *at)),
            }
        }
    }
    if OWN_INTENTS.iter().any(|own| choice.text("intent").is_some_and(|(name, _)| name == *own)) {
        let at = choice.get("intent").map_or(choice.at, |node| node.at);
        report.error(flow.file.name, &at, "a choice is an intent of the pack's own");
    }
}
