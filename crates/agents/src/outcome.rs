//! The outcome of a turn, as data: the engine commits it or discards it whole.

use domain::{
    Approved, ArmTimer, Confidence, Handoff, Pii, Priority, ReplyOption, SessionState,
    SessionStatus, TurnTrace,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub text: Pii,
    pub priority: Priority,
    /// The approved template that stands for it outside the channel's window.
    pub approved: Option<Approved>,
    /// The options that the customer may pick in answer.
    pub options: Vec<ReplyOption>,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub replies: Vec<Reply>,
    pub state: SessionState,
    pub mode: String,
    pub status: SessionStatus,
    pub intent: Option<(String, Confidence)>,
    pub arm: Vec<ArmTimer>,
    /// Keys of timers that are no longer wanted.
    pub cancel: Vec<String>,
    /// Why a human is needed, if one is.
    pub handoff: Option<Handoff>,
    /// The understanding and the deeds of the turn, for whoever asks why.
    pub trace: Option<TurnTrace>,
}

impl Outcome {
    /// Leaves mode and state as they were.
    pub fn unchanged(mode: &str, state: &SessionState) -> Self {
        Self {
            replies: Vec::new(),
            state: state.clone(),
            mode: mode.to_owned(),
            status: SessionStatus::Active,
            intent: None,
            arm: Vec::new(),
            cancel: Vec::new(),
            handoff: None,
            trace: None,
        }
    }

    pub fn reply(&mut self, text: impl Into<Pii>) {
        self.say(text, Priority::Reply);
    }

    /// A message nobody has asked for just now; it waits behind replies.
    pub fn remind(&mut self, text: impl Into<Pii>) {
        self.say(text, Priority::Proactive);
    }

    fn say(&mut self, text: impl Into<Pii>, priority: Priority) {
        self.replies.push(Reply {
            text: text.into(),
            priority,
            approved: None,
            options: Vec::new(),
        });
    }
}
