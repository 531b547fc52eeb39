//! The situations an expression may be computed in: enough values of each fact it uses to show all
//! that it can be.

use serde_json::{Map, Value as Json, json};

use super::data;
use super::scope::Scope;
use crate::facts::{FACTS, Fact};
use crate::{Expression, Facts};

/// More situations than these are not all tried.
const MOST: usize = 20_000;
/// Of so many texts every combination is tried.
const COMBINED: usize = 6;

/// Situations, as a product of facts that vary independently.
pub(super) struct Worlds {
    base: Facts,
    dimensions: Vec<Vec<Facts>>,
    /// Whether what holds in none of them holds never.
    pub(super) sure: bool,
}

impl Worlds {
    /// The worlds in which the expressions may be computed while the flow is in one of `modes`.
    pub(super) fn of(expressions: &[&Expression], scope: &Scope<'_>, modes: &[&str]) -> Self {
        let uses = Uses::of(expressions);
        let mut worlds = Self { base: Facts::new(), dimensions: Vec::new(), sure: true };
        let used = || FACTS.iter().filter(|fact| uses.has(fact.name));
        worlds.sure = uses.plain || !used().any(Fact::is_open);
        worlds.sure &= scope.intents.is_some() && scope.templates.is_some();
        for (name, value) in &scope.values {
            worlds.base.insert((*name).to_owned(), value.clone());
        }
        for fact in used() {
            let values = fact.tried(scope, &uses, modes);
            if !values.is_empty() {
                worlds.add(fact.name, &uses, values);
            }
        }
        if ["datos", "faltan", "minimos"].iter().any(|name| uses.has(name)) {
            let (states, sure) = data::states(scope, &uses);
            worlds.dimensions.push(states);
            worlds.sure &= sure && scope.fields_are_known;
        }
        worlds.choices(scope, &uses);
        for name in scope.saves.iter().filter(|name| uses.has(name)) {
            worlds.add(name, &uses, saved(name, expressions));
            worlds.sure = false;
        }
        worlds.sure &= worlds.count() <= MOST;
        worlds
    }

    fn add(&mut self, name: &str, uses: &Uses, values: impl IntoIterator<Item = Json>) {
        if uses.has(name) {
            let fact = |value| Map::from_iter([(name.to_owned(), value)]);
            self.dimensions.push(values.into_iter().map(fact).collect());
        }
    }

    /// Every combination of choices, with what is chosen first as `elegido`.
    fn choices(&mut self, scope: &Scope<'_>, uses: &Uses) {
        let elected = uses.has("elegido");
        if !elected && !scope.choices.iter().any(|choice| uses.has(choice.name)) {
            return;
        }
        let mut states = vec![Map::from_iter([("elegido".to_owned(), json!({}))])];
        for choice in &scope.choices {
            let mut next = Vec::new();
            for state in &states {
                for option in std::iter::once(None).chain(choice.options.iter().map(Some)) {
                    let mut state = state.clone();
                    let value = option.and_then(|option| option.get("value").cloned());
                    state.insert(choice.name.to_owned(), value.unwrap_or_else(|| json!("")));
                    if let (Some(option), true) = (option, state["elegido"] == json!({})) {
                        state.insert("elegido".to_owned(), Json::Object(option.clone()));
                    }
                    next.push(state);
                }
            }
            self.sure &= next.len() <= MOST;
            next.truncate(MOST);
            states = next;
        }
        self.dimensions.push(states);
    }

    fn count(&self) -> usize {
        let sizes = self.dimensions.iter().map(Vec::len);
        sizes.fold(1, |count: usize, size| count.saturating_mul(size.max(1)))
    }

