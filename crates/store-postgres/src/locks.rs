//! Rows locked by the members of a group. Inside one transaction no lock keeps two members apart,
//! so two that mean the same row do not go together.

use store::sql::Param;

use crate::merge::Request;

/// Locked rows: the caller's place, and the parameters that name the row.
#[derive(Default)]
pub(crate) struct Locks(Vec<(usize, Vec<Param>)>);

impl Locks {
    /// Notes the rows that each caller locks, and returns a caller who locks a row that another has
    /// locked.
    pub(crate) fn take(&mut self, callers: &[Vec<Request>]) -> Option<usize> {
        for (caller, requests) in callers.iter().enumerate() {
            for row in requests.iter().filter_map(locked) {
                if self.0.iter().any(|(by, other)| *by != caller && *other == row) {
                    return Some(caller);
                }
                self.0.push((caller, row));
            }
        }
        None
    }
}

/// The row that a request locks before its caller decides what to write. Statements for many lock
/// none here: their rows are meant by nobody else, or they are right whatever the others do.
fn locked(request: &Request) -> Option<Vec<Param>> {
    let text = request.sql.postgres;
    let locks = !request.sql.each && (text.contains("FOR UPDATE") || text.contains("DO UPDATE"));
    // A row is named by its tenant and an id, or by its tenant, channel and name.
    locks.then(|| request.params.iter().take(3).cloned().collect())
}
