//! Lays the `RECADO_…` variables over the tree: each replaces the value that its name spells.

use std::collections::BTreeMap;

use document::suggestion;

use crate::environment::{Environment, Variable};
use crate::expand::expand;
use crate::mistakes::Mistakes;

use crate::schema::{Key, ROOT, Shape, file_key};
use crate::tree::{Entry, Node, Origin, Value};

const PREFIX: &str = "RECADO_";

/// Variables that are no setting: the file's path, the log filter, and those of tests.
const OTHERS: &[&str] = &["RECADO_CONFIG", "RECADO_CRASH_AT", "RECADO_LOG"];
const TESTS: &str = "RECADO_TEST_";

/// The variable of `log`, which cannot take the name of the log filter.
const LOG_FORMAT: &str = "RECADO_LOG_FORMAT";

/// The place in the tree that a variable writes.
struct Target {
    /// The list item that the variable is about; `None` for the top level.
    item: Option<ListItem>,
    path: Vec<String>,
}

/// An item of a list at the top, such as a channel.
#[derive(Clone)]
struct ListItem {
    list: &'static str,
    id: String,
}

pub(crate) fn apply(root: &mut Node, env: &Environment, mistakes: &mut Mistakes) {
    let targets = targets(root, env);
    for name in env.names().filter(|name| name.starts_with(PREFIX)) {
        if OTHERS.contains(&name) || name.starts_with(TESTS) {
            continue;
        }
        let at = Origin::Variable(name.to_owned());
        let Some(target) = targets.get(name) else {
            let hint = suggestion(name, targets.keys().map(String::as_str)).unwrap_or_default();
            mistakes.add(&at, format!("no setting has this name{hint}"));
            continue;
        };
        let value = match env.get(name) {
            Variable::Set(value) => Value::Text(value.to_owned()),
            Variable::Unset => continue,
            Variable::NotText => {
                mistakes.add(&at, "the variable's value is not UTF-8 text");
                Value::Wrong
            }
        };
        match &target.item {
            None => write(root, &target.path, Node { value, at }),
            Some(ListItem { list, id }) => {
                for item in items_mut(root, list) {
                    if id_of(item, env).as_ref() == Some(id) {
                        write(item, &target.path, Node { value: value.clone(), at: at.clone() });
                    }
                }
            }
        }
    }
}

/// The name of every variable that would be read, and the place it writes.
fn targets(root: &Node, env: &Environment) -> BTreeMap<String, Target> {
    let mut targets = BTreeMap::new();
    add_targets(&mut targets, ROOT, PREFIX, None, &[]);
    for Key { name: list, shape } in ROOT {
        let Shape::Each(keys) = shape else { continue };
        for id in root.list(list).iter().filter_map(|item| id_of(item, env)) {
            let prefix = format!("{PREFIX}{}__{}__", variable_part(list), variable_part(&id));
            add_targets(&mut targets, keys, &prefix, Some(&ListItem { list, id }), &[]);
            // An item's id cannot be replaced, because the variable would then name another item
            // than it says.
            targets.remove(&format!("{prefix}ID"));
        }
    }
    if let Some(log) = targets.remove("RECADO_LOG") {
        targets.insert(LOG_FORMAT.to_owned(), log);
    }
    targets
}

fn add_targets(
    targets: &mut BTreeMap<String, Target>,
    keys: &[Key],
    prefix: &str,
    item: Option<&ListItem>,
    parents: &[String],
) {
    for key in keys {
        let variable = format!("{prefix}{}", variable_part(key.name));
        let path = [parents, &[key.name.to_owned()]].concat();
        let target = |path| Target { item: item.cloned(), path };
        match &key.shape {
            Shape::Each(_) => {}
            Shape::Group(keys) => {
                add_targets(targets, keys, &format!("{variable}__"), item, &path);
            }
            Shape::ChoiceOrGroup(_, keys) => {
                add_targets(targets, keys, &format!("{variable}__"), item, &path);
                targets.insert(variable, target(path));
            }
            Shape::Secret => {
                let file_path = [parents, &[file_key(key.name)]].concat();
                targets.insert(format!("{variable}_FILE"), target(file_path));
                targets.insert(variable, target(path));
            }
            _ => {
                targets.insert(variable, target(path));
            }
        }
    }
}

fn variable_part(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}

fn items_mut<'n>(root: &'n mut Node, list: &str) -> &'n mut [Node] {
    let Value::Group(entries) = &mut root.value else {
        return &mut [];
    };
    match entries.iter_mut().find(|entry| entry.key == list).map(|entry| &mut entry.node) {
        Some(Node { value: Value::List(items), .. }) => items,
        _ => &mut [],
    }
}

fn id_of(item: &Node, env: &Environment) -> Option<String> {
    match &item.get("id")?.value {
        Value::Text(id) => expand(id, env).ok(),
        _ => None,
    }
}

/// Writes `node` at `path`, making the groups on the way. The file's value there gives way, and so
/// does the file's other way of giving the same secret.
fn write(group: &mut Node, path: &[String], node: Node) {
    let Some((key, rest)) = path.split_first() else {
        return;
    };
    if !matches!(group.value, Value::Group(_)) {
        *group = Node::group(Vec::new(), node.at.clone());
    }
    let Value::Group(entries) = &mut group.value else {
        return;
    };
    if rest.is_empty() {
        let sibling = key.strip_suffix("_file").map_or_else(|| file_key(key), str::to_owned);
        entries.retain(|entry| {
            let from_variable = matches!(entry.node.at, Origin::Variable(_));
            entry.key != *key && (entry.key != sibling || from_variable)
        });
        entries.push(Entry { key: key.clone(), at: node.at.clone(), node });
        return;
    }
    let index = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
        let at = node.at.clone();
        entries.push(Entry { key: key.clone(), at: at.clone(), node: Node::group(Vec::new(), at) });
        entries.len() - 1
    });
    write(&mut entries[index].node, rest, node);
}
