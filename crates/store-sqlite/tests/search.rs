//! Lists of very many conversations: one query examines a bounded number.

use domain::WorkspaceId;
use store::{ConversationFilter, Conversations};
use store_sqlite::{Options, open};

const MANY: i64 = 4_000;

/// Conversations as they are after a finished exchange, the newest with the highest number.
const ROWS: [&str; 5] = [
    "INSERT INTO workspaces (id, slug, created_at) VALUES ($w, 'shop', 0)",
    "INSERT INTO channels (workspace_id, id, kind, agent_id, max_messages, created_at) \
     VALUES ($w, 'c', 'webchat', 'a', 10, 0)",
    "INSERT INTO contacts (workspace_id, id, name, created_at, conversation_id) \
     SELECT $w, $1, 'Cliente ' || i, 0, $2 FROM $all",
    "INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address, created_at, \
            active_at) SELECT $w, $2, 'c', $1, 'v' || i, 0, i FROM $all",
    "INSERT INTO agent_sessions (workspace_id, id, agent_id, conversation_id, contact_id, status, \
            current_mode, created_at, updated_at, last_activity_at) \
     SELECT $w, $3, 'a', $2, $1, 'active', CASE WHEN i = 7 THEN 'raro' ELSE 'saludo' END, 1, 1, 1 \
     FROM $all",
];

#[tokio::test]
async fn a_list_that_matches_little_is_looked_through_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recado.db");
    let store = open(&Options { path: path.clone(), takes_over_lanes: false }).unwrap();
    let workspace = WorkspaceId::from_slug("shop");
    let file = rusqlite::Connection::open(&path).unwrap();
    for rows in ROWS {
        let series = format!(
            "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY}) \
             SELECT i FROM n)"
        );
        let mut text = rows.replace("$w", &format!("unhex('{}')", workspace.0.simple()));
        text = text.replace("$all", &series);
        for id in 1..=3 {
            let made = format!("unhex(printf('0190%04x70008000%016x', {id}, i))");
            text = text.replace(&format!("${id}"), &made);
        }
        file.execute_batch(&text).unwrap();
    }
    let filter = |filter: ConversationFilter| ConversationFilter { limit: 10, ..filter };
    let channel = Some("otro".into());
    let other = filter(ConversationFilter { channel, ..ConversationFilter::default() });
    let first = store.list(workspace, &other).await.unwrap();
    assert_eq!(
        (first.conversations.len(), first.looked_to.map(|place| place.0.millis())),
        (0, Some(1_001))
    );
    let rest = ConversationFilter { after: first.looked_to, ..other };
    assert_eq!(store.list(workspace, &rest).await.unwrap(), store::Listing::default());

    // By an index all matches are found, however long ago.
    let mode = Some("raro".to_owned());
    let rare = filter(ConversationFilter { mode, ..ConversationFilter::default() });
    let found = store.list(workspace, &rare).await.unwrap();
    assert_eq!((found.conversations.len(), found.looked_to), (1, None));
    let mut indexed = 0;
    loop {
        match store.index_contacts(workspace).await.unwrap() {
            0 => break,
            more => indexed += more,
        }
    }
    assert_eq!(indexed, MANY as u64);
    let contact = Some("cliente 7".to_owned());
    let named = filter(ConversationFilter { contact, ..ConversationFilter::default() });
    let found = store.list(workspace, &named).await.unwrap();
    let first = found.conversations.first().unwrap().contact.clone().unwrap().into_revealed();
    assert_eq!(first, "Cliente 799");
}
