//! The sections of a flow.

use document::{Node, Value};

use super::quote::{lowered, sentence, short};
use super::{Language, Pack, Page, form};
use crate::look::texts;
use crate::tools::engine_tool;

pub(super) fn write(pack: &Pack, flow: &Node, collected: Option<&Node>, page: &mut Page) {
    begins(pack, flow, page);
    anywhere(pack, flow, page);
    for mode in flow.list("modes") {
        write_mode(pack, mode, page);
    }
    timers(pack, flow, page);
    after_a_yes(pack, flow, page);
    if let Some(collected) = collected {
        form::fields(pack, collected, page);
    }
    person(pack, flow, page);
    steps(pack, flow, page);
    groups(pack, flow, page);
    tools(pack, page);
    never(pack, flow, page);
}

fn text<'a>(node: &'a Node, key: &str) -> &'a str {
    node.text(key).map_or("", |(text, _)| text)
}

fn named<'a>(node: &'a Node, key: &str) -> String {
    texts(node, key).map(|(name, _)| name).collect::<Vec<&'a str>>().join(", ")
}

fn begins(pack: &Pack, flow: &Node, page: &mut Page) {
    page.heading(2, pack.say("Cómo empieza", "How it begins"));
    let start = pack.say("La conversación empieza en", "A conversation begins in");
    page.paragraph(&format!("{start} **{}**.", text(flow, "initial")));
    for (key, does) in [
        ("begin", pack.say("Con el primer mensaje", "At the first message")),
        (
            "complete",
            pack.say("Cuando un mensaje completa los datos", "When a message completes the data"),
        ),
    ] {
        let actions = match key {
            "begin" => flow.list("begin"),
            _ => flow.get("collect").map_or(&[][..], |collect| collect.list("complete")),
        };
        if !actions.is_empty() {
            page.item(&sentence(&format!("{does}: {}", pack.actions(actions))));
        }
    }
    for choice in flow.list("choices") {
        let options = choice.list("options").iter().map(|option| text(option, "label"));
        let options = options.collect::<Vec<_>>().join(", ");
        let among = pack.say("El cliente elige entre", "The customer chooses among");
        page.item(&format!("{among}: {options} (**{}**).", text(choice, "name")));
    }
    if let Some(shop) = flow.get("shop") {
        let sells = pack.say("Vende lo que está en", "It sells what is in");
        page.item(&format!("{sells} `{}`.", text(shop, "catalogue")));
    }
    if let Some((file, _)) = flow.text("commerce") {
        let knows =
            pack.say("Lo que cuenta del negocio sale de", "What it tells of the business is in");
        page.item(&format!("{knows} `{file}`."));
    }
}

fn intents(pack: &Pack, node: &Node, page: &mut Page) {
    let mut written: Vec<(String, Vec<String>)> = Vec::new();
    for entry in node.get("intents").map_or(&[][..], Node::entries) {
        let Value::List(actions) = &entry.node.value else { continue };
        let does = pack.actions(actions);
        let wants = pack.meaning(&entry.key);
        // Intents that lead to the same stand in one line.
        match written.iter_mut().find(|(known, _)| *known == does) {
            Some((_, all)) => all.push(wants),
            None => written.push((does, vec![wants])),
        }
    }
    for (does, wants) in written {
        let wants = wants.join(pack.say(", o ", ", or "));
        page.item(&match pack.language {
            Language::Spanish => format!("Si {wants}: {does}."),
            Language::English => format!("If {wants}: it {does}."),
        });
    }
}

fn anywhere(pack: &Pack, flow: &Node, page: &mut Page) {
    page.heading(2, pack.say("En cualquier momento", "At any time"));
    page.paragraph(pack.say(
        "Esto hace siempre, salvo donde un modo diga otra cosa.",
        "This it does always, unless a mode says otherwise.",
    ));
    intents(pack, flow, page);
    let said = [
        ("clarify", "no está claro qué quiso decir", "it is not clear what was meant"),
        ("unclear", "no lo entiende", "it does not understand"),
        ("other", "le hablan de otra cosa", "they speak of something else"),
        ("reference", "le vuelven a preguntar lo mismo", "they ask the same again"),
        ("unreadable", "le mandan algo sin palabras", "they send something without words"),
        ("back", "una persona le devuelve la conversación", "a person gives the conversation back"),
        ("failed", "algo falla", "something fails"),
        ("spent", "se acabó el presupuesto", "the budget is spent"),
        ("hand_off", "sigue una persona", "a person takes over"),
    ];
    let Some(messages) = flow.get("messages") else { return };
    for (key, spanish, english) in said {
        if let Some((template, _)) = messages.text(key) {
            let when = pack.say(spanish, english);
            let says = pack.say("dice", "it says");
            let when = format!("{} {when}", pack.say("Si", "If"));
            page.item(&format!("{when}, {says} {}.", short(&pack.templates, template)));
        }
    }
}

