//! `recado chat`: a conversation in the terminal, on a temporary store, under a virtual clock.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use domain::{
    Author, Burst, Channel, ChannelId, ChannelKind, Clock, Content, ConversationId, EventId,
    IdSource, Identity, Inbound, NewOutbound, OutboundId, Owner, Priority, SystemClock, SystemIds,
    Timestamp, VirtualClock, Workspace,
};
use runner::{Engine, Outlet, Parts, Settings};
use serde_json::json;
use store::Store;
use tools::Registry;

use crate::args::ChatOptions;
use crate::exit::{Outcome, Usage};

const VISITOR: &str = "terminal";
const OPERATOR: &str = "operador";

const HELP: &str = "\
/wait 6m             move the clock (s, m, h, d) and fire what falls due
/state               owner, mode and what the session knows
/timers              what is armed
/operator take       take the conversation over
/operator say TEXT   write as the operator
/operator return     give it back to the bot
/quit                end";

pub(crate) async fn chat(options: &ChatOptions) -> Outcome {
    let folder = crate::wiring::temporary_folder()?;
    let path = folder.path().join("chat.db");
    let options_for = store_sqlite::Options { path, takes_over_lanes: true };
    let store: Arc<dyn Store> = Arc::new(store_sqlite::open(&options_for)?);
    let mut chat = Chat::start(options, store).await?;
    chat.welcome();
    let mut lines = std::io::stdin().lines();
    loop {
        chat.prompt()?;
        // The terminal is all there is to wait for.
        let line = tokio::task::block_in_place(|| lines.next());
        let Some(line) = line else { break };
        let line = line.context("standard input is not text")?;
        if !chat.handle(line.trim()).await? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Chat {
    store: Arc<dyn Store>,
    engine: Arc<Engine>,
    clock: VirtualClock,
    ids: SystemIds<VirtualClock>,
    channel: Channel,
    workspace: Workspace,
    conversation: Option<ConversationId>,
    cursor: i64,
    turn: u32,
    json: bool,
}

impl Chat {
    async fn start(options: &ChatOptions, store: Arc<dyn Store>) -> Result<Self> {
        let agents: Vec<Arc<dyn agents::Agent>> = vec![Arc::new(agents::DemoAgent)];
        if !agents.iter().any(|agent| agent.name() == options.agent) {
            let mistake = format!("there is no agent `{}`; there is: demo", options.agent);
            return Err(Usage(mistake).into());
        }
        let clock = VirtualClock::at(SystemClock::default().now());
        let workspace = Workspace::named("terminal");
        let channel = Channel {
            id: ChannelId("terminal".to_owned()),
            workspace: workspace.id,
            kind: ChannelKind::Webchat,
            agent: options.agent.clone(),
            burst: Burst::default(),
        };
        store.ensure(&workspace, std::slice::from_ref(&channel), clock.now()).await?;
        let engine = Engine::new(Parts {
            store: Arc::clone(&store),
            clock: Arc::new(clock.clone()),
            ids: Arc::new(SystemIds::new(clock.clone())),
            agents,
            outlets: vec![Outlet { channel: channel.clone(), sender: None }],
            tools: Registry::builtin(),
            settings: Settings::default(),
        });
        Ok(Self {
            store,
            engine,
            ids: SystemIds::new(clock.clone()),
            clock,
            channel,
            workspace,
            conversation: None,
            cursor: 0,
            turn: 0,
            json: options.json,
        })
    }

    fn welcome(&self) {
        if !self.json && std::io::stdin().is_terminal() {
            println!("Talking to `{}`. /help lists commands, /quit ends.", self.channel.agent);
        }
    }

    fn prompt(&self) -> Result<()> {
        if !self.json && std::io::stdin().is_terminal() {
            print!("› ");
            std::io::stdout().flush()?;
        }
        Ok(())
    }

    /// False when the conversation is over.
    async fn handle(&mut self, line: &str) -> Result<bool> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "" => {}
            "/quit" | "/exit" => return Ok(false),
            "/help" => self.talk(HELP),
            "/wait" => self.wait(rest.trim()).await?,
            "/state" => self.show_state().await?,
            "/timers" => self.show_timers().await?,
            "/operator" => self.operate(rest.trim()).await?,
            command if command.starts_with('/') => {
                self.talk(&format!("there is no command {command}; /help lists them"));
            }
            _ => self.say(line).await?,
        }
        Ok(true)
    }

    /// Talk about the conversation goes to standard error, so that a pipe reads turns alone.
    fn talk(&self, text: &str) {
        eprintln!("{text}");
    }

    async fn say(&mut self, text: &str) -> Result<()> {
        let from = Identity { external_id: VISITOR.into(), name: None, phone: None };
        let external_id = self.ids.next().to_string();
        let content = Content::text(channels::visible(text));
        let item = Inbound { external_id, from, content, sent_at: None };
        self.engine.take_in(&self.channel.id, vec![item], Vec::new()).await?;
        self.engine.run_until_idle().await?;
        self.show("message", text).await
    }

    /// Prints what was sent since the last time, as one turn.
    async fn show(&mut self, cause: &str, input: &str) -> Result<()> {
        let Some(id) = self.known().await? else { return Ok(()) };
        let sent = self.store.sent_after(self.workspace.id, id, self.cursor).await?;
        self.cursor = sent.last().map_or(self.cursor, |line| line.cursor);
        if self.json {
            self.turn += 1;
            let out: Vec<_> = sent.iter().map(|line| line.text.reveal()).collect();
            let owner = self.store.get(self.workspace.id, id).await?.owner;
            let status = if owner == Owner::Human { "handed_off" } else { "active" };
            let turn = json!({
                "turn": self.turn, "at": self.clock.now().to_string(), "cause": cause,
                "in": input, "out": out, "agent": self.channel.agent, "status": status,
            });
            println!("{turn}");
        } else {
            for line in sent {
                let who = if line.author == Author::Operator { OPERATOR } else { "bot" };
                println!("{who}: {}", line.text.reveal().replace('\n', "\n     "));
            }
        }
        Ok(())
    }

    async fn known(&mut self) -> Result<Option<ConversationId>> {
        if self.conversation.is_none() {
            let found = self.store.find(self.workspace.id, &self.channel.id, VISITOR).await?;
            self.conversation = found;
        }
        Ok(self.conversation)
    }

    /// Moves the clock from one due timer to the next, as real time would.
    async fn wait(&mut self, text: &str) -> Result<()> {
        let Some(wait_ms) = duration_ms(text) else {
            self.talk("how long? for example /wait 90s, /wait 6m, /wait 2h, /wait 1d");
            return Ok(());
        };
        let end = self.clock.now().plus_ms(wait_ms);
        while let Some(due) = self.store.next_due().await?.filter(|due| *due <= end) {
            self.clock.advance_to(due);
            let before = self.cursor;
            self.engine.run_until_idle().await?;
            if let Some(id) = self.known().await? {
                let sent = self.store.sent_after(self.workspace.id, id, before).await?;
                if !sent.is_empty() {
                    self.stamp(due);
                    self.show("timer", "").await?;
                }
            }
        }
        self.clock.advance_to(end);
        if !self.json {
            self.stamp(end);
        }
        Ok(())
    }

    fn stamp(&self, at: Timestamp) {
        if !self.json {
            println!("— {at} —");
        }
    }

    async fn show_state(&mut self) -> Result<()> {
        let Some(id) = self.known().await? else {
            self.talk("nothing was said yet");
            return Ok(());
        };
        let conversation = self.store.get(self.workspace.id, id).await?;
        let session = self.store.session(self.workspace.id, id).await?;
        let state = json!({ "owner": conversation.owner, "session": session });
        self.talk(&serde_json::to_string_pretty(&state)?);
        Ok(())
    }

    async fn show_timers(&mut self) -> Result<()> {
        let timers = match self.known().await? {
            Some(id) => self.store.timers(self.workspace.id, id).await?,
            None => Vec::new(),
        };
        if timers.is_empty() {
            self.talk("no timer is armed");
        }
        for timer in timers {
            let seconds = timer.due_at.since_ms(self.clock.now()) / 1000;
            self.talk(&format!("{} due {} (in {seconds} s)", timer.key, timer.due_at));
        }
        Ok(())
    }

    async fn operate(&mut self, act: &str) -> Result<()> {
        let Some(id) = self.known().await? else {
            self.talk("nothing was said yet");
            return Ok(());
        };
        let (workspace, now) = (self.workspace.id, self.clock.now());
        let (verb, text) = act.split_once(' ').unwrap_or((act, ""));
        let result = match verb {
            "take" => self.store.take(workspace, id, OPERATOR, now).await,
            "return" => {
                let event = EventId(self.ids.next());
                let note = (!text.is_empty()).then_some(text);
                self.store.give_back(workspace, id, OPERATOR, note, event, now).await
            }
            "say" if !text.is_empty() => {
                let message = NewOutbound {
                    id: OutboundId(self.ids.next()),
                    author: Author::Operator,
                    priority: Priority::Operator,
                    text: text.into(),
                };
                self.store.say(workspace, id, OPERATOR, message, true, now).await
            }
            _ => {
                self.talk("take, say TEXT or return");
                return Ok(());
            }
        };
        if let Err(error) = result {
            self.talk(&error.to_string());
            return Ok(());
        }
        self.engine.run_until_idle().await?;
        self.show("operator", act).await
    }
}

fn duration_ms(text: &str) -> Option<i64> {
    let (amount, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit())?);
    let unit_ms = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    amount.parse::<i64>().ok()?.checked_mul(unit_ms).filter(|ms| *ms < 1_000 * 86_400_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_unit_and_nothing_else() {
        for (text, ms) in [("90s", Some(90_000)), ("6m", Some(360_000)), ("2 h", Some(7_200_000))] {
            assert_eq!(duration_ms(text), ms, "{text}");
        }
        for bad in ["", "6", "m", "-3m", "6 años", "99999999999999d", "1.5h"] {
            assert_eq!(duration_ms(bad), None, "{bad}");
        }
    }
}
