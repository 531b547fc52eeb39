//! Computes an expression from facts, without telling what they hold when that fails.

use std::sync::{Arc, LazyLock};

use cel::common::ast::operators::OPT_SELECT;
use cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, SelectExpr};
use cel::{Context, Env, ExecutionError, IdedExpr, Value as Cel};

use super::convert::from_json;
use super::{Known, Name};

/// Optional values let a key that is not there be null.
static ENVIRONMENT: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(Env::stdlib().with_optional_support(true)));

pub(super) fn compute(root: &IdedExpr, names: &[Name], facts: &dyn Known) -> Result<Cel, String> {
    let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
    for Name { name, .. } in names {
        let fact = facts.fact(name).ok_or_else(|| format!("`{name}` is not known"))?;
        context.add_variable_from_value(name.as_str(), from_json(&fact));
    }
    Cel::resolve(root, &context).map_err(|error| explain(&error))
}

/// The values themselves may be personal, and are left out.
fn explain(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchOverload(error) => {
            let kinds = error.argument_types().join(", ");
            format!("`{}` does not take {kinds}", error.function())
        }
        ExecutionError::UnsupportedBinaryOperator(operator, left, right) => {
            let (left, right) = (left.type_of(), right.type_of());
            format!("`{}` does not take {left} and {right}", sign(operator))
        }
        ExecutionError::UndeclaredReference(name) => format!("`{name}` is not known"),
        ExecutionError::NoSuchKey(key) => format!("there is no key `{key}`"),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "a division by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "the number becomes too large".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "the list is shorter than that".to_owned(),
        _ => "it cannot be computed".to_owned(),
    }
}

/// An operator as it is written.
fn sign(operator: &str) -> &str {
    match operator {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        other => other,
    }
}

/// The same expression with every `group.key` made null where the group lacks the key.
pub(super) fn lenient(node: IdedExpr) -> IdedExpr {
    let IdedExpr { id, expr } = node;
    let expr = match expr {
        Expr::Select(select) if !select.test => return or_null(id, select),
        Expr::Select(select) => {
            Expr::Select(SelectExpr { operand: Box::new(lenient(*select.operand)), ..select })
        }
        Expr::Call(call) => Expr::Call(CallExpr {
            func_name: call.func_name,
            target: call.target.map(|target| Box::new(lenient(*target))),
            args: call.args.into_iter().map(lenient).collect(),
        }),
        Expr::List(mut list) => {
            list.elements = list.elements.into_iter().map(lenient).collect();
            Expr::List(list)
        }
        Expr::Map(mut map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    entry.key = lenient(std::mem::take(&mut entry.key));
                    entry.value = lenient(std::mem::take(&mut entry.value));
                }
            }
            Expr::Map(map)
        }
        Expr::Comprehension(mut loops) => {
            for part in [
                &mut loops.iter_range,
                &mut loops.accu_init,
                &mut loops.loop_cond,
                &mut loops.loop_step,
                &mut loops.result,
            ] {
                *part = lenient(std::mem::take(part));
            }
            Expr::Comprehension(loops)
        }
        other => other,
    };
    IdedExpr { id, expr }
}

fn or_null(id: u64, select: SelectExpr) -> IdedExpr {
    let node = |expr| IdedExpr { id, expr };
    let field = node(Expr::Literal(LiteralValue::String(select.field.into())));
    let found = node(Expr::Call(CallExpr {
        func_name: OPT_SELECT.to_owned(),
        target: None,
        args: vec![lenient(*select.operand), field],
    }));
    node(Expr::Call(CallExpr {
        func_name: "orValue".to_owned(),
        target: Some(Box::new(found)),
        args: vec![node(Expr::Literal(LiteralValue::Null))],
    }))
}
