//! Conversations as lists show them: filtered, newest activity first, page by page.

use domain::{ConversationId, Owner, Role, SessionStatus, Timestamp, WorkspaceId};
use uuid::Uuid;

use super::terms::ContactSearch;
use super::{Param, Row, Sql, Statement, Tx};
use crate::{
    ConversationFilter, LastLine, Listing, SessionSummary, StoreError, StoreResult, Summary,
    statement,
};

/// Conversations examined by one query when no index finds the matches.
const LOOK_THROUGH: i64 = 3_000;
/// Up to this many matches are all read and then sorted. With more, going through the newest
/// conversations finds a page of matches soon.
const FEW: i64 = 600;

macro_rules! columns {
    () => {
        "SELECT c.id, c.channel_id, c.contact_id, k.name, k.phone, c.owner, c.assignee, \
                c.last_customer_message_at, c.active_at, s.agent_id, s.current_mode, s.status, \
                t.role, t.content, t.created_at, h.id "
    };
}

// The open handoff, the last session and its last spoken line. Lines in brackets are notes, which
// change nobody's turn to speak. PostgreSQL gets each by a query of its own: with row security it
// compares a key with a subquery's result only after it has read every row of the workspace.
macro_rules! joined {
    (sqlite) => {
        concat!(
            known!(),
            " LEFT JOIN agent_sessions s ON s.workspace_id = c.workspace_id AND s.id = \
                 (SELECT n.id FROM agent_sessions n WHERE n.workspace_id = c.workspace_id \
                      AND n.conversation_id = c.id ORDER BY n.created_at DESC, n.id DESC LIMIT 1) \
             LEFT JOIN agent_turns t ON t.workspace_id = s.workspace_id AND t.session_id = s.id \
                  AND t.turn_number = (SELECT x.turn_number FROM agent_turns x \
                       WHERE x.workspace_id = s.workspace_id AND x.session_id = s.id \
                       AND NOT (x.role = 'system' AND x.content LIKE '[%') \
                       ORDER BY x.turn_number DESC LIMIT 1) \
             LEFT JOIN handoffs h ON h.workspace_id = c.workspace_id AND h.conversation_id = c.id \
                  AND h.status <> 'resolved' \
             WHERE c.workspace_id = ?1"
        )
    };
    (postgres) => {
        concat!(
            known!(),
            " LEFT JOIN LATERAL (SELECT n.workspace_id, n.id, n.agent_id, n.current_mode, n.status \
                  FROM agent_sessions n WHERE n.workspace_id = c.workspace_id \
                  AND n.conversation_id = c.id ORDER BY n.created_at DESC, n.id DESC LIMIT 1) s ON true \
             LEFT JOIN LATERAL (SELECT x.role, x.content, x.created_at FROM agent_turns x \
                  WHERE x.workspace_id = s.workspace_id AND x.session_id = s.id \
                  AND NOT (x.role = 'system' AND x.content LIKE '[%') \
                  ORDER BY x.turn_number DESC LIMIT 1) t ON true \
             LEFT JOIN LATERAL (SELECT o.id FROM handoffs o WHERE o.workspace_id = c.workspace_id \
                  AND o.conversation_id = c.id AND o.status <> 'resolved' LIMIT 1) h ON true \
             WHERE c.workspace_id = ?1"
        )
    };
}

macro_rules! known {
    () => {
        " JOIN contacts k ON k.workspace_id = c.workspace_id AND k.id = c.contact_id"
    };
}

macro_rules! matching {
    () => {
        " AND (c.active_at, c.id) < (?2, ?3) \
         AND (CAST(?4 AS text) IS NULL OR c.owner = ?4) \
         AND (CAST(?5 AS text) IS NULL OR c.assignee = ?5) \
         AND (CAST(?6 AS text) IS NULL OR c.channel_id = ?6) \
         AND (CAST(?7 AS text) IS NULL OR s.current_mode = ?7) \
         AND (CAST(?8 AS text) IS NULL OR s.status = ?8) \
         AND (CAST(?9 AS bigint) IS NULL OR (h.id IS NOT NULL) = (?9 = 1)) \
         AND (CAST(?11 AS text) IS NULL OR k.terms LIKE ?11 OR k.terms LIKE ?12 \
              OR (k.terms LIKE ?13 AND k.terms LIKE ?14 AND k.terms LIKE ?15)) \
         ORDER BY c.active_at DESC, c.id DESC LIMIT ?10"
    };
}

// Conversations of the workspace for which `$holds` holds too.
macro_rules! all {
    ($holds:expr) => {
        Sql {
            sqlite: concat!(columns!(), "FROM conversations c", joined!(sqlite), $holds),
            postgres: concat!(columns!(), "FROM conversations c", joined!(postgres), $holds),
            each: false,
        }
    };
}

