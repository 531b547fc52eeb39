//! The parsed files of a pack, and the names they declare.

use std::collections::BTreeMap;

use document::{Node, Place, Value, nearest, parse};

use crate::Source;
use crate::finding::Report;
use crate::schemas::{FORM, INTENTS, MANIFEST, Schema, TEMPLATES};
use crate::shape;

pub(crate) const MANIFEST_FILE: &str = "pack.yaml";
pub(crate) const FORM_FILE: &str = "form.yaml";
pub(crate) const INTENTS_FILE: &str = "intents.yaml";
pub(crate) const TEMPLATES_FILE: &str = "templates.yaml";

/// A file whose text is a document.
pub(crate) struct File<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) tree: Node,
}

/// A file that may not be there, or not be a document, in which case nothing is said about what it
/// should hold.
pub(crate) enum Opened<'a> {
    Absent,
    Broken,
    File(File<'a>),
}

impl<'a> Opened<'a> {
    pub(crate) fn file(&self) -> Option<&File<'a>> {
        match self {
            Self::File(file) => Some(file),
            Self::Absent | Self::Broken => None,
        }
    }
}

/// Parses a file and holds it against its schema.
pub(crate) fn open<'a>(
    source: &'a Source,
    name: &'a str,
    schema: &Schema,
    report: &mut Report,
) -> Opened<'a> {
    let Some(text) = source.get(name) else {
        return Opened::Absent;
    };
    match parse(text) {
        Ok(tree) => {
            shape::check(name, &tree, schema, report);
            Opened::File(File { name, text, tree })
        }
        Err(fault) => {
            report.error(name, &fault.at, fault.message);
            Opened::Broken
        }
    }
}

/// Every file of a pack that is checked against the others.
pub(crate) struct Files<'a> {
    pub(crate) manifest: Opened<'a>,
    /// Those that agents name.
    pub(crate) forms: Vec<Opened<'a>>,
    pub(crate) intents: Opened<'a>,
    pub(crate) templates: Opened<'a>,
}

impl<'a> Files<'a> {
    pub(crate) fn open(source: &'a Source, report: &mut Report) -> Self {
        let manifest = open(source, MANIFEST_FILE, &MANIFEST, report);
        let agents = manifest.file().map_or(&[][..], |file| file.tree.list("agents"));
        let mut names: Vec<&str> = agents
            .iter()
            .filter_map(|agent| agent.text("file"))
            .filter_map(|(name, _)| source.iter().find(|(path, _)| *path == name))
            .map(|(path, _)| path)
            .filter(|path| !SHARED.contains(path))
            .collect();
        // Its mistakes are worth telling although nothing names it yet.
        if names.is_empty() {
            names.push(FORM_FILE);
        }
        names.sort_unstable();
        names.dedup();
        let forms = names.into_iter().map(|name| open(source, name, &FORM, report));
        let forms: Vec<_> = forms.collect();
        let intents = open(source, INTENTS_FILE, &INTENTS, report);
        let templates = open(source, TEMPLATES_FILE, &TEMPLATES, report);
        Self { manifest, forms, intents, templates }
    }

    pub(crate) fn forms(&self) -> impl Iterator<Item = &File<'a>> {
        self.forms.iter().filter_map(Opened::file)
    }

    /// Fields of all forms.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let fields = self.forms().flat_map(|form| form.tree.list("fields"));
        fields.filter_map(|field| Some(field.text("name")?.0)).collect()
    }

    /// Whether a form could not be read, so that a name may be one of its fields.
    pub(crate) fn fields_are_known(&self) -> bool {
        !self.forms.is_empty() && self.forms.iter().all(|form| form.file().is_some())
    }

    /// The templates there are; none if that is not known.
    pub(crate) fn template_keys(&self) -> Option<Vec<&str>> {
        let file = self.templates.file()?;
        Some(file.tree.entries().iter().map(|entry| entry.key.as_str()).collect())
    }

    /// The intents there are; none if that is not known.
    pub(crate) fn intent_names(&self) -> Option<Vec<&str>> {
        match &self.intents {
            Opened::Broken => None,
            Opened::Absent => Some(Vec::new()),
            Opened::File(file) => {
                let intents = file.tree.list("intents").iter();
                Some(intents.filter_map(|intent| Some(intent.text("name")?.0)).collect())
            }
        }
    }
}

/// Files that are no agent's.
pub(crate) const SHARED: [&str; 3] = [MANIFEST_FILE, INTENTS_FILE, TEMPLATES_FILE];

/// The texts of the list under `key`, with their places.
pub(crate) fn texts<'a>(node: &'a Node, key: &str) -> impl Iterator<Item = (&'a str, &'a Place)> {
    node.list(key).iter().filter_map(|item| match item {
        Node { value: Value::Text(text), at } => Some((text.as_str(), at)),
        _ => None,
    })
}

/// Names in the order they come, each with the place where it came first, for what must be unique.
#[derive(Default)]
pub(crate) struct Seen(BTreeMap<String, Place>);

impl Seen {
    /// Where `name` was before.
    pub(crate) fn before(&mut self, name: impl Into<String>, at: &Place) -> Option<Place> {
        match self.0.entry(name.into()) {
            std::collections::btree_map::Entry::Occupied(first) => Some(*first.get()),
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(*at);
                None
            }
        }
    }
}

/// Whether a group has a key that is a slip of one of `keys`: that is reported as such, and not as
/// the lack of the key.
pub(crate) fn slipped(node: &Node, keys: &[&str]) -> bool {
    node.entries().iter().any(|entry| {
        nearest(&entry.key, keys.iter().copied()).is_some_and(|meant| entry.key != meant)
    })
}

pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
