//! While a customer waits for a person: the bot only keeps the record, and the engine says what the
//! handoff wants said.

use domain::rules::{self, UNATTENDED, Waiting};
use domain::{
    Author, Event, EventKind, Handoff, HandoffId, HandoffStatus, NewOutbound, OutboundId, Priority,
    Role, SessionStatus, StepKind, StepStatus, Timer, TimerId, ToolUse, TurnEntry,
};
use serde_json::json;
use store::{LaneWork, Notice, SessionWrite, StoreResult, TurnCommit, TurnStep};

use crate::turn::{Turn, TurnRunner};

impl Turn<'_> {
    /// The engine's own timer, if that is what is due.
    pub(crate) fn unattended(&self) -> Option<&Timer> {
        match self.events.as_slice() {
            [Event { kind: EventKind::Timer(timer), .. }] if timer.key == UNATTENDED => Some(timer),
            _ => None,
        }
    }

    /// Whether an earlier run of it took steps.
    pub(crate) fn has_acted(&self) -> bool {
        !self.work.steps.is_empty()
    }

    /// The line of the tools it called before a person had the conversation; none if it called none.
    fn called_before(&self, steps: Vec<TurnStep>) -> Option<TurnEntry> {
        let calls = steps.into_iter().filter(|step| step.kind != StepKind::Model);
        let (names, tools): (Vec<_>, Vec<_>) = calls.map(called).unzip();
        let line = format!("called before a person took over: {}", names.join(", "));
        let said = TurnEntry::said(self.open.turn, Role::System, line);
        (!tools.is_empty()).then_some(TurnEntry { tools, ..said })
    }
}

/// A call as the trail keeps it, and in words.
fn called(TurnStep { step, input, .. }: TurnStep) -> (String, ToolUse) {
    let name = step.tool;
    let (outcome, output) = match step.status {
        StepStatus::Done => (None, step.output),
        StepStatus::Failed => (Some("refused"), step.output),
        StepStatus::Unknown => (Some("outcome unknown"), step.output),
        StepStatus::Intended => (Some("outcome unknown"), json!("its outcome is not known")),
    };
    let words = match outcome {
        None => name.clone(),
        Some(outcome) => format!("{name} ({outcome})"),
    };
    (words, ToolUse { name, input, ok: outcome.is_none(), output })
}

impl TurnRunner {
    /// Gives the conversation to a person. Should nobody come in time, the customer is told so.
    pub(crate) fn hand_off(&self, commit: &mut TurnCommit, handoff: Handoff) {
        let id = HandoffId(self.ids.next());
        if let Some(timer) = rules::unattended(&handoff, id, commit.now) {
            commit.arm.push((TimerId(self.ids.next()), timer));
        }
        commit.handoff = Some((id, handoff));
    }

    /// Writes down what came while a person owns the conversation, and what the turn had done before
    /// it was theirs. The first message after a handoff is told that somebody attends.
    pub(crate) async fn only_note(&self, turn: &Turn<'_>) -> StoreResult<Option<LaneWork>> {
        let lease = turn.work.lease;
        let mut commit = self.noted(turn);
        if turn.has_acted() {
            let details = self.store.turn_details(lease.workspace, &[turn.open.turn]).await?;
            let steps = details.into_iter().flat_map(|detail| detail.steps);
            commit.entries.extend(turn.called_before(steps.collect()));
        }
        if turn.wrote_at().is_some()
            && let Some(open) = self.store.open_handoff(lease.workspace, lease.conversation).await?
            && let Some(text) = &open.attending
        {
            commit.notice = Some(Notice::Attending(open.id));
            self.tell(&mut commit, text, Priority::Reply);
        }
        self.store.commit(commit).await
    }

    /// Tells a customer that nobody has come yet, if that is so.
    pub(crate) async fn nobody_came(
        &self,
        turn: &Turn<'_>,
        timer: &Timer,
    ) -> StoreResult<Option<LaneWork>> {
        let lease = turn.work.lease;
        let Ok(waiting) = serde_json::from_value::<Waiting>(timer.payload.clone()) else {
            let skipped = turn.skip(self.now(), "what it was armed with cannot be read");
            return self.store.commit(skipped).await;
        };
        let open = self.store.open_handoff(lease.workspace, lease.conversation).await?;
        let reason = match open.filter(|open| open.id == waiting.handoff) {
            None => "its handoff is resolved",
            Some(open) if open.status != HandoffStatus::Pending => "somebody attends to it",
            Some(open) => {
                let mut commit = self.noted(turn);
                commit.notice = Some(Notice::Unattended(open.id));
                self.tell(&mut commit, &waiting.text, Priority::Proactive);
                return self.store.commit(commit).await;
            }
        };
        self.store.commit(turn.skip(self.now(), reason)).await
    }

    /// A commit that keeps the record of a conversation that is a person's.
    fn noted(&self, turn: &Turn<'_>) -> TurnCommit {
        let mut commit = turn.commit(self.now());
        let status = SessionStatus::HandedOff;
        commit.session = Some(SessionWrite { status, ..self.session_write(turn) });
        commit.entries = turn.entries();
        commit
    }

    /// A word of the engine's own.
    pub(crate) fn tell(&self, commit: &mut TurnCommit, text: &str, priority: Priority) {
        let id = OutboundId(self.ids.next());
        let entry = TurnEntry::said(commit.turn, Role::Assistant, text);
        commit.entries.push(TurnEntry { outbound: Some(id), ..entry });
        commit.outbound.push(NewOutbound {
            id,
            author: Author::Engine,
            priority,
            text: text.into(),
            approved: None,
            options: Vec::new(),
        });
    }
}
