//! The parsed files of a pack, and the names they declare.

use std::collections::BTreeMap;

use document::{Node, Place, Value, nearest, parse, suggestion};

use crate::Source;
use crate::actions::actions;
use crate::expand::{self, Conditions};
use crate::finding::Report;
use crate::phrases::Words;
use crate::schemas::{COMMERCE, FLOW, FORM, INTENTS, MANIFEST, Schema, TEMPLATES, TOOLS};
use crate::shape;

pub(crate) const MANIFEST_FILE: &str = "pack.yaml";
pub(crate) const FORM_FILE: &str = "form.yaml";
pub(crate) const FLOW_FILE: &str = "flow.yaml";
pub(crate) const TOOLS_FILE: &str = "tools.yaml";
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

/// Which rules a pack is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// All of them: somebody writes the pack, and is told of every mistake.
    Writing,
    /// Only those without which it has no certain meaning: the pack was checked when it was written,
    /// by the rules of that time.
    Kept,
}

/// Parses a file and holds it against its schema.
pub(crate) fn open<'a>(
    source: &'a Source,
    name: &'a str,
    schema: &Schema,
    report: &mut Report,
) -> Opened<'a> {
    let opened = parsed(source, name, report);
    if let Some(file) = opened.file() {
        shape::check(name, &file.tree, schema, report);
    }
    opened
}

fn parsed<'a>(source: &'a Source, name: &'a str, report: &mut Report) -> Opened<'a> {
    let Some(text) = source.get(name) else {
        return Opened::Absent;
    };
    match parse(text) {
        Ok(tree) => Opened::File(File { name, text, tree }),
        Err(fault) => {
            report.error(name, &fault.at, fault.message);
            Opened::Broken
        }
    }
}

/// Every file of a pack that is checked against the others.
pub(crate) struct Files<'a> {
    source: &'a Source,
    pub(crate) manifest: Opened<'a>,
    /// The forms that agents name, and those that flows collect with.
    pub(crate) forms: Vec<Opened<'a>>,
    pub(crate) flows: Vec<Opened<'a>>,
    /// The profiles that flows name.
    pub(crate) commerce: Vec<Opened<'a>>,
    pub(crate) tools: Opened<'a>,
    pub(crate) intents: Opened<'a>,
    pub(crate) templates: Opened<'a>,
}

impl<'a> Files<'a> {
    pub(crate) fn open(source: &'a Source, rules: Rules, report: &mut Report) -> Self {
        let open = |name: &'a str, schema: &Schema, report: &mut Report| match rules {
            Rules::Writing => open(source, name, schema, report),
            Rules::Kept => parsed(source, name, report),
        };
        let manifest = open(MANIFEST_FILE, &MANIFEST, report);
        let (mut forms, mut flows) = agent_files(source, &manifest);
        // Their mistakes are worth telling although nothing names them yet.
        if forms.is_empty() && flows.is_empty() {
            forms.push(FORM_FILE);
            flows.extend(source.get(FLOW_FILE).map(|_| FLOW_FILE));
        }
        let flows = flows.into_iter().map(|name| open(name, &FLOW, report));
        let mut flows: Vec<_> = flows.collect();
        let mut lacks_form = false;
        for flow in flows.iter().filter_map(Opened::file) {
            let file = flow.tree.get("collect").and_then(|collect| collect.text("file"));
            let Some((name, _)) = file else { continue };
            let form = own_file(source, name).filter(|form| *form != flow.name);
            lacks_form |= form.is_none();
            forms.extend(form);
        }
        forms.sort_unstable();
        forms.dedup();
        let forms = forms.into_iter().map(|name| open(name, &FORM, report));
        let mut forms: Vec<_> = forms.collect();
        if lacks_form {
            forms.push(Opened::Absent);
        }
        let commerce = profiles(source, &flows).into_iter();
        let commerce = commerce.map(|name| open(name, &COMMERCE, report)).collect();
        let mut tools = open(TOOLS_FILE, &TOOLS, report);
        if rules == Rules::Writing {
            flows.iter().filter_map(Opened::file).for_each(|flow| anchors(flow, report));
        }
        expanded(&mut flows, &mut tools, report);
        let intents = open(INTENTS_FILE, &INTENTS, report);
        let templates = open(TEMPLATES_FILE, &TEMPLATES, report);
        Self { source, manifest, forms, flows, commerce, tools, intents, templates }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.source.get(name).is_some()
    }

    pub(crate) fn flows(&self) -> impl Iterator<Item = &File<'a>> {
        self.flows.iter().filter_map(Opened::file)
    }

    /// The profile in a file, if it could be read.
    pub(crate) fn commerce(&self, name: &str) -> Option<&File<'a>> {
        self.commerce.iter().filter_map(Opened::file).find(|file| file.name == name)
    }

    pub(crate) fn forms(&self) -> impl Iterator<Item = &File<'a>> {
        self.forms.iter().filter_map(Opened::file)
    }

    /// Fields of all forms.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let fields = self.forms().flat_map(|form| form.tree.list("fields"));
        fields.filter_map(|field| Some(field.text("name")?.0)).collect()
    }

    /// Names of all that a text may use besides what every text may: fields, and what flows declare.
    pub(crate) fn values(&self) -> Vec<&str> {
        let mut names = self.fields();
        for flow in self.flows() {
            let values = flow.tree.get("values").map_or(&[][..], Node::entries);
            names.extend(values.iter().map(|entry| entry.key.as_str()));
            let choices = flow.tree.list("choices").iter();
            names.extend(choices.filter_map(|choice| Some(choice.text("name")?.0)));
            names.extend(saves(&flow.tree));
        }
        names
    }

    /// Whether every agent's file could be read; if not, a name may be one of its fields.
    pub(crate) fn fields_are_known(&self) -> bool {
        let mut all = self.forms.iter().chain(&self.flows).peekable();
        all.peek().is_some() && all.all(|file| file.file().is_some())
    }

    /// The lists of words that phrases are written with.
    pub(crate) fn words(&self) -> Words<'_> {
        let lists = self.intents.file().and_then(|file| file.tree.get("words"));
        let lists = lists.map_or(&[][..], Node::entries).iter().map(|entry| {
            let words = entry.node.items().iter().filter_map(Node::value_text);
            (entry.key.as_str(), words.collect())
        });
        Words { lists: lists.collect(), number: None }
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