fn write_mode(pack: &Pack, mode: &Node, page: &mut Page) {
    let name = text(mode, "name");
    page.heading(2, &format!("{} {name}", pack.say("En", "In")));
    page.paragraph(text(mode, "description"));
    let lists = [
        ("enter", pack.say("Al llegar:", "On arriving, it")),
        (
            "bridge",
            pack.say(
                "Después de contestar una pregunta aparte:",
                "After a question beside the order, it",
            ),
        ),
    ];
    for (key, when) in lists {
        if !mode.list(key).is_empty() {
            page.item(&sentence(&format!("{when} {}", pack.actions(mode.list(key)))));
        }
    }
    intents(pack, mode, page);
    for entry in mode.get("after").map_or(&[][..], Node::entries) {
        if let Value::List(actions) = &entry.node.value {
            let after = pack.say("Después de que", "After it");
            let tool = pack.tool(&entry.key);
            page.item(&format!("{after} {tool}: {}.", pack.actions(actions)));
        }
    }
    ways(pack, mode, page);
    if mode.flag("collects") == Some(true) {
        page.item(
            pack.say("Acá se piden los datos que faltan.", "Here the missing data is asked for."),
        );
    }
    if mode.flag("end") == Some(true) {
        page.item(pack.say("Acá termina la conversación.", "Here the conversation ends."));
    }
    for (key, may) in [
        (
            "tools",
            pack.say("Un modelo, si hay uno, puede usar", "A model, if there is one, may use"),
        ),
        ("templates", pack.say("Un modelo puede decir", "A model may say")),
        (
            "own_words",
            pack.say(
                "Un modelo, con palabras suyas, solo puede",
                "A model in words of its own may only",
            ),
        ),
    ] {
        let listed = if key == "own_words" { pack.acts(mode) } else { named(mode, key) };
        if !listed.is_empty() {
            page.detail(&format!("{may}: {listed}."));
        }
    }
}

fn ways(pack: &Pack, mode: &Node, page: &mut Page) {
    let ways: Vec<String> = mode
        .list("to")
        .iter()
        .map(|way| match way.get("when") {
            Some(when) => {
                let only = pack.say("solo si", "only if");
                format!("{} ({only} {})", text(way, "mode"), pack.condition(when))
            }
            None => text(way, "mode").to_owned(),
        })
        .collect();
    if !ways.is_empty() {
        let leads = pack.say("De acá puede pasar a", "From here it may go on to");
        page.item(&format!("{leads}: {}.", ways.join("; ")));
    }
}

fn timers(pack: &Pack, flow: &Node, page: &mut Page) {
    page.heading(2, pack.say("Cuando nadie contesta", "When nobody answers"));
    if flow.list("timers").is_empty() {
        page.paragraph(pack.say("No hace nada.", "It does nothing."));
    }
    for timer in flow.list("timers") {
        let when = timer
            .get("when")
            .map(|when| format!(", {} {}", pack.say("si", "if"), pack.condition(when)));
        let place = format!("{} {}", pack.say("en", "in"), named(timer, "in"));
        let after = pack.span(text(timer, "after"));
        let head = match pack.language {
            Language::Spanish => format!("Tras {after} de silencio {place}"),
            Language::English => format!("After {after} of silence {place}"),
        };
        let does = pack.actions(timer.list("do"));
        let name = text(timer, "name");
        page.item(&format!("{head}{}: {does}. (**{name}**)", when.unwrap_or_default()));
    }
}

fn after_a_yes(pack: &Pack, flow: &Node, page: &mut Page) {
    if flow.list("summaries").is_empty() {
        return;
    }
    page.heading(2, pack.say("Lo que solo hace con un sí", "What it does only after a yes"));
    for summary in flow.list("summaries") {
        let tool = pack.tool(text(summary, "proposes"));
        let asks = pack.say("antes muestra", "it first shows");
        let shown = short(&pack.templates, text(summary, "template"));
        page.item(&sentence(&format!("{tool}: {asks} {shown}")));
        if !summary.list("then").is_empty() {
            let then = pack.say("Con el sí", "At the yes it");
            page.detail(&sentence(&format!("{then} {}", pack.actions(summary.list("then")))));
        }
    }
}

/// When a person takes over, and what happens then.
fn person(pack: &Pack, flow: &Node, page: &mut Page) {
    page.heading(2, pack.say("Cuándo sigue una persona", "When a person takes over"));
    form::escalation(pack, flow, page);
    let Some(handoff) = flow.get("handoff") else { return };
    if let Some((mode, _)) = handoff.text("mode") {
        let stands = pack.say("Mientras tanto está en", "Meanwhile it stands in");
        page.item(&format!("{stands} {mode}."));
    }
    let said = [
        (
            "attending",
            "A quien escribe mientras tanto le dice, una vez,",
            "Who writes meanwhile is told, once,",
        ),
        ("closed", "Si el negocio está cerrado dice", "If the business is closed it says"),
    ];
    for (key, spanish, english) in said {
        if let Some((template, _)) = handoff.text(key) {
            page.item(&format!(
                "{} {}.",
                pack.say(spanish, english),
                short(&pack.templates, template)
            ));
        }
    }
    if let Some(unattended) = handoff.get("unattended") {
        let nobody = pack.say("Si nadie contesta en", "If nobody answers within");
        let says = pack.say("dice", "it says");
        let said = short(&pack.templates, text(unattended, "say"));
        page.item(&format!("{nobody} {}, {says} {said}.", pack.span(text(unattended, "after"))));
    }
    for back in handoff.list("returns") {
        let goes = pack.say("Cuando la devuelve sigue en", "Given back it goes on in");
        let when = back
            .get("when")
            .map(|when| format!(" {} {}", pack.say("si", "if"), pack.condition(when)));
        page.item(&format!("{goes} {}{}.", text(back, "mode"), when.unwrap_or_default()));
    }
}

