//! The names in an expression: facts, keys of groups, functions and literals.

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr, LiteralValue};
use serde_json::Value as Json;

/// A fact, and the byte of the text where it is first used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) offset: usize,
}

/// A key of a fact that is a group, such as `ciudad` of `datos`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) group: String,
    pub(crate) key: String,
    pub(crate) offset: usize,
}

/// A fact that is compared with a text: `modo == 'resumen'`, `'saludo' in enviados`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compared {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The byte of the expression where the text stands.
    pub(crate) offset: usize,
}

/// Operators whose result depends on nothing but whether values are equal or in order.
const PLAIN: [&str; 13] = [
    "_&&_", "_||_", "!_", "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "_?_:_", "-_",
    "_[_]",
];

/// The functions that a builder may call; operators are written otherwise.
pub(super) const FUNCTIONS: [&str; 13] = [
    "all",
    "exists",
    "exists_one",
    "filter",
    "map",
    "has",
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "string",
    "int",
    "double",
];

#[derive(Default)]
pub(super) struct Names {
    pub(super) variables: Vec<Name>,
    pub(super) paths: Vec<Path>,
    pub(super) literals: Vec<Json>,
    pub(super) compared: Vec<Compared>,
    functions: Vec<String>,
    pub(super) depth: usize,
    pub(super) loops: usize,
}

impl Names {
    /// `offset` says where in the text a node was written.
    pub(super) fn of(root: &IdedExpr, offset: &dyn Fn(u64) -> Option<usize>) -> Self {
        let mut names = Self::default();
        Walk { names: &mut names, offset, own: Vec::new() }.node(root, 1, 0);
        names
    }

    /// Whether it only compares, so that a few values of each fact show all it can be.
    pub(super) fn is_plain(&self) -> bool {
        self.functions.iter().all(|name| PLAIN.contains(&name.as_str()))
    }

    pub(super) fn unknown_function(&self) -> Option<&str> {
        let is_word = |name: &&String| name.chars().all(|letter| letter.is_alphanumeric());
        let words = self.functions.iter().filter(is_word).map(String::as_str);
        words.into_iter().find(|name| !FUNCTIONS.contains(name))
    }
}

struct Walk<'a, 'n> {
    names: &'n mut Names,
    offset: &'a dyn Fn(u64) -> Option<usize>,
    /// Names that a loop gives its items.
    own: Vec<&'a str>,
}

impl<'a> Walk<'a, '_> {
    fn node(&mut self, node: &'a IdedExpr, depth: usize, loops: usize) {
        self.names.depth = self.names.depth.max(depth);
        self.names.loops = self.names.loops.max(loops);
        let depth = depth + 1;
        match &node.expr {
            Expr::Unspecified => {}
            Expr::Ident(name) => self.variable(name, node.id),
            Expr::Literal(literal) => self.names.literals.extend(literal_json(literal)),
            Expr::Select(select) => {
                if let Expr::Ident(group) = &select.operand.expr
                    && !self.own.contains(&group.as_str())
                {
                    let offset = (self.offset)(select.operand.id).unwrap_or_default();
                    let (group, key) = (group.clone(), select.field.clone());
                    self.names.paths.push(Path { group, key, offset });
                }
                self.node(&select.operand, depth, loops);
            }
            Expr::Call(call) => {
                self.names.functions.push(call.func_name.clone());
                self.compared(&call.func_name, &call.args);
                for part in call.target.as_deref().into_iter().chain(&call.args) {
                    self.node(part, depth, loops);
                }
            }
            Expr::List(list) => {
                for item in &list.elements {
                    self.node(item, depth, loops);
                }
            }
            Expr::Map(map) => {
                self.entries(map.entries.iter().map(|entry| &entry.expr), depth, loops)
            }
            Expr::Struct(group) => {
                self.names.functions.push(group.type_name.clone());
                self.entries(group.entries.iter().map(|entry| &entry.expr), depth, loops);
            }
            Expr::Comprehension(inner) => {
                self.node(&inner.iter_range, depth, loops);
                let before = self.own.len();
                self.own.extend([inner.iter_var.as_str(), inner.accu_var.as_str()]);
                self.own.extend(inner.iter_var2.as_deref());
                for part in [&inner.accu_init, &inner.loop_cond, &inner.loop_step, &inner.result] {
                    self.node(part, depth, loops + 1);
                }
                self.own.truncate(before);
            }
        }
    }

    fn compared(&mut self, operator: &str, args: &'a [IdedExpr]) {
        let [left, right] = args else { return };
        let pairs: Vec<(&str, &IdedExpr)> = match (operator, &left.expr, &right.expr) {
            ("_==_" | "_!=_", Expr::Ident(name), Expr::Literal(_)) => vec![(name, right)],
            ("_==_" | "_!=_" | "@in", Expr::Literal(_), Expr::Ident(name)) => vec![(name, left)],
            ("@in", Expr::Ident(name), Expr::List(list)) => {
                list.elements.iter().map(|item| (name.as_str(), item)).collect()
            }
            _ => return,
        };
        for (name, literal) in pairs {
            if let Expr::Literal(LiteralValue::String(text)) = &literal.expr
                && !self.own.contains(&name)
            {
                let offset = (self.offset)(literal.id).unwrap_or_default();
                let (name, text) = (name.to_owned(), text.inner().to_owned());
                self.names.compared.push(Compared { name, text, offset });
            }
        }
    }

    fn entries(
        &mut self,
        entries: impl Iterator<Item = &'a EntryExpr>,
        depth: usize,
        loops: usize,
    ) {
        for entry in entries {
            match entry {
                EntryExpr::StructField(field) => self.node(&field.value, depth, loops),
                EntryExpr::MapEntry(entry) => {
                    self.node(&entry.key, depth, loops);
                    self.node(&entry.value, depth, loops);
                }
            }
        }
    }

    fn variable(&mut self, name: &'a str, id: u64) {
        let is_known = self.names.variables.iter().any(|known| known.name == name);
        if !is_known && !self.own.contains(&name) && !name.starts_with('@') {
            let offset = (self.offset)(id).unwrap_or_default();
            self.names.variables.push(Name { name: name.to_owned(), offset });
        }
    }
}

fn literal_json(literal: &LiteralValue) -> Option<Json> {
    match literal {
        LiteralValue::String(text) => Some(text.inner().into()),
        LiteralValue::Int(number) => Some((*number.inner()).into()),
        LiteralValue::Double(number) => Some((*number.inner()).into()),
        _ => None,
    }
}