/// The profiles that flows name.
fn profiles<'a>(source: &'a Source, flows: &[Opened<'a>]) -> Vec<&'a str> {
    let named = flows.iter().filter_map(|flow| Some(flow.file()?.tree.text("commerce")?.0));
    let mut names: Vec<&str> = named.filter_map(|name| own_file(source, name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Reports an anchor in a flow: whoever reads the file cannot follow it.
fn anchors(flow: &File<'_>, report: &mut Report) {
    if let Some(at) = expand::anchor(flow.text) {
        let message = "an anchor or alias of YAML: give it a name under `steps` or `conditions`, and \
                       write `do: NAME` or `when: NAME` where it is used";
        report.error(flow.name, &at, message);
    }
}

/// Puts what flows name where it is used, in them and in tools.yaml.
fn expanded(flows: &mut [Opened<'_>], tools: &mut Opened<'_>, report: &mut Report) {
    let trees = flows.iter().filter_map(Opened::file).map(|file| &file.tree);
    let conditions = Conditions::of(trees);
    let asked_in_tools = tools.file().map_or("", |file| file.text);
    for flow in flows {
        let Opened::File(file) = flow else { continue };
        file.tree = expand::flow(file.name, file.tree.clone(), asked_in_tools, report);
    }
    if let Opened::File(file) = tools {
        file.tree = conditions.put(file.name, file.tree.clone(), report);
    }
}

/// Files that are no agent's.
pub(crate) const SHARED: [&str; 4] = [MANIFEST_FILE, INTENTS_FILE, TEMPLATES_FILE, TOOLS_FILE];

/// The files that agents name, by what they are taken to be: a misspelt kind as what it is near to.
fn agent_files<'a>(source: &'a Source, manifest: &Opened<'_>) -> (Vec<&'a str>, Vec<&'a str>) {
    let agents = manifest.file().map_or(&[][..], |file| file.tree.list("agents"));
    let (mut forms, mut flows) = (Vec::new(), Vec::new());
    for agent in agents {
        let Some(file) = agent.text("file").and_then(|(name, _)| own_file(source, name)) else {
            continue;
        };
        let kind = agent.text("kind").map_or("form", |(kind, _)| kind);
        let files = match nearest(kind, ["form", "flow"]) {
            Some("flow") => &mut flows,
            _ => &mut forms,
        };
        if !files.contains(&file) {
            files.push(file);
        }
    }
    flows.sort_unstable();
    (forms, flows)
}

/// The names under which a flow keeps what tools answer.
pub(crate) fn saves(flow: &Node) -> Vec<&str> {
    let mut names: Vec<&str> = actions(flow)
        .into_iter()
        .filter_map(|stands| Some(stands.action.text("save")?.0))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A file of the pack that may be an agent's.
fn own_file<'a>(source: &'a Source, name: &str) -> Option<&'a str> {
    let (path, _) = source.iter().find(|(path, _)| *path == name)?;
    (!SHARED.contains(&path)).then_some(path)
}

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

/// Reports a name that is none of `known`; where those are not known, nothing is.
pub(crate) fn unknown(
    file: &File<'_>,
    what: &str,
    name: &str,
    at: &Place,
    known: Option<&[&str]>,
    report: &mut Report,
) {
    let Some(known) = known.filter(|known| !known.contains(&name)) else {
        return;
    };
    let hint = suggestion(name, known.iter().copied()).unwrap_or_default();
    report.error(file.name, at, format!("no {what} is called `{name}`{hint}"));
}
