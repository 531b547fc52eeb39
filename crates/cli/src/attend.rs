//! The operator's commands: conversations, quarantine, reconcile.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use config::Config;
use domain::{
    Author, ChannelKind, Clock, ConversationId, EventId, IdSource, NewOutbound, OutboundId,
    Priority, SystemClock, SystemIds, Workspace,
};
use host::Use;
use serde_json::json;
use store::{AttentionFilter, ConversationFilter, GiveBack, ReconcileItem, Resolution, Store};
use uuid::Uuid;

use crate::args::{ConvCommand, Desk, QuarantineCommand, ReconcileCommand};
use crate::exit::{Outcome, Usage};
use crate::ledger::{self, Sum};
use crate::output::{print, short, table};
use crate::wiring;

/// More calls of models than a transcript's worth of turns makes.
const LEDGER: u32 = 10_000;

/// Items of a list that are shown at once.
const SHOWN: u32 = 1_000;

fn say_if_more<T>(shown: &[T]) {
    if shown.len() >= usize::try_from(SHOWN).unwrap_or(usize::MAX) {
        eprintln!("Only the first {SHOWN} are shown: resolve some, or read on by the API.");
    }
}

/// An open store and the workspace to act in.
pub(crate) struct Office {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) workspace: Workspace,
    pub(crate) clock: SystemClock,
    pub(crate) ids: SystemIds<SystemClock>,
}

impl Office {
    pub(crate) async fn open(desk: &Desk) -> Result<Self> {
        let config = wiring::load(&desk.config)?;
        let workspace = match (&desk.workspace, config.workspaces().as_slice()) {
            (Some(slug), workspaces) => {
                match workspaces.iter().find(|workspace| workspace.slug == *slug) {
                    Some(workspace) => workspace.clone(),
                    None => bail!(Usage(format!("no channel belongs to a workspace `{slug}`"))),
                }
            }
            (None, [only]) => only.clone(),
            (None, _) => bail!(Usage("several workspaces: name one with --workspace".to_owned())),
        };
        let store = host::open_store(&config, Use::Desk).await?;
        // Leases are the nodes', and so is their clock.
        let clock = SystemClock::default();
        host::agree_on_time(&clock, &*store).await;
        let ids = SystemIds::new(clock.clone());
        Ok(Self { config, store, workspace, clock, ids })
    }

    /// A conversation's id, or any unambiguous end of one: ids that are near in time begin alike.
    async fn conversation(&self, id: &str) -> Result<ConversationId> {
        if let Ok(id) = id.parse() {
            return Ok(id);
        }
        let all = self
            .store
            .list(self.workspace.id, &ConversationFilter::newest(10_000))
            .await?
            .conversations;
        let matching: Vec<_> =
            all.iter().filter(|one| one.id.to_string().ends_with(id)).map(|one| one.id).collect();
        match matching.as_slice() {
            [only] => Ok(*only),
            [] => Err(store::StoreError::NotFound("conversation").into()),
            many => bail!(Usage(format!("{} conversations end in `{id}`", many.len()))),
        }
    }
}

