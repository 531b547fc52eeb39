//! Conditions and values that packs write in CEL: parsed once, bounded, computed from facts.

mod convert;
mod evaluate;
mod names;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use cel::IdedExpr;
use cel::parser::Parser;
use serde_json::{Map, Value as Json};

pub(crate) use names::{Compared, Name, Path};

/// The facts from which an expression is computed, by name.
pub type Facts = Map<String, Json>;

/// Where an expression finds its facts, each made only when it is asked for.
pub trait Known {
    fn fact(&self, name: &str) -> Option<Cow<'_, Json>>;
}

impl Known for Facts {
    fn fact(&self, name: &str) -> Option<Cow<'_, Json>> {
        self.get(name).map(Cow::Borrowed)
    }
}

/// People write conditions of a line or two; what is longer is a mistake.
const MAX_BYTES: usize = 2_000;
/// How deep parentheses and operators may nest.
const MAX_DEPTH: usize = 60;
/// How deep `map`, `filter`, `all` and `exists` may nest: each level multiplies the work.
const MAX_LOOPS: usize = 2;

/// A CEL expression. A key that a group lacks is null, and null equals nothing but null.
#[derive(Clone)]
pub struct Expression {
    text: Arc<str>,
    root: Arc<IdedExpr>,
    names: Arc<names::Names>,
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    pub message: String,
    /// The byte of the text where that shows.
    pub offset: usize,
}

impl Expression {
    /// An expression is no longer than this.
    pub(crate) const MAX_BYTES: usize = MAX_BYTES;

    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let refused = |message: String, offset| ExpressionError { message, offset };
        if text.len() > MAX_BYTES {
            return Err(refused(format!("the expression is longer than {MAX_BYTES} letters"), 0));
        }
        let parser = Parser::new().max_recursion_depth(MAX_DEPTH as u16).error_recovery_limit(1);
        let (root, places) =
            parser.parse_with_source_info(text).map_err(|errors| first_error(text, &errors))?;
        let names = names::Names::of(&root, &|id| {
            let (start, _) = places.offset_for(id)?;
            usize::try_from(start).ok()
        });
        if names.depth > MAX_DEPTH || names.loops > MAX_LOOPS {
            return Err(refused("the expression is nested too deeply".to_owned(), 0));
        }
        if let Some(function) = names.unknown_function() {
            let offset = text.find(function).unwrap_or_default();
            let hint = document::suggestion(function, names::FUNCTIONS).unwrap_or_default();
            return Err(refused(format!("there is no function `{function}`{hint}"), offset));
        }
        let root = Arc::new(evaluate::lenient(root));
        Ok(Self { text: text.into(), root, names: Arc::new(names) })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The facts it is computed from, each once.
    pub fn variables(&self) -> Vec<String> {
        self.names.variables.iter().map(|name| name.name.clone()).collect()
    }

    /// Whether it holds; an error if it is no yes or no.
    pub fn holds(&self, facts: &dyn Known) -> Result<bool, String> {
        match self.compute(facts)? {
            cel::Value::Bool(holds) => Ok(holds),
            other => {
                Err(format!("`{}` is {}, not true or false", self.text, convert::kind(&other)))
            }
        }
    }

    /// The value of the expression; a whole number stays whole.
    pub fn value(&self, facts: &dyn Known) -> Result<Json, String> {
        convert::to_json(&self.compute(facts)?)
    }

    /// The facts it is computed from, with the place in the text of their first use.
    pub(crate) fn names(&self) -> &[Name] {
        &self.names.variables
    }

    /// The keys it takes of groups, such as `datos.ciudad`.
    pub(crate) fn paths(&self) -> &[Path] {
        &self.names.paths
    }

    /// The texts and numbers written in it.
    pub(crate) fn literals(&self) -> &[Json] {
        &self.names.literals
    }

    /// The texts that facts are compared with.
    pub(crate) fn compared(&self) -> &[Compared] {
        &self.names.compared
    }

    /// Whether it only compares and combines, so that a few values of each fact show all it can be.
    pub(crate) fn is_plain(&self) -> bool {
        self.names.is_plain()
    }

    fn compute(&self, facts: &dyn Known) -> Result<cel::Value, String> {
        evaluate::compute(&self.root, &self.names.variables, facts)
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expression({:?})", self.text)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The first mistake of those a parser found, in one line.
fn first_error(text: &str, errors: &cel::ParseErrors) -> ExpressionError {
    let Some(error) = errors.errors.first() else {
        return ExpressionError { message: "no expression".to_owned(), offset: 0 };
    };
    let (line, column) = error.pos;
    let line = usize::try_from(line - 1).unwrap_or_default();
    let column = usize::try_from(column - 1).unwrap_or_default();
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = text.get(before..).unwrap_or_default();
    let within = rest.char_indices().nth(column).map_or(rest.len(), |(offset, _)| offset);
    // The library lists every token it would have taken.
    let reason = error.msg.lines().next().unwrap_or_default();
    let reason = reason.trim_start_matches("Syntax error: ");
    let reason = reason.split(" expecting ").next().unwrap_or_default();
    let reason = reason.replace("'<EOF>'", "the end");
    let reason = match reason.strip_prefix("mismatched input ") {
        Some(input) => format!("{input} is not expected here"),
        None => reason,
    };
    ExpressionError { message: format!("no expression: {reason}"), offset: before + within }
}
