//! Acts of an operator in a conversation: take it over, write in it, give it back.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{Author, ConversationId, EventId, NewOutbound, OutboundId, Priority};
use serde::{Deserialize, Serialize};
use store::GiveBack;
use utoipa::ToSchema;
use uuid::Uuid;

use super::auth::Operator;
use super::conversations::{self, Conversation};
use super::input::{self, Body, Named};
use super::problems::{Bodies, Conflicts, Refusals};
use crate::App;
use crate::problem::Problem;

/// Longer than a message on any channel.
const MAX_CHARS: usize = 4_000;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    /// The text for the customer.
    #[schema(min_length = 1, max_length = 4000)]
    text: String,
    /// Made by the caller, the same when it sends the message again: however often, it is sent once.
    client_id: Uuid,
}

#[derive(Serialize, ToSchema)]
pub(super) struct Queued {
    /// The message's id, as transcripts and events name it.
    message: Uuid,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Return {
    /// Events of the meantime, in words for the agent.
    #[schema(min_length = 1, max_length = 4000)]
    note: Option<String>,
    /// The mode the agent should go on in, if its flow has that one.
    #[schema(min_length = 1, max_length = 4000)]
    mode: Option<String>,
    /// The text that the customer should be told.
    #[schema(min_length = 1, max_length = 4000)]
    message: Option<String>,
}

#[utoipa::path(post, path = "/conversations/{id}/take", tag = "conversations",
    operation_id = "take_conversation", security(("key" = ["operator"])),
    params(("id" = Uuid, Path, description = "The conversation")),
    responses((status = 200, body = Conversation), Refusals, Conflicts))]
/// Take a conversation over: from now on no message of the bot leaves
pub(super) async fn take(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<ConversationId>,
) -> Result<Json<Conversation>, Problem> {
    let (store, clock) = (&**app.store(), &*app.0.clock);
    store::take_over(store, clock, caller.workspace, id, caller.name()).await?;
    conversations::read(&app, &caller, id).await.map(Json)
}

#[utoipa::path(post, path = "/conversations/{id}/reply", tag = "conversations",
    operation_id = "reply", security(("key" = ["operator"])),
    params(("id" = Uuid, Path, description = "The conversation")), request_body = Reply,
    responses((status = 202, body = Queued), Refusals, Bodies, Conflicts))]
/// Write to the customer in a conversation that a person has
pub(super) async fn reply(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<ConversationId>,
    Body(reply): Body<Reply>,
) -> Result<(StatusCode, Json<Queued>), Problem> {
    let text = input::text("the message", &reply.text, MAX_CHARS)?;
    let (store, workspace) = (app.store(), caller.workspace);
    let channel = store.get(workspace, id).await?.channel;
    let outlet = app.connected().outlet(&channel);
    let by_commit = outlet.is_some_and(|outlet| outlet.channel.kind.delivers_by_commit());
    let message = NewOutbound {
        id: OutboundId(reply.client_id),
        author: Author::Operator,
        priority: Priority::Operator,
        text: text.into(),
        approved: None,
        options: Vec::new(),
    };
    let now = app.now();
    store.say(workspace, id, caller.name(), message, by_commit, now).await?;
    Ok((StatusCode::ACCEPTED, Json(Queued { message: reply.client_id })))
}

#[utoipa::path(post, path = "/conversations/{id}/return", tag = "conversations",
    operation_id = "return_conversation", security(("key" = ["operator"])),
    params(("id" = Uuid, Path, description = "The conversation")), request_body = Return,
    responses((status = 200, body = Conversation), Refusals, Bodies, Conflicts))]
/// Give a conversation back to the bot
pub(super) async fn give_back(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(id): Named<ConversationId>,
    Body(wish): Body<Return>,
) -> Result<Json<Conversation>, Problem> {
    let checked = |what: &str, text: Option<String>| {
        text.map(|text| input::text(what, &text, MAX_CHARS)).transpose()
    };
    let back = GiveBack {
        note: checked("the note", wish.note)?,
        mode: checked("the mode", wish.mode)?,
        message: checked("the message", wish.message)?,
    };
    let (store, now) = (app.store(), app.now());
    let event = EventId(app.0.ids.next());
    store.give_back(caller.workspace, id, caller.name(), back, event, now).await?;
    conversations::read(&app, &caller, id).await.map(Json)
}