pub(crate) async fn conversations(command: ConvCommand) -> Outcome {
    match command {
        ConvCommand::List { desk, limit } => list(&desk, limit).await?,
        ConvCommand::Show { id, desk } => show(&desk, &id).await?,
        ConvCommand::Take { id, desk } => {
            let office = Office::open(&desk).await?;
            let id = office.conversation(&id).await?;
            let workspace = office.workspace.id;
            store::take_over(&*office.store, &office.clock, workspace, id, &desk.by).await?;
            done(&desk, id, "taken over: the bot is silent, write with `recado conv say`")?;
        }
        ConvCommand::Say { id, text, desk } => {
            let office = Office::open(&desk).await?;
            let id = office.conversation(&id).await?;
            say(&office, &desk, id, text).await?;
            done(&desk, id, "queued")?;
        }
        ConvCommand::Return { id, note, mode, message, desk } => {
            let back = GiveBack { note, mode, message };
            refuse_blanks(&back)?;
            let office = Office::open(&desk).await?;
            let id = office.conversation(&id).await?;
            let event = EventId(office.ids.next());
            let (workspace, now) = (office.workspace.id, office.clock.now());
            office.store.give_back(workspace, id, &desk.by, back, event, now).await?;
            done(&desk, id, "given back to the bot")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn refuse_blanks(back: &GiveBack) -> Result<()> {
    let given = [("--note", &back.note), ("--mode", &back.mode), ("--message", &back.message)];
    for (name, text) in given {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            bail!(Usage(format!("{name} is empty: say something, or leave it out")));
        }
    }
    Ok(())
}

pub(crate) fn done(desk: &Desk, id: impl ToString, text: &str) -> Result<()> {
    let answer = json!({ "id": id.to_string(), "done": text });
    print(desk.json, &answer, |_| format!("{}: {text}", id.to_string()))
}

async fn list(desk: &Desk, limit: u32) -> Result<()> {
    let office = Office::open(desk).await?;
    let all = office
        .store
        .list(office.workspace.id, &ConversationFilter::newest(limit))
        .await?
        .conversations;
    print(desk.json, &all, |all| {
        if all.is_empty() {
            return "No conversations yet.".to_owned();
        }
        let rows: Vec<_> = all
            .iter()
            .map(|one| {
                let owner = one.assignee.clone().unwrap_or_else(|| one.owner.as_str().to_owned());
                let name = one.contact.as_ref().map_or("–", |name| name.reveal()).to_owned();
                let wrote = one.last_customer_message_at.map(|at| at.to_string());
                let wrote = wrote.unwrap_or_else(|| "–".to_owned());
                vec![one.id.to_string(), one.channel.to_string(), name, owner, wrote]
            })
            .collect();
        table(&["CONVERSATION", "CHANNEL", "CONTACT", "OWNER", "CUSTOMER WROTE"], &rows)
    })
}

async fn show(desk: &Desk, id: &str) -> Result<()> {
    let office = Office::open(desk).await?;
    let workspace = office.workspace.id;
    let id = office.conversation(id).await?;
    let conversation = office.store.get(workspace, id).await?;
    let transcript = office.store.transcript(workspace, id, 200).await?;
    let timers = office.store.timers(workspace, id).await?;
    let ledger = office.store.ledger(workspace, id, LEDGER).await?;
    let spent = ledger::by_turn(&ledger);
    let whole = json!({
        "conversation": conversation, "timers": timers, "lines": transcript.lines,
        "ledger": ledger,
    });
    print(desk.json, &whole, |_| {
        let owner = conversation.owner.as_str();
        let mut text = format!("{id}  owner: {owner}, epoch {}\n", conversation.epoch);
        for timer in &timers {
            text += &format!("timer {} due {}\n", timer.key, timer.due_at);
        }
        let mut shown = HashSet::new();
        for line in &transcript.lines {
            let content = line.content.reveal();
            text += &format!("{}  {:<9}  {content}\n", line.at, line.role.as_str());
            if let Some(sum) = spent.get(&line.turn).filter(|_| shown.insert(line.turn)) {
                text += &format!("    models: {}\n", sum.in_words());
            }
        }
        if !ledger.is_empty() {
            text += &format!("models in all: {}\n", Sum::of(&ledger).in_words());
        }
        text
    })
}

async fn say(office: &Office, desk: &Desk, id: ConversationId, text: String) -> Result<()> {
    if text.trim().is_empty() {
        bail!(Usage("an empty message is not sent".to_owned()));
    }
    let workspace = office.workspace.id;
    let channel = office.store.get(workspace, id).await?.channel;
    let kind = office.config.channels.iter().find(|one| one.channel.id == channel);
    let by_commit = kind.is_some_and(|one| one.channel.kind == ChannelKind::Webchat);
    let message = NewOutbound {
        id: OutboundId(office.ids.next()),
        author: Author::Operator,
        priority: Priority::Operator,
        text: text.into(),
        approved: None,
        options: Vec::new(),
    };
    let now = office.clock.now();
    office.store.say(workspace, id, &desk.by, message, by_commit, now).await?;
    Ok(())
}

pub(crate) async fn quarantine(command: QuarantineCommand) -> Outcome {
    match command {
        QuarantineCommand::List { desk } => {
            let office = Office::open(&desk).await?;
            let first = AttentionFilter::first(SHOWN);
            let all = office.store.quarantined(office.workspace.id, &first).await?;
            say_if_more(&all);
            print(desk.json, &all, |all| {
                if all.is_empty() {
                    return "Nothing is in quarantine.".to_owned();
                }
                let row = |one: &store::Quarantined| {
                    let at = one.received_at.to_string();
                    let payload = short(one.payload.reveal());
                    vec![one.id.to_string(), at, one.kind.clone(), short(&one.reason), payload]
                };
                let rows: Vec<_> = all.iter().map(row).collect();
                table(&["EVENT", "RECEIVED", "KIND", "REASON", "PAYLOAD"], &rows)
            })?;
        }
        QuarantineCommand::Retry { id, desk } => {
            let office = Office::open(&desk).await?;
            let event: Uuid =
                id.parse().map_err(|_| Usage(format!("`{id}` is not an event's id")))?;
            let now = office.clock.now();
            office.store.retry(office.workspace.id, event, &desk.by, now).await?;
            done(&desk, event, "back in its lane, and the conversation with the bot")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn reconcile(command: ReconcileCommand) -> Outcome {
    let (desk, id, resolution) = match command {
        ReconcileCommand::List { desk } => {
            reconcile_list(&desk).await?;
            return Ok(ExitCode::SUCCESS);
        }
        ReconcileCommand::Happened { id, desk } => (desk, id, Resolution::Happened),
        ReconcileCommand::Drop { id, desk } => (desk, id, Resolution::Dropped),
        ReconcileCommand::Resend { id, desk } => (desk, id, Resolution::Resend),
    };
    let office = Office::open(&desk).await?;
    let now = office.clock.now();
    office.store.reconcile(office.workspace.id, &id, resolution, &desk.by, now).await?;
    done(&desk, &id, "resolved")?;
    Ok(ExitCode::SUCCESS)
}

async fn reconcile_list(desk: &Desk) -> Result<()> {
    let office = Office::open(desk).await?;
    let first = AttentionFilter::first(SHOWN);
    let items = office.store.reconcile_items(office.workspace.id, &first).await?;
    say_if_more(&items);
    print(desk.json, &items, |items| {
        if items.is_empty() {
            return "Nothing to reconcile.".to_owned();
        }
        let rows: Vec<_> = items.iter().map(reconcile_row).collect();
        table(&["ITEM", "SINCE", "KIND", "WHAT", "ERROR"], &rows)
    })
}

/// A row in the words that `--json` and the API have too.
fn reconcile_row(item: &ReconcileItem) -> Vec<String> {
    let error = item.error.as_deref().map(short).unwrap_or_default();
    let (since, kind) = (item.since.to_string(), item.kind.as_str().to_owned());
    vec![item.id.clone(), since, kind, short(item.what.reveal()), error]
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use store::{ReconcileKind, ReconcilePlace};

    use super::*;

    #[test]
    fn an_item_is_listed_under_the_word_that_the_api_has_for_its_kind() {
        use ReconcileKind::{Ambiguous, OutsideWindow, Step, Undelivered};
        for kind in [Step, Ambiguous, Undelivered, OutsideWindow] {
            let item = ReconcileItem {
                place: ReconcilePlace::Send(1),
                id: "a1".to_owned(),
                kind,
                conversation: ConversationId(Uuid::nil()),
                what: "hola".to_owned().into(),
                error: None,
                since: Timestamp::from_millis(0),
            };
            let row = reconcile_row(&item);
            assert_eq!(json!(item)["kind"], row[2]);
        }
    }
}
