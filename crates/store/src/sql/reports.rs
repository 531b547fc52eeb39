//! Delivery reports: a status that only rises, and the template that replaces a text stopped by a
//! closed window.

use domain::{ConversationId, DeliveryReport, OutboundId, Reference, Timestamp, WorkspaceId};
use uuid::Uuid;

use super::conversations::WAKE_FOR_SEND;
use super::outbox::CLOSE_WINDOW;
use super::status::{becomes, rank};
use super::{Row, Sql, Tx, live};
use crate::{StoreResult, statement};

const FIND_OURS: Sql =
    Sql::both("SELECT id, conversation_id FROM outbox WHERE workspace_id = ?1 AND id = ?2");

const FIND_THEIRS: Sql = Sql::both(
    "SELECT id, conversation_id FROM outbox WHERE workspace_id = ?1 AND provider_ref = ?2",
);

const REPORT: Sql = Sql::both(
    "UPDATE outbox SET status = ?3, rank = ?4, error = coalesce(?5, error), updated_at = ?6 \
     WHERE workspace_id = ?1 AND id = ?2 AND rank < ?4 AND status NOT IN ('failed', 'withheld')",
);

// Withholds a text that the window stopped, which reached nobody. The text's template may go in its
// place under a reference of its own, so that late reports on the text do not apply to the
// template. A text without a template waits for a person.
const WITHHOLD_STOPPED: Sql = Sql::both(concat!(
    "UPDATE outbox SET ",
    becomes!(withheld),
    ", error = ?4, updated_at = ?3, \
            outside_window = CASE WHEN approved IS NULL THEN 1 ELSE 0 END \
     WHERE workspace_id = ?1 AND id = ?2 AND rank < ",
    rank!(failed),
    " AND as_template = 0 \
            AND status NOT IN ('failed', 'withheld') \
     RETURNING CASE WHEN approved IS NULL THEN 0 ELSE 1 END",
));

const TEMPLATE_INSTEAD: Sql = Sql::both(
    "INSERT INTO outbox (workspace_id, id, conversation_id, author, priority, epoch, content, \
            approved, status, rank, next_attempt_at, created_at, updated_at) \
     SELECT workspace_id, ?3, conversation_id, author, priority, epoch, content, approved, \
            'queued', 0, ?4, ?4, ?4 \
     FROM outbox WHERE workspace_id = ?1 AND id = ?2 \
     ON CONFLICT DO NOTHING",
);

pub(super) const STATEMENTS: &[Sql] =
    &[FIND_OURS, FIND_THEIRS, REPORT, WITHHOLD_STOPPED, TEMPLATE_INSTEAD, WAKE_FOR_SEND];

pub(super) struct Applied {
    /// Reports that named a message of ours.
    pub(super) known: usize,
    /// Whether a template waits in the place of a text.
    pub(super) replaced: bool,
}

/// Applies reports in their order.
pub(super) async fn report<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    reports: &[DeliveryReport],
    now: Timestamp,
) -> StoreResult<Applied> {
    tx.scope(workspace);
    let find = |report: &DeliveryReport| match &report.reference {
        Reference::Ours(id) => statement!(FIND_OURS, workspace, *id),
        Reference::Theirs(id) => statement!(FIND_THEIRS, workspace, id),
    };
    let answers = tx.query_all(reports.iter().map(find).collect()).await?;
    let mut applied = Applied { known: 0, replaced: false };
    for (report, rows) in reports.iter().zip(answers) {
        let Some(row) = rows.first() else { continue };
        applied.known += 1;
        if report.window_closed && replace_by_template(tx, workspace, report, row, now).await? {
            applied.replaced = true;
        } else {
            let id: OutboundId = row.uuid(0)?;
            let (status, rank) = (report.status.as_str(), report.status.rank());
            tx.write(statement!(REPORT, workspace, id, status, rank, report.error.as_ref(), now));
            live::tell_delivery(tx, workspace, id, status, now);
        }
    }
    Ok(applied)
}

/// Withholds the text and queues its template if the closed window was the reason of failure.
/// Returns false if the message was not one that the window can stop.
async fn replace_by_template<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    report: &DeliveryReport,
    row: &Row,
    now: Timestamp,
) -> StoreResult<bool> {
    let (id, conversation): (OutboundId, ConversationId) = (row.uuid(0)?, row.uuid(1)?);
    let stop = statement!(WITHHOLD_STOPPED, workspace, id, now, report.error.as_ref());
    let Some(stopped) = tx.query(stop).await?.into_iter().next() else { return Ok(false) };
    tx.write(statement!(CLOSE_WINDOW, workspace, conversation, id));
    if stopped.int(0)? == 1 {
        let template = OutboundId(Uuid::new_v5(&id.0, b"template"));
        tx.write(statement!(TEMPLATE_INSTEAD, workspace, id, template, now));
        tx.write(statement!(WAKE_FOR_SEND, workspace, conversation, now));
    }
    Ok(true)
}
