//! A pack as a page of sentences, for whoever answers for the business and not for the code.

mod flow;
mod form;
mod quote;
mod sentences;
mod texts;

use document::{Node, parse};

use crate::look::{INTENTS_FILE, MANIFEST_FILE, TEMPLATES_FILE, TOOLS_FILE};
use crate::source::Source;

/// The language that a page is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Spanish,
    English,
}

/// The page of a pack that was checked, as Markdown, in the pack's own language: what its agents do in
/// each mode on each kind of message, every timer and every text, and what never happens.
pub fn page(source: &Source) -> String {
    let manifest = tree(source, MANIFEST_FILE);
    let locale = manifest.text("locale").map_or("", |(locale, _)| locale);
    let language = if locale.starts_with("es") { Language::Spanish } else { Language::English };
    let pack = Pack {
        language,
        intents: tree(source, INTENTS_FILE),
        templates: tree(source, TEMPLATES_FILE),
        tools: tree(source, TOOLS_FILE),
    };
    let mut page = Page::default();
    let title = manifest.text("title").or_else(|| manifest.text("name"));
    page.heading(1, title.map_or("", |(title, _)| title));
    page.paragraph(&described(&manifest));
    for agent in manifest.list("agents") {
        let file = agent.text("file").map_or("", |(file, _)| file);
        let own = tree(source, file);
        match agent.text("kind") {
            Some(("flow", _)) => {
                let form = own.get("collect").and_then(|collect| collect.text("file"));
                let form = form.map(|(file, _)| tree(source, file));
                flow::write(&pack, &own, form.as_ref(), &mut page);
            }
            _ => form::write(&pack, &own, &mut page),
        }
    }
    texts::write(&pack, &mut page);
    page.text
}

/// The pack's own description, which may run over several lines.
fn described(manifest: &Node) -> String {
    let description = manifest.text("description").map_or("", |(text, _)| text);
    description.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A file as it is written, with the names it uses; nothing where there is no such file.
fn tree(source: &Source, file: &str) -> Node {
    let empty = || Node::group(Vec::new(), Default::default());
    source.get(file).and_then(|text| parse(text).ok()).unwrap_or_else(empty)
}

/// The files that every section looks things up in.
struct Pack {
    language: Language,
    intents: Node,
    templates: Node,
    tools: Node,
}

impl Pack {
    /// The wording in the page's language.
    fn say(&self, spanish: &'static str, english: &'static str) -> &'static str {
        match self.language {
            Language::Spanish => spanish,
            Language::English => english,
        }
    }

    /// A customer who means this, as a sentence that begins with «if» goes on: an infinitive says what
    /// they want, another verb what they do.
    fn meaning(&self, intent: &str) -> String {
        let mut known = self.intents.list("intents").iter();
        let known = known.find(|one| one.text("name").is_some_and(|(name, _)| name == intent));
        let described = known.and_then(|intent| intent.text("description"));
        let marked = format!("(**{intent}**)");
        let Some((described, _)) = described else {
            return format!("{} {marked}", self.say("es eso", "they mean that"));
        };
        let described = quote::lowered(described.trim_end_matches('.'));
        let verb = described.split([' ', ',']).next().unwrap_or_default();
        let subject = match self.language {
            _ if intent == "otro" => self.say("habla de:", "they speak of:"),
            Language::Spanish if is_infinitive(verb) => "quiere",
            Language::Spanish => "el cliente",
            Language::English if verb.ends_with('s') => "the customer",
            Language::English => "they want to",
        };
        format!("{subject} {described} {marked}")
    }
}

/// Whether a Spanish verb is an infinitive, such as `pedir`, `quejarse` or `pensarlo`.
fn is_infinitive(verb: &str) -> bool {
    ["r", "rse", "rlo", "rla"].iter().any(|end| verb.ends_with(end))
}

/// The page as it is written.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn heading(&mut self, level: usize, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&format!("{} {text}\n\n", "#".repeat(level)));
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(&format!("{text}\n\n"));
        }
    }

    fn item(&mut self, text: &str) {
        self.text.push_str(&format!("- {}\n", once_ended(text)));
    }

    /// An item under the last one.
    fn detail(&mut self, text: &str) {
        self.text.push_str(&format!("  - {}\n", once_ended(text)));
    }
}

/// The text without the full stop behind a quotation that ends a sentence itself.
fn once_ended(text: &str) -> String {
    let ends = [".»", "?»", "!»", "…»"];
    match text.strip_suffix('.') {
        Some(before) if ends.iter().any(|end| before.ends_with(end)) => before.to_owned(),
        _ => text.to_owned(),
    }
}
