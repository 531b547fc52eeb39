//! Names of a flow, each replaced by the thing it stands for: steps, conditions, groups
//! of tools and of templates.

use std::collections::BTreeSet;

use document::{Entry, Node, Place, Value, suggestion};

use crate::Expression;
use crate::facts;
use crate::finding::Report;

/// Steps and conditions may use others, but not themselves.
const DEEPEST: usize = 8;

/// More than people name; what comes to more was written to grow.
const MOST: usize = 5_000;

/// Keys under which a pack writes what is its own, in which nothing is looked for.
const ITS_OWN: [&str; 6] = ["values", "with", "set", "known", "messages", "words"];

/// Signs by which a text is an expression and no name.
const SIGNS: &[char] = &['=', '<', '>', '!', '&', '|', '(', ')', '[', ']', '"', '\'', '.', '?'];

/// The conditions that flows name, for what tools.yaml asks for.
#[derive(Default)]
pub(crate) struct Conditions(Vec<Entry>);

impl Conditions {
    /// The conditions of flows as they are written.
    pub(crate) fn of<'a>(flows: impl Iterator<Item = &'a Node>) -> Self {
        let own = flows.flat_map(|flow| entries(flow, "conditions").to_vec());
        Self(own.collect())
    }

    /// Puts them where tools.yaml names them. A condition keeps its place in tools.yaml, since its
    /// own is in another file.
    pub(crate) fn put(&self, file: &str, tree: Node, report: &mut Report) -> Node {
        let mut expand =
            Expand { file, conditions: &self.0, keeps_place: true, ..Expand::none(report) };
        expand.node(tree, 0)
    }
}

/// The flow with everything it names put where it is used; what is named and never used is reported.
pub(crate) fn flow(file: &str, tree: Node, tools: &str, report: &mut Report) -> Node {
    let named = tree.clone();
    let mut expand = Expand {
        file,
        steps: entries(&named, "steps"),
        conditions: entries(&named, "conditions"),
        groups: [entries(&named, "tool_groups"), entries(&named, "template_groups")],
        ..Expand::none(report)
    };
    expand.names();
    let tree = expand.node(tree, 0);
    expand.unused(tools);
    tree
}

struct Expand<'a, 'r> {
    file: &'a str,
    steps: &'a [Entry],
    conditions: &'a [Entry],
    groups: [&'a [Entry]; 2],
    /// Whether a condition is reported where it is used instead of where it is named.
    keeps_place: bool,
    used: BTreeSet<(usize, usize)>,
    /// How many names were followed.
    followed: usize,
    report: &'r mut Report,
}

fn entries<'a>(tree: &'a Node, key: &str) -> &'a [Entry] {
    tree.get(key).map_or(&[][..], Node::entries)
}

fn find<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.key == name)
}

impl<'a, 'r> Expand<'a, 'r> {
    fn none(report: &'r mut Report) -> Self {
        let (used, keeps_place) = (BTreeSet::new(), false);
        Self {
            file: "",
            steps: &[],
            conditions: &[],
            groups: [&[], &[]],
            keeps_place,
            used,
            followed: 0,
            report,
        }
    }

    /// A name means one thing.
    fn names(&mut self) {
        for entry in self.conditions.iter().filter(|entry| facts::is_known(&entry.key)) {
            let message = format!("the engine uses `{}` for a value of its own", entry.key);
            self.report.error(self.file, &entry.at, message);
        }
    }

    fn node(&mut self, node: Node, depth: usize) -> Node {
        let value = match node.value {
            Value::List(items) => Value::List(self.items(items, depth)),
            Value::Group(entries) => {
                Value::Group(entries.into_iter().map(|entry| self.entry(entry, depth)).collect())
            }
            other => other,
        };
        Node { value, at: node.at }
    }

    fn entry(&mut self, entry: Entry, depth: usize) -> Entry {
        let Entry { key, at, node } = entry;
        let node = match key.as_str() {
            "when" => self.condition(&node, depth),
            "minimum_when" | "conditions" => self.conditions(node, depth),
            "tools" => self.group(node, 0),
            "templates" | "open_after" => self.group(node, 1),
            "tool_groups" | "template_groups" => node,
            key if ITS_OWN.contains(&key) => node,
            _ => self.node(node, depth),
        };
        Entry { key, at, node }
    }

