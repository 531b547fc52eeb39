//! Merges the requests of several callers into one order, so that like requests become one
//! statement.

use std::collections::VecDeque;
use std::ptr;

use domain::WorkspaceId;
use store::StoreError;
use store::sql::{Param, Sql, Statement};

/// The rows that row security lets through: a tenant's, and perhaps the lanes of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) workspace: Option<WorkspaceId>,
    /// Whether lanes of all tenants are open too.
    pub(crate) scheduler: bool,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) sql: Sql,
    pub(crate) params: Vec<Param>,
    /// The error that the transaction ends with if no row is found or changed.
    pub(crate) guard: Option<StoreError>,
    pub(crate) scope: Scope,
}

impl Request {
    pub(crate) fn new(statement: Statement, scope: Scope, guard: Option<StoreError>) -> Self {
        Self { sql: statement.sql, params: statement.params, guard, scope }
    }

    /// Whether the statement and scope are the same. Texts are constants, so comparing their
    /// addresses suffices.
    fn is(&self, sql: Sql, scope: Scope) -> bool {
        ptr::eq(self.sql.postgres, sql.postgres) && self.scope == scope
    }
}

/// A caller's share of a statement.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) caller: usize,
    /// The request's place among those of its caller.
    pub(crate) place: usize,
    pub(crate) params: Vec<Param>,
    pub(crate) guard: Option<StoreError>,
}

/// A statement that is sent once, for all callers who ask it.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) sql: Sql,
    pub(crate) scope: Scope,
    pub(crate) shares: Vec<Share>,
}

/// Merges the requests. Every caller's requests keep their order; like requests that are next for
/// several callers become one statement, unless they change one row, because PostgreSQL would apply
/// only one of the changes. With `apart`, each request stays alone.
pub(crate) fn merge(callers: Vec<Vec<Request>>, apart: bool) -> Vec<Batch> {
    let mut waiting: Vec<VecDeque<_>> =
        callers.into_iter().map(|all| all.into_iter().enumerate().collect()).collect();
    let mut batches = Vec::new();
    while let Some((sql, scope)) = chosen(&waiting) {
        let mut shares = Vec::new();
        for (caller, requests) in waiting.iter_mut().enumerate() {
            while (shares.is_empty() || (sql.each && !apart))
                && let Some((place, Request { params, guard, .. })) = requests
                    .pop_front_if(|(_, next)| next.is(sql, scope) && !changes_one_of(&shares, next))
            {
                shares.push(Share { caller, place, params, guard });
            }
        }
        // Rows are locked in the order of their keys by every group, so that two groups never
        // deadlock. Inserted rows keep the order in which they were asked for.
        if !sql.postgres.starts_with("INSERT") {
            shares.sort_by_key(|share| key(&share.params));
        }
        batches.push(Batch { sql, scope, shares });
    }
    batches
}

/// Whether the next request changes a row that one of these changes: tenant and row are the same.
fn changes_one_of(shares: &[Share], next: &Request) -> bool {
    let row = next.params.iter().take(2);
    next.sql.postgres.starts_with("UPDATE")
        && shares.iter().any(|share| row.clone().eq(share.params.iter().take(2)))
}

/// The statement that is sent next: of the callers' first requests, the one that the fewest other
/// callers still have behind something else.
fn chosen(waiting: &[VecDeque<(usize, Request)>]) -> Option<(Sql, Scope)> {
    let mut fronts: Vec<(Sql, Scope)> = Vec::new();
    for (_, first) in waiting.iter().filter_map(VecDeque::front) {
        if !fronts.iter().any(|(sql, scope)| first.is(*sql, *scope)) {
            fronts.push((first.sql, first.scope));
        }
    }
    if let [only] = fronts.as_slice() {
        return Some(*only);
    }
    let behind = |(sql, scope): &(Sql, Scope)| {
        let later = |all: &&VecDeque<(usize, Request)>| {
            let mut all = all.iter();
            !all.next().is_some_and(|(_, first)| first.is(*sql, *scope))
                && all.any(|(_, later)| later.is(*sql, *scope))
        };
        waiting.iter().filter(later).count()
    };
    // Among equals the tenant decides, so that groups lock tenants in one order too.
    fronts.into_iter().min_by_key(|front| (behind(front), front.1.workspace))
}

/// Tenant and row, the first two parameters of every statement of the message path.
fn key(params: &[Param]) -> [u128; 2] {
    let id = |at: usize| match params.get(at) {
        Some(Param::Uuid(id)) => id.as_u128(),
        _ => 0,
    };
    [id(0), id(1)]
}

#[cfg(test)]
mod tests {
    use store::statement;
    use uuid::Uuid;

    use super::*;

    const LOCK: Sql = Sql::each("SELECT lock");
    const SAVE: Sql = Sql::each("UPDATE save");
    const ADD: Sql = Sql::each("INSERT add");
    const ALONE: Sql = Sql::both("SELECT alone");

    fn asks(sql: Sql, row: u128) -> Request {
        let statement = statement!(sql, Uuid::nil(), Uuid::from_u128(row));
        Request::new(statement, Scope::default(), None)
    }

    /// Each statement with the callers and the places that share it.
    fn told(batches: &[Batch]) -> Vec<(&str, Vec<(usize, usize)>)> {
        let shares =
            |batch: &Batch| batch.shares.iter().map(|one| (one.caller, one.place)).collect();
        batches.iter().map(|batch| (batch.sql.postgres, shares(batch))).collect()
    }

    #[test]
    fn what_is_alike_is_asked_once_and_everybody_keeps_their_order() {
        let callers = || {
            vec![
                vec![asks(LOCK, 9), asks(ADD, 1), asks(ADD, 2), asks(SAVE, 9)],
                vec![asks(LOCK, 4), asks(SAVE, 4)],
                vec![asks(LOCK, 6), asks(ALONE, 6), asks(ADD, 3), asks(SAVE, 6)],
            ]
        };
        let merged = merge(callers(), false);
        assert_eq!(
            told(&merged),
            [
                ("SELECT lock", vec![(1, 0), (2, 0), (0, 0)]),
                ("SELECT alone", vec![(2, 1)]),
                ("INSERT add", vec![(0, 1), (0, 2), (2, 2)]),
                ("UPDATE save", vec![(1, 1), (2, 3), (0, 3)]),
            ],
            "locks in the order of their rows, what is added in the order it was said"
        );
        assert!(merge(callers(), true).iter().all(|batch| batch.shares.len() == 1));
    }

    #[test]
    fn what_is_not_for_many_or_not_of_one_tenant_stays_apart() {
        let merged = merge(vec![vec![asks(ALONE, 1)], vec![asks(ALONE, 2)]], false);
        assert_eq!(merged.len(), 2);
        let mut other = asks(SAVE, 2);
        other.scope.scheduler = true;
        assert_eq!(merge(vec![vec![asks(SAVE, 1)], vec![other]], false).len(), 2);
    }
}
