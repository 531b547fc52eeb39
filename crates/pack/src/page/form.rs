//! The sections of a form: what is asked for, and when a person takes over.

use document::Node;

use super::quote::{sentence, short};
use super::{Language, Pack, Page};
use crate::look::texts;

pub(super) fn write(pack: &Pack, form: &Node, page: &mut Page) {
    fields(pack, form, page);
    page.heading(2, pack.say("Qué dice en cada caso", "What it says in each case"));
    messages(pack, form, page);
    let off_topic = form.get("off_topic").map(|own| texts(own, "intents"));
    for (intent, _) in off_topic.into_iter().flatten() {
        let (wants, reply) = (pack.meaning(intent), reply(pack, intent));
        page.item(&match pack.language {
            Language::Spanish => format!("Si {wants}: {reply}."),
            Language::English => format!("If {wants}: it {reply}."),
        });
    }
    let listed: Vec<&str> = form
        .get("off_topic")
        .map_or_else(Vec::new, |own| texts(own, "intents").map(|(name, _)| name).collect());
    for intent in pack.intents.list("intents") {
        let name = intent.text("name").map_or("", |(name, _)| name);
        if !listed.contains(&name) {
            page.item(&sentence(&pack.meaning(name)));
        }
    }
    page.heading(2, pack.say("Cuando nadie contesta", "When nobody answers"));
    if let Some(reminder) = form.get("reminder") {
        let text = |key| reminder.text(key).map_or("", |(text, _)| text);
        let after = pack.span(text("after"));
        let said = short(&pack.templates, text("template"));
        page.item(&match pack.language {
            Language::Spanish => format!("Tras {after} recuerda, una sola vez: {said}."),
            Language::English => format!("After {after} it reminds, once: {said}."),
        });
    }
    page.heading(2, pack.say("Cuándo sigue una persona", "When a person takes over"));
    escalation(pack, form, page);
    page.heading(2, pack.say("Lo que no pasa nunca", "What never happens"));
    for (spanish, english) in [
        (
            "No inventa un dato ni da por bueno uno que no sirve.",
            "It makes no datum up and takes none that is not valid.",
        ),
        (
            "No escribe mientras una persona tiene la conversación.",
            "It does not write while a person has the conversation.",
        ),
        ("No deja un mensaje sin respuesta.", "It leaves no message without an answer."),
    ] {
        page.item(pack.say(spanish, english));
    }
}

/// The answer to an intent beside the point.
fn reply(pack: &Pack, name: &str) -> String {
    let mut own = pack.intents.list("intents").iter();
    let own = own.find(|one| one.text("name").is_some_and(|(own, _)| own == name));
    match own.and_then(|intent| intent.text("reply")) {
        Some((template, _)) => {
            let said = short(&pack.templates, template);
            format!(
                "{} {said} {}",
                pack.say("dice", "says"),
                pack.say("y vuelve a preguntar", "and asks again")
            )
        }
        None => pack.say("vuelve a preguntar", "asks again").to_owned(),
    }
}

/// The fields, in the order in which they are asked for.
pub(super) fn fields(pack: &Pack, form: &Node, page: &mut Page) {
    page.heading(2, pack.say("Qué datos pide", "What it asks for"));
    for field in form.list("fields") {
        let text = |key| field.text(key).map(|(text, _)| text);
        let mut line = format!("**{}**", text("label").unwrap_or_default());
        match text("ask") {
            Some(ask) => line.push_str(&format!(": {}", short(&pack.templates, ask))),
            None => line.push_str(pack.say(
                ": lo anota si se lo dan, y no lo pide",
                ": noted when given, and never asked for",
            )),
        }
        if field.flag("optional") == Some(true) {
            line.push_str(pack.say(" (se puede omitir)", " (may be left out)"));
        }
        if let Some(invalid) = text("invalid") {
            let wrong = pack.say("; si no sirve: ", "; if it is not valid: ");
            line.push_str(&format!("{wrong}{}", short(&pack.templates, invalid)));
        }
        page.item(&format!("{line}."));
    }
    let attempts = form.get("attempts").and_then(|attempts| attempts.whole("limit"));
    if let Some(times) = attempts {
        page.item(&match pack.language {
            Language::Spanish => {
                format!("Tras {times} intentos fallidos en un dato ofrece o llama a una persona.")
            }
            Language::English => {
                format!("After {times} failures at one of them a person is offered or called.")
            }
        });
    }
}

fn messages(pack: &Pack, form: &Node, page: &mut Page) {
    let said = [
        ("welcome", "Al empezar", "At the beginning"),
        ("redirect", "Para volver al tema", "To come back to the point"),
        ("invalid", "Si un dato no sirve", "If a value is not valid"),
        ("noted", "Si dan algo además", "If more is given"),
        ("corrected", "Si corrigen algo", "If something is corrected"),
        ("which_field", "Si no dicen qué corregir", "If they do not say what to correct"),
        ("propose", "Si cree saber qué quisieron decir", "If it believes to know what was meant"),
        ("help", "Tras varios intentos", "After several attempts"),
        ("offer_person", "Para ofrecer una persona", "To offer a person"),
        ("complete", "Cuando está todo", "When all is there"),
        ("already_complete", "Si escriben después", "If they write afterwards"),
        ("escalate", "Cuando sigue una persona", "When a person takes over"),
        ("unreadable", "Si mandan algo sin palabras", "If something without words is sent"),
        ("back", "Cuando una persona la devuelve", "When a person gives it back"),
    ];
    let Some(messages) = form.get("messages") else { return };
    for (key, spanish, english) in said {
        if let Some((template, _)) = messages.text(key) {
            let says = pack.say("dice", "it says");
            let when = pack.say(spanish, english);
            page.item(&format!("{when}, {says} {}.", short(&pack.templates, template)));
        }
    }
}

/// The policies that hand a conversation over; what is not written is as the engine has it.
pub(super) fn escalation(pack: &Pack, own: &Node, page: &mut Page) {
    let policy = |name: &str| own.at(&format!("/escalation/{name}"));
    let enabled = |name: &str, default: bool| {
        policy(name).and_then(|policy| policy.flag("enabled")).unwrap_or(default)
    };
    if enabled("keyword", true) {
        page.item(pack.say("Si la pide.", "If they ask for one."));
    }
    if enabled("sentiment", true) {
        page.item(pack.say("Si está muy disconforme.", "If they are very unhappy."));
    }
    if enabled("timeout", false) {
        let after = policy("timeout").and_then(|policy| policy.text("after"));
        let after = after.map_or_else(String::new, |(after, _)| format!(" ({})", pack.span(after)));
        page.item(&format!("{}{after}.", pack.say("Si tarda demasiado", "If it takes too long")));
    }
    for (key, spanish, english) in [
        (
            "errors",
            "mensajes seguidos en los que algo falló",
            "messages in a row in which something failed",
        ),
        (
            "unresolved",
            "mensajes seguidos que no llevaron a nada",
            "messages in a row that led to nothing",
        ),
    ] {
        if let Some(times) = policy(key).and_then(|policy| policy.whole("times")) {
            page.item(&format!(
                "{} {times} {}.",
                pack.say("Con", "At"),
                pack.say(spanish, english)
            ));
        }
    }
}
