//! The agent of W1: one turn walks a graph of eight nodes that fills a form of six fields.
//!
//! The graph is the one the peers were measured with, with regular expressions where it would ask
//! a model.

mod nodes;
mod rules;

use std::sync::Arc;

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use async_trait::async_trait;
use domain::{Confidence, EventKind};

use crate::tally::Tally;
use nodes::Walk;
use rules::Rules;

/// A customer who greets, answers, and corrects an answer once; then the form is complete and
/// begins anew.
pub(crate) const SCRIPT: [&str; 8] = [
    "Hola, buenas tardes",
    "Mi nombre es Juan Pérez",
    "juan@ejemplo.com",
    "No, mi email es juan.nuevo@ejemplo.com",
    "mi teléfono es +57 300 111 2233",
    "la página es https://ejemplo.com/tienda",
    "somos unas 34 personas",
    "vivo en Medellín, cerca del estadio",
];

pub(crate) struct FormAgent {
    rules: Rules,
    tally: Arc<Tally>,
}

impl FormAgent {
    pub(crate) fn new(tally: Arc<Tally>) -> Self {
        Self { rules: Rules::new(), tally }
    }
}

#[async_trait]
impl Agent for FormAgent {
    fn name(&self) -> &str {
        "form"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        _context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.tally.turn(input.contact.id);
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        for event in &input.events {
            let EventKind::Message(content) = &event.kind else { continue };
            let data = std::mem::take(&mut outcome.state.datos_capturados);
            let walked = Walk::through(&self.rules, content.words().unwrap_or_default(), data);
            outcome.state.datos_capturados = walked.data;
            outcome.intent = Some((walked.ended_at.to_owned(), Confidence::CERTAIN));
            outcome.handoff = walked.handoff;
            outcome.reply(walked.response);
        }
        Ok(outcome)
    }
}
