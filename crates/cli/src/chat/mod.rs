//! `recado chat`: a conversation in the terminal, on a temporary store, under a virtual clock.

mod cast;
mod show;
mod stage;
#[cfg(test)]
mod tests;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Result;
use domain::{Clock, SystemClock, Timestamp};
use pack::files::Duration;

use crate::args::ChatOptions;
use crate::exit::{Outcome, Usage};
use cast::Cast;
use show::Shown;
use stage::{Act, Stage};

const HELP: &str = "\
/wait 6m             move the clock (s, m, h, d) and fire what falls due
/state               owner, mode and what the session knows
/why                 why the last answer: path, rules, confidences, models, refused moves
/cost                what models were asked, with tokens and dollars
/back                take the last line back (what was said before it is said again, to models too)
/timers              what is armed
/operator take       take the conversation over
/operator say TEXT   write as the operator
/operator return     give it back to the bot
/quit                end";

pub(crate) async fn chat(options: &ChatOptions) -> Outcome {
    let cast = Cast::choose(options)?;
    let began = SystemClock::default().now();
    let stage = Stage::set(&cast, began).await?;
    let mut chat = Chat { cast, began, stage, acts: Vec::new(), turn: 0, json: options.json };
    chat.welcome();
    loop {
        chat.prompt()?;
        // The terminal is all there is to wait for.
        let line = tokio::task::block_in_place(crate::input::line)?;
        let Some(line) = line else { break };
        if !chat.handle(line.trim()).await? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Chat {
    cast: Cast,
    began: Timestamp,
    stage: Stage,
    /// All that was done so far, so that the last of it can be taken back.
    acts: Vec<Act>,
    turn: u32,
    json: bool,
}

impl Chat {
    fn is_talk(&self) -> bool {
        !self.json && std::io::stdin().is_terminal()
    }

    fn welcome(&self) {
        if self.is_talk() {
            println!("Talking to `{}`. /help lists commands, /quit ends.", self.cast.agent.name());
        }
    }

    fn prompt(&self) -> Result<()> {
        if self.is_talk() {
            print!("› ");
            std::io::stdout().flush()?;
        }
        Ok(())
    }

    /// False when the conversation is over.
    async fn handle(&mut self, line: &str) -> Result<bool> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => {}
            "/quit" | "/exit" => return Ok(false),
            "/help" => talk(HELP),
            "/wait" => match rest.parse::<Duration>() {
                Ok(wait) => self.act(Act::Wait(wait)).await?,
                Err(_) => talk("how long? for example /wait 90s, /wait 6m, /wait 2h, /wait 1d"),
            },
            "/state" => talk(&self.stage.state().await?),
            "/why" => talk(&self.stage.why().await?),
            "/cost" => talk(&self.stage.cost().await?),
            "/timers" => talk(&self.stage.timers().await?),
            "/back" => self.back().await?,
            "/operator" => match Act::of_operator(rest) {
                Some(act) => self.act(act).await?,
                None => talk("take, say TEXT or return"),
            },
            command if command.starts_with('/') => {
                talk(&format!("there is no command {command}; /help lists them"));
            }
            _ => self.act(Act::Say(vec![line.to_owned()])).await?,
        }
        Ok(true)
    }

    async fn act(&mut self, act: Act) -> Result<()> {
        match self.stage.perform(&act).await {
            Ok(turns) => {
                for shown in turns {
                    self.print(&shown);
                }
                if let (Act::Wait(_), false) = (&act, self.json) {
                    println!("— {} —", self.stage.now());
                }
                self.acts.push(act);
            }
            // Such as taking over a conversation that has not begun.
            Err(error) if error.is::<Usage>() || error.is::<store::StoreError>() => {
                talk(&error.to_string());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn print(&mut self, shown: &Shown) {
        self.turn += 1;
        if self.json {
            println!("{}", shown.json(self.turn, self.cast.agent.name()));
        } else {
            print!("{}", shown.text());
        }
    }

    /// Plays everything but the last act again, on a new stage.
    async fn back(&mut self) -> Result<()> {
        if self.acts.pop().is_none() {
            talk("nothing was said yet");
            return Ok(());
        }
        self.stage = Stage::set(&self.cast, self.began).await?;
        self.turn = 0;
        for act in &self.acts {
            let turns = self.stage.perform(act).await?;
            self.turn += u32::try_from(turns.len()).unwrap_or_default();
        }
        let last = self.acts.last().map_or_else(String::new, Act::to_string);
        talk(&match last.is_empty() {
            true => "back at the beginning".to_owned(),
            false => format!("back to just after: {last}"),
        });
        Ok(())
    }
}

/// Talk about the conversation goes to standard error, so that a pipe reads turns alone.
fn talk(text: &str) {
    eprintln!("{text}");
}