    /// A list, with the actions of each step that it does.
    fn items(&mut self, items: Vec<Node>, depth: usize) -> Vec<Node> {
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            match item.text("do").map(|(name, at)| (name.to_owned(), *at)) {
                Some((name, at)) => all.extend(self.step(&item, &name, &at, depth)),
                None => all.push(self.node(item, depth)),
            }
        }
        all
    }

    fn step(&mut self, item: &Node, name: &str, at: &Place, depth: usize) -> Vec<Node> {
        if let Some(beside) = item.entries().iter().find(|entry| entry.key != "do") {
            let message = format!("`do` stands alone: write `{}` in the step itself", beside.key);
            self.report.error(self.file, &beside.at, message);
        }
        let Some(place) = self.steps.iter().position(|entry| entry.key == name) else {
            let hint = suggestion(name, self.steps.iter().map(|entry| entry.key.as_str()))
                .unwrap_or_else(|| "; write it under `steps`".to_owned());
            self.report.error(self.file, at, format!("no step is called `{name}`{hint}"));
            return Vec::new();
        };
        self.used.insert((0, place));
        self.followed += 1;
        if depth >= DEEPEST || self.followed > MOST {
            self.report.error(self.file, at, format!("the step `{name}` does itself again"));
            return Vec::new();
        }
        match self.steps[place].node.value.clone() {
            Value::List(actions) => self.items(actions, depth + 1),
            _ => Vec::new(),
        }
    }

    /// Conditions by name.
    fn conditions(&mut self, node: Node, depth: usize) -> Node {
        let Value::Group(entries) = node.value else { return node };
        let settled = entries.into_iter().map(|Entry { key, at, node }| {
            let node = self.condition(&node, depth);
            Entry { key, at, node }
        });
        Node { value: Value::Group(settled.collect()), at: node.at }
    }

    /// A condition as one expression: the expression itself, a name, or several that must all hold.
    fn condition(&mut self, node: &Node, depth: usize) -> Node {
        match &node.value {
            Value::Text(text) => self.named(text, node, depth),
            Value::List(items) => {
                let parts: Vec<Node> =
                    items.iter().map(|item| self.condition(item, depth)).collect();
                if parts.iter().any(|part| matches!(part.value, Value::Wrong)) {
                    return Node { value: Value::Wrong, at: node.at };
                }
                let texts = parts.iter().filter_map(|part| match &part.value {
                    Value::Text(text) => Some(text.as_str()),
                    _ => None,
                });
                let joined = all_of(&texts.collect::<Vec<_>>());
                if joined.len() > Expression::MAX_BYTES {
                    let message = "these conditions are too long together";
                    self.report.error(self.file, &node.at, message);
                    return Node { value: Value::Wrong, at: node.at };
                }
                Node { value: Value::Text(joined), at: node.at }
            }
            _ => node.clone(),
        }
    }

    fn named(&mut self, text: &str, node: &Node, depth: usize) -> Node {
        let wrong = || Node { value: Value::Wrong, at: node.at };
        let Some(place) = self.conditions.iter().position(|entry| entry.key == text) else {
            let names = self.conditions.iter().map(|entry| entry.key.as_str());
            if text.contains(SIGNS) || Expression::parse(text).is_ok() {
                return node.clone();
            }
            let hint = suggestion(text, names)
                .unwrap_or_else(|| "; write it under `conditions`".to_owned());
            let message = format!("no condition is called `{text}`{hint}");
            self.report.error(self.file, &node.at, message);
            return wrong();
        };
        self.used.insert((1, place));
        self.followed += 1;
        if depth >= DEEPEST || self.followed > MOST {
            let message = format!("the condition `{text}` asks for itself");
            self.report.error(self.file, &node.at, message);
            return wrong();
        }
        let Node { value, at } = self.condition(&self.conditions[place].node, depth + 1);
        Node { value, at: if self.keeps_place { node.at } else { at } }
    }

    /// A list of names, with those of each group in its place.
    fn group(&mut self, node: Node, kind: usize) -> Node {
        let Value::List(items) = node.value else { return node };
        let mut all: Vec<Node> = Vec::new();
        for item in items {
            // In tools.yaml the list holds the tools themselves.
            let Value::Text(name) = &item.value else {
                all.push(self.node(item, 0));
                continue;
            };
            let members = find(self.groups[kind], name).map(|group| &group.node.value);
            let Some(Value::List(members)) = members else {
                // A member of a group that is named besides is there once.
                if !all.iter().any(|one| one.value_text() == Some(name.as_str())) {
                    all.push(item);
                }
                continue;
            };
            let place = self.groups[kind].iter().position(|group| group.key == *name);
            self.used.extend(place.map(|place| (2 + kind, place)));
            for member in members {
                let known = all.iter().any(|one| one.value_text() == member.value_text());
                all.extend((!known).then(|| member.clone()));
            }
        }
        Node { value: Value::List(all), at: node.at }
    }

    /// Reports what is named and never used, in the flow or in the text of tools.yaml.
    fn unused(&mut self, tools: &str) {
        let named = [self.steps, self.conditions, self.groups[0], self.groups[1]];
        for (kind, entries) in named.into_iter().enumerate() {
            for (place, entry) in entries.iter().enumerate() {
                let elsewhere = kind == 1 && tools.contains(&entry.key);
                if !elsewhere && !self.used.contains(&(kind, place)) {
                    let message = format!("nothing uses `{}`", entry.key);
                    self.report.warning(self.file, &entry.at, message);
                }
            }
        }
    }
}

/// A condition that holds if all of these do.
fn all_of(texts: &[&str]) -> String {
    match texts {
        [only] => (*only).to_owned(),
        several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && "),
    }
}

/// Where a text uses an anchor of YAML or an alias, which nobody who reads the file can follow.
pub(crate) fn anchor(text: &str) -> Option<Place> {
    let mut start = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if let Some(column) = anchored(line) {
            let before = line[..column].chars().count();
            let at = start + column;
            return Some(Place { line: number, column: before as u64 + 1, start: at, end: at + 1 });
        }
        start += line.len();
    }
    None
}

/// The byte of a line at which `&name` or `*name` stands for a value.
fn anchored(line: &str) -> Option<usize> {
    line.match_indices(['&', '*']).map(|(at, _)| at).find(|at| {
        let before = line[..*at].trim_end();
        let opens = before.is_empty() || before.ends_with([':', '-', '[', ',', '{']);
        let name = &line[at + 1..];
        let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (name, after) = name.split_at(end.unwrap_or(name.len()));
        let closes = after.is_empty() || after.starts_with(['\n', '\r', ' ', ',', ']', '}']);
        let quoted = before.matches(['"', '\'']).count() % 2 == 1 || before.contains('#');
        opens && closes && !name.is_empty() && !quoted
    })
}