// From the newest down to the given place. SQLite takes the first bound in the text as the end of
// its range, so the lower bound is written first.
const NEWEST: Sql = all!(concat!(
    " AND (c.active_at, c.id) >= (?16, ?17) AND (c.active_at, c.id) < (?2, ?3) \
      AND c.active_at >= 0",
    matching!()
));

// Conversations that people answer have an index of their own.
const HUMANS: Sql = all!(concat!(" AND c.active_at >= 0 AND c.owner = 'human'", matching!()));

// The few conversations that another query found. Both databases are made to begin with them:
// SQLite joins CROSS JOIN in the order written, and PostgreSQL plans nothing across OFFSET 0.
macro_rules! among {
    ($found:expr) => {
        Sql {
            sqlite: concat!(
                columns!(),
                "FROM (",
                $found,
                ") f CROSS JOIN conversations c ON c.workspace_id = ?1 AND c.id = f.id",
                joined!(sqlite),
                matching!()
            ),
            postgres: concat!(
                columns!(),
                "FROM (",
                $found,
                " OFFSET 0) f CROSS JOIN LATERAL (SELECT * FROM conversations y \
                 WHERE y.id = f.id OFFSET 0) c",
                joined!(postgres),
                matching!()
            ),
            each: false,
        }
    };
}

macro_rules! named {
    ($begins:literal $before:literal) => {
        concat!(
            "SELECT conversation_id AS id FROM contact_terms \
             WHERE workspace_id = ?1 AND term >= ",
            $begins,
            " AND term < ",
            $before
        )
    };
}

const NAMED: Sql = among!(concat!(
    "SELECT DISTINCT id FROM (",
    named!("?16" "?17"),
    " UNION ALL ",
    named!("?18" "?19"),
    " UNION ALL ",
    named!("?20" "?21"),
    ") n"
));

const IN_MODE: Sql = among!(
    "SELECT DISTINCT conversation_id AS id FROM agent_sessions \
     WHERE workspace_id = ?1 AND current_mode = ?7 AND created_at >= 0"
);

const COUNT_NAMED: Sql = Sql::both(concat!(
    "SELECT count(*) FROM (",
    named!("?2" "?3"),
    " UNION ALL ",
    named!("?4" "?5"),
    " UNION ALL ",
    named!("?6" "?7"),
    " LIMIT ?8) n"
));

const COUNT_IN_MODE: Sql = Sql::both(
    "SELECT count(*) FROM (SELECT 1 FROM agent_sessions \
        WHERE workspace_id = ?1 AND current_mode = ?2 AND created_at >= 0 LIMIT ?3) n",
);

// Answered from the index alone.
const LOOKED_TO: Sql = Sql::both(
    "SELECT active_at, id FROM conversations \
     WHERE workspace_id = ?1 AND active_at >= 0 AND (active_at, id) < (?2, ?3) \
     ORDER BY active_at DESC, id DESC LIMIT 1 OFFSET ?4",
);

const ONE: Sql = all!(" AND c.id = ?2");

pub(super) const STATEMENTS: &[Sql] = &[NEWEST, HUMANS, NAMED, IN_MODE, ONE, LOOKED_TO];

/// Counts that choose the way to a list; each stops at a bound.
pub(super) const BESIDE: &[Sql] = &[COUNT_NAMED, COUNT_IN_MODE];

type ListPlace = (Timestamp, ConversationId);

pub(super) async fn list<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &ConversationFilter,
) -> StoreResult<Listing> {
    tx.scope(workspace);
    let wanted = match filter.contact.as_deref().map(ContactSearch::of) {
        Some(None) => return Ok(Listing::default()),
        wanted => wanted.flatten(),
    };
    let Some(look) = look(tx, workspace, filter, wanted.as_ref()).await? else {
        return look_through(tx, workspace, filter, wanted.as_ref()).await;
    };
    let rows = tx.query(look).await?;
    Ok(Listing { conversations: summaries(&rows)?, looked_to: None })
}

fn summaries(rows: &[Row]) -> StoreResult<Vec<Summary>> {
    rows.iter().map(summary).collect()
}