    /// All situations, or as many of them spread evenly.
    pub(super) fn iter(&self) -> impl Iterator<Item = Facts> {
        let count = self.count();
        let stride = count.div_ceil(MOST).max(1);
        (0..count).step_by(stride).map(|mut index| {
            let mut facts = self.base.clone();
            for dimension in self.dimensions.iter().filter(|dimension| !dimension.is_empty()) {
                facts.extend(dimension[index % dimension.len()].clone());
                index /= dimension.len();
            }
            facts
        })
    }
}

/// The names and values that expressions use.
#[derive(Default)]
pub(crate) struct Uses {
    names: Vec<String>,
    /// The texts and numbers written in them.
    pub(crate) texts: Vec<String>,
    numbers: Vec<f64>,
    /// The keys of `datos`.
    pub(super) keys: Vec<String>,
    plain: bool,
}

impl Uses {
    fn of(expressions: &[&Expression]) -> Self {
        let literals = || expressions.iter().flat_map(|expression| expression.literals());
        let paths = expressions.iter().flat_map(|expression| expression.paths());
        let mut texts: Vec<String> =
            literals().filter_map(|literal| literal.as_str().map(str::to_owned)).collect();
        texts.sort_unstable();
        texts.dedup();
        let mut keys: Vec<String> =
            paths.filter(|path| path.group == "datos").map(|path| path.key.clone()).collect();
        keys.sort_unstable();
        keys.dedup();
        Self {
            names: expressions.iter().flat_map(|expression| expression.variables()).collect(),
            texts,
            numbers: literals().filter_map(Json::as_f64).collect(),
            keys,
            plain: expressions.iter().all(|expression| expression.is_plain()),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The numbers written in them with a little less and more, and some others.
    pub(crate) fn numbers(&self, others: &[f64]) -> Vec<Json> {
        let near = self.numbers.iter().flat_map(|number| [number - 0.01, *number, number + 0.01]);
        let mut numbers: Vec<f64> = near.chain(others.iter().copied()).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers.into_iter().map(|number| json!(number)).collect()
    }

    /// No names, each of them, all, and every combination of those that are written in an expression.
    pub(crate) fn lists(&self, names: &[&str]) -> Vec<Json> {
        let written: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| self.texts.iter().any(|text| text == name))
            .collect();
        let mut lists: Vec<Vec<&str>> = vec![names.to_vec()];
        lists.extend(names.iter().map(|name| vec![*name]));
        for without in &written {
            lists.push(names.iter().copied().filter(|name| name != without).collect());
        }
        lists.extend(subsets(&written));
        lists.sort();
        lists.dedup();
        lists.into_iter().map(|list| json!(list)).collect()
    }
}

/// Every subset of a few names; of many only none, each and all.
pub(super) fn subsets<'a>(names: &[&'a str]) -> Vec<Vec<&'a str>> {
    if names.len() > COMBINED {
        let mut some: Vec<Vec<&str>> = names.iter().map(|name| vec![*name]).collect();
        some.extend([Vec::new(), names.to_vec()]);
        let without = |left: &&str| names.iter().copied().filter(|name| name != left).collect();
        some.extend(names.iter().map(without).collect::<Vec<_>>());
        return some;
    }
    let chosen = |mask: usize| {
        let names = names.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0);
        names.map(|(_, name)| *name).collect()
    };
    (0..1 << names.len()).map(chosen).collect()
}

/// A tool's answer can be anything; these let an expression be computed at all.
fn saved(name: &str, expressions: &[&Expression]) -> Vec<Json> {
    let paths = expressions.iter().flat_map(|expression| expression.paths());
    let keys: Vec<&str> =
        paths.filter(|path| path.group == name).map(|path| path.key.as_str()).collect();
    let literals = expressions.iter().flat_map(|expression| expression.literals().iter().cloned());
    let values = literals.chain([json!("x"), json!(1), json!(1.5), json!(true), json!({})]);
    let filled = values.map(|value| {
        Json::Object(keys.iter().map(|key| ((*key).to_owned(), value.clone())).collect())
    });
    filled.chain([json!({})]).collect()
}
