//! Conversations: the list and one of them.

use axum::Json;
use axum::extract::State;
use domain::{ChannelId, ChannelKind, ConversationId, SERVICE_WINDOW_MS, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{ConversationFilter, KeyRole, Summary};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::{Caller, Viewer};
use super::input::{Named, Params};
use super::page::{self, Page};
use super::problems::Refusals;
use super::words::{OwnerWord, SessionWord, Speaker, time};
use crate::App;
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Filter {
    /// Only conversations that the bot answers, or a person.
    owner: Option<OwnerWord>,
    /// The person who has it.
    assignee: Option<String>,
    channel: Option<String>,
    /// The mode of its newest session.
    mode: Option<String>,
    /// The status of its newest session.
    status: Option<SessionWord>,
    /// Whether it waits for a person.
    has_handoff: Option<bool>,
    /// Words as those of the contact's name begin, or a phone or address as it begins or ends (with or
    /// without the country's digits).
    q: Option<String>,
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct ContactCard {
    id: Uuid,
    name: Option<String>,
    phone: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct LineCard {
    role: Speaker,
    text: String,
    at: String,
}

/// A conversation as the list shows it.
#[derive(Serialize, ToSchema)]
pub(super) struct Card {
    id: Uuid,
    channel: String,
    contact: ContactCard,
    owner: OwnerWord,
    /// The person who has it.
    assignee: Option<String>,
    agent: Option<String>,
    mode: Option<String>,
    status: Option<SessionWord>,
    last_line: Option<LineCard>,
    /// Whether the customer spoke last.
    waiting: bool,
    /// The handoff that is open in it.
    handoff: Option<Uuid>,
    active_at: String,
    customer_wrote_at: Option<String>,
    /// From when on only approved templates may be sent, on channels that have such a window.
    window_closes_at: Option<String>,
}

/// A conversation with where its session stands.
#[derive(Serialize, ToSchema)]
pub(super) struct Conversation {
    #[serde(flatten)]
    card: Card,
    /// The customer's address on the channel; of a web chat's visitor, a viewer sees the beginning.
    address: String,
    /// The contact's known data.
    #[schema(value_type = Object)]
    contact_data: Value,
    session: Option<SessionCard>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct SessionCard {
    id: Uuid,
    agent: String,
    agent_version: String,
    mode: String,
    status: SessionWord,
    began_at: String,
    /// Data, templates sent, intents seen, choices, milestones and the agent's own memory.
    #[schema(value_type = Object)]
    state: Value,
}

#[utoipa::path(get, path = "/conversations", tag = "conversations",
    operation_id = "list_conversations", security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<Card>), Refusals))]
/// Conversations, newest activity first
///
/// A page looks through the newest few thousand conversations: it may be short and still have a `next`.
pub(super) async fn list(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<Card>>, Problem> {
    let limit = page::limit(filter.limit)?;
    let place: Option<(Timestamp, ConversationId)> = page::place(filter.after.as_deref())?;
    let wanted = ConversationFilter {
        owner: filter.owner.map(Into::into),
        assignee: filter.assignee,
        channel: filter.channel.map(ChannelId),
        mode: filter.mode,
        status: filter.status.map(Into::into),
        contact: filter.q.filter(|text| !text.is_empty()),
        has_handoff: filter.has_handoff,
        after: place,
        limit: limit + 1,
    };
    let found = app.store().list(caller.workspace, &wanted).await?;
    let place = |row: &Summary| (row.active_at, row.id);
    let page = Page::of(found.conversations, limit, place, |row| card(&app, row));
    Ok(Json(page.going_on_at(found.looked_to)))
}

#[utoipa::path(get, path = "/conversations/{id}", tag = "conversations",
    operation_id = "get_conversation", security(("key" = ["viewer"])),
    params(("id" = Uuid, Path, description = "The conversation")),
    responses((status = 200, body = Conversation), Refusals))]
/// Read a conversation
pub(super) async fn get(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Named(id): Named<ConversationId>,
) -> Result<Json<Conversation>, Problem> {
    read(&app, &caller, id).await.map(Json)
}

/// How a conversation stands, also after something was done to it.
pub(super) async fn read(
    app: &App,
    caller: &Caller,
    id: ConversationId,
) -> Result<Conversation, Problem> {
    let (store, workspace) = (app.store(), caller.workspace);
    let summary = store.summary(workspace, id).await?;
    let whole = store.get(workspace, id).await?;
    let session = store.session(workspace, id).await?;
    Ok(Conversation {
        address: address(app, caller, &summary.channel, whole.address.into_revealed()),
        card: card(app, summary),
        contact_data: Value::Object(whole.contact.data),
        session: session.map(|session| SessionCard {
            id: session.id.0,
            agent: session.agent,
            agent_version: session.agent_version,
            mode: session.mode,
            status: session.status.into(),
            began_at: time(session.created_at),
            state: serde_json::to_value(&session.state).unwrap_or_default(),
        }),
    })
}

/// A key that only reads is not shown a name that stands for a visitor and nobody else.
fn address(app: &App, caller: &Caller, channel: &ChannelId, address: String) -> String {
    let outlet = app.connected().outlet(channel);
    let is_web = outlet.is_none_or(|outlet| outlet.channel.kind == ChannelKind::Webchat);
    if is_web && caller.key.role < KeyRole::Operator {
        let shown = 8.min(address.chars().count() / 2);
        return address.chars().take(shown).chain(['…']).collect();
    }
    address
}

fn card(app: &App, row: Summary) -> Card {
    let has_window = app.connected().outlet(&row.channel);
    let has_window = has_window.is_some_and(|outlet| outlet.channel.kind.has_window());
    let window = row.last_customer_message_at.filter(|_| has_window);
    let session = row.session;
    let last = session.as_ref().and_then(|session| session.last_line.as_ref());
    let customer_spoke = last.is_some_and(|line| line.role == domain::Role::User);
    Card {
        id: row.id.0,
        channel: row.channel.0,
        contact: ContactCard {
            id: row.contact_id.0,
            name: row.contact.map(domain::Pii::into_revealed),
            phone: row.phone.map(domain::Pii::into_revealed),
        },
        owner: row.owner.into(),
        assignee: row.assignee,
        last_line: last.map(|line| LineCard {
            role: line.role.into(),
            text: line.text.reveal().clone(),
            at: time(line.at),
        }),
        waiting: customer_spoke,
        agent: session.as_ref().map(|session| session.agent.clone()),
        status: session.as_ref().map(|session| session.status.into()),
        mode: session.map(|session| session.mode),
        handoff: row.handoff.map(|handoff| handoff.0),
        active_at: time(row.active_at),
        customer_wrote_at: row.last_customer_message_at.map(time),
        window_closes_at: window.map(|wrote| time(wrote.plus_ms(SERVICE_WINDOW_MS))),
    }
}