fn steps(pack: &Pack, flow: &Node, page: &mut Page) {
    let steps = flow.get("steps").map_or(&[][..], Node::entries);
    if steps.is_empty() {
        return;
    }
    page.heading(2, pack.say("Lo que hace en varios lugares", "What it does in several places"));
    for step in steps {
        if let Value::List(actions) = &step.node.value {
            page.item(&format!("«{}»: {}.", step.key, pack.actions(actions)));
        }
    }
    let conditions = flow.get("conditions").map_or(&[][..], Node::entries);
    if conditions.is_empty() {
        return;
    }
    page.heading(2, pack.say("Qué quieren decir las condiciones", "What the conditions mean"));
    for condition in conditions {
        page.item(&format!("{}: {}.", condition.key, pack.condition(&condition.node)));
    }
}

/// The members of each group of tools and of texts.
fn groups(pack: &Pack, flow: &Node, page: &mut Page) {
    let of = |key| flow.get(key).map_or(&[][..], Node::entries);
    let all: Vec<_> = of("tool_groups").iter().chain(of("template_groups")).collect();
    if all.is_empty() {
        return;
    }
    page.heading(2, pack.say("Qué hay en cada grupo", "What each group holds"));
    for group in all {
        let members = group.node.items().iter().filter_map(Node::value_text);
        let members = members.collect::<Vec<_>>().join(", ");
        page.item(&format!("«{}»: {members}.", group.key));
    }
}

fn tools(pack: &Pack, page: &mut Page) {
    let own = pack.tools.list("tools").iter().chain(pack.tools.list("http"));
    let own: Vec<&Node> = own.collect();
    if own.is_empty() {
        return;
    }
    page.heading(2, pack.say("Con qué actúa", "What it acts with"));
    for tool in own {
        let name = text(tool, "name");
        let mut line = format!("`{name}`: {}", pack.tool(name));
        if let Some(when) = tool.get("when") {
            let only = pack.say("solo si", "only if");
            line.push_str(&format!(", {only} {}", pack.condition(when)));
        }
        if let Some(limit) = tool.get("limit") {
            let most = pack.say("como mucho", "at most");
            let count = limit.whole("count").unwrap_or_default();
            line.push_str(&format!(", {most} {count} / {}", pack.span(text(limit, "per"))));
        }
        page.item(&format!("{line}."));
    }
}

/// The promises that the engine and the flow hold to, whoever asks otherwise.
fn never(pack: &Pack, flow: &Node, page: &mut Page) {
    page.heading(2, pack.say("Lo que no pasa nunca", "What never happens"));
    for summary in flow.list("summaries") {
        let tool = text(summary, "proposes");
        let does = engine_tool(tool).map_or(tool, |tool| tool.does(pack.language));
        let without = pack.say(
            "sin un sí entero del cliente al último resumen, dicho después de verlo y sin que nada haya cambiado",
            "without the customer's whole yes to the last summary, said after it and with nothing changed since",
        );
        page.item(&sentence(&format!("{} {does} {without}", pack.say("Nunca", "It never"))));
    }
    for mode in flow.list("modes") {
        for way in mode.list("to") {
            if let Some((because, _)) = way.text("because") {
                let when = way.get("when").map(|when| pack.condition(when)).unwrap_or_default();
                let (from, into) = (text(mode, "name"), text(way, "mode"));
                let because = lowered(because);
                page.item(&match pack.language {
                    Language::Spanish => {
                        format!("De {from} a {into} no pasa si no se cumple: {when} ({because}).")
                    }
                    Language::English => {
                        format!("From {from} to {into} it goes only if {when} ({because}).")
                    }
                });
            }
        }
    }
    let always = [
        (
            "El silencio no confirma nada, ni un «ok», ni un pulgar.",
            "Silence confirms nothing, nor does an «ok» or a thumb.",
        ),
        (
            "Los precios, los totales y a dónde va un pedido no los pone nunca un modelo.",
            "No model ever sets prices, totals or where an order goes.",
        ),
        (
            "No escribe mientras una persona tiene la conversación.",
            "It does not write while a person has the conversation.",
        ),
        ("No deja un mensaje sin respuesta.", "It leaves no message without an answer."),
    ];
    for (spanish, english) in always {
        page.item(pack.say(spanish, english));
    }
}