/// Chooses the statement that finds all matches without reading every conversation; `None` if there
/// is none.
async fn look<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &ConversationFilter,
    wanted: Option<&ContactSearch>,
) -> StoreResult<Option<Statement>> {
    let asked = || asked(workspace, filter, wanted);
    let with = |sql, more: Vec<Param>| {
        let params = asked().into_iter().chain(more).collect();
        Ok(Some(Statement { sql, params }))
    };
    for (wanted, way) in
        wanted.iter().flat_map(|wanted| wanted.ways().map(move |way| (wanted, way)))
    {
        let mut count = statement!(COUNT_NAMED, workspace);
        count.params.extend(wanted.ranges(way));
        count.params.push(Param::Int(FEW + 1));
        if is_few(&tx.query(count).await?)? {
            return with(NAMED, wanted.ranges(way).to_vec());
        }
    }
    // Only a person's conversation has an open handoff or an assignee, so the index of those
    // serves.
    let by_person = filter.owner == Some(Owner::Human)
        || filter.assignee.is_some()
        || filter.has_handoff == Some(true);
    if by_person {
        return with(HUMANS, Vec::new());
    }
    if let Some(mode) = &filter.mode
        && is_few(&tx.query(statement!(COUNT_IN_MODE, workspace, mode, FEW + 1)).await?)?
    {
        return with(IN_MODE, Vec::new());
    }
    Ok(None)
}

fn is_few(rows: &[Row]) -> StoreResult<bool> {
    rows.first().map_or(Ok(true), |row| Ok(row.int(0)? <= FEW))
}

/// The newest matches among as many conversations as one query examines.
async fn look_through<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    filter: &ConversationFilter,
    wanted: Option<&ContactSearch>,
) -> StoreResult<Listing> {
    let (before, id) = after(filter);
    let looked_to = match matches_all(filter) {
        true => None,
        false => {
            let skipped = LOOK_THROUGH - 1;
            let end = statement!(LOOKED_TO, workspace, before, id, skipped);
            let place = |row: &Row| Ok((row.time(0)?, row.uuid(1)?));
            tx.query(end).await?.first().map(place).transpose()?
        }
    };
    let nowhere: ListPlace = (Timestamp::from_millis(0), ConversationId(Uuid::nil()));
    let (end, last) = looked_to.unwrap_or(nowhere);
    let mut params = asked(workspace, filter, wanted);
    params.extend([Param::from(end), Param::from(last)]);
    let rows = tx.query(Statement { sql: NEWEST, params }).await?;
    Ok(Listing { conversations: summaries(&rows)?, looked_to })
}

fn matches_all(filter: &ConversationFilter) -> bool {
    let ConversationFilter {
        owner: None,
        assignee: None,
        channel: None,
        mode: None,
        status: None,
        contact: None,
        has_handoff: None,
        after: _,
        limit: _,
    } = filter
    else {
        return false;
    };
    true
}

fn after(filter: &ConversationFilter) -> ListPlace {
    let end = (Timestamp::from_millis(i64::MAX), ConversationId(Uuid::max()));
    filter.after.unwrap_or(end)
}

/// The parameters that every list has.
fn asked(
    workspace: WorkspaceId,
    filter: &ConversationFilter,
    wanted: Option<&ContactSearch>,
) -> Vec<Param> {
    let (before, id) = after(filter);
    let patterns = wanted.map_or([const { Param::Null }; 5], ContactSearch::patterns);
    let asked = statement!(
        NEWEST,
        workspace,
        before,
        id,
        filter.owner.map(Owner::as_str),
        filter.assignee.as_ref(),
        filter.channel.as_ref(),
        filter.mode.as_ref(),
        filter.status.map(SessionStatus::as_str),
        filter.has_handoff.map(i64::from),
        filter.limit
    );
    asked.params.into_iter().chain(patterns).collect()
}

pub(super) async fn one<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
) -> StoreResult<Summary> {
    tx.scope(workspace);
    let rows = tx.query(statement!(ONE, workspace, id)).await?;
    summary(rows.first().ok_or(StoreError::NotFound("conversation"))?)
}

fn summary(row: &Row) -> StoreResult<Summary> {
    let last_line = match row.is_null(12) {
        true => None,
        false => Some(LastLine {
            role: row.word(12, Role::parse)?,
            text: row.pii(13)?,
            at: row.time(14)?,
        }),
    };
    let session = match row.is_null(9) {
        true => None,
        false => Some(SessionSummary {
            agent: row.text(9)?.to_owned(),
            mode: row.text(10)?.to_owned(),
            status: row.word(11, SessionStatus::parse)?,
            last_line,
        }),
    };
    Ok(Summary {
        id: row.uuid(0)?,
        channel: row.text(1)?.into(),
        contact_id: row.uuid(2)?,
        contact: row.opt_pii(3)?,
        phone: row.opt_pii(4)?,
        owner: row.word(5, Owner::parse)?,
        assignee: row.opt_text(6)?.map(str::to_owned),
        last_customer_message_at: row.opt_time(7)?,
        active_at: row.time(8)?,
        handoff: if row.is_null(15) { None } else { Some(row.uuid(15)?) },
        session,
    })
}
