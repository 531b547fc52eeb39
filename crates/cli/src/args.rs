//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// A durable engine for a business's conversations on WhatsApp and the web.
#[derive(Parser)]
#[command(name = "recado", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the engine and its HTTP server
    ///
    /// Without a configuration it starts a demo workspace on recado.db in the current folder and
    /// prints the address of a chat. SIGTERM or Ctrl-C finishes the turns under way, for at most
    /// 30 seconds; a second Ctrl-C ends at once. Nothing that was acknowledged is lost either way.
    #[command(after_help = "Examples:\n  recado serve\n  recado serve --config recado.yaml\n  \
                            RECADO_LISTEN=127.0.0.1:8080 recado serve")]
    Serve(WithConfig),
    /// Talk to the agent in the terminal, under a clock you move
    ///
    /// Nothing is kept: the conversation lives in a temporary store. `/wait 6m` moves the clock
    /// and fires the timers that fall due; `/help` lists the rest. Lines from a pipe work the same.
    #[command(
        after_help = "Examples:\n  recado chat\n  printf 'hola\\n/wait 6m\\n' | recado chat \
                            --json"
    )]
    Chat(ChatOptions),
    /// Check configuration, database, disk and clock; say what to do about each finding
    Doctor(DoctorOptions),
    /// List conversations, read one, take it over, write in it, give it back
    #[command(subcommand)]
    Conv(ConvCommand),
    /// Events that failed too often and were set aside
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// Sends and tool calls whose outcome nobody knows, or that failed for good
    #[command(subcommand)]
    Reconcile(ReconcileCommand),
    /// Print a commented recado.yaml to start from
    Config,
}

#[derive(clap::Args, Clone)]
pub(crate) struct WithConfig {
    /// The configuration file [default: recado.yaml if there is one, else a demo]
    #[arg(long, value_name = "FILE", env = "RECADO_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(clap::Args, Clone)]
pub(crate) struct ChatOptions {
    /// The agent to talk to
    #[arg(default_value = "demo")]
    pub(crate) agent: String,
    /// One JSON object per turn on standard output, nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Clone)]
pub(crate) struct DoctorOptions {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// The findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where an operator's command acts.
#[derive(clap::Args, Clone)]
pub(crate) struct Desk {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// The workspace [default: the only one configured]
    #[arg(long, value_name = "NAME")]
    pub(crate) workspace: Option<String>,
    /// As whom to act, for the audit log
    #[arg(long, value_name = "NAME", env = "USER", default_value = "operator")]
    pub(crate) by: String,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum ConvCommand {
    /// Conversations, newest activity first
    List {
        #[command(flatten)]
        desk: Desk,
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// A conversation's owner, timers and transcript
    Show {
        /// The conversation's id, or the end of one
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// Take a conversation over: from now on no message of the bot leaves
    Take {
        /// The conversation's id, or the end of one
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// Write to the customer in a conversation you have taken
    Say {
        /// The conversation's id, or the end of one
        id: String,
        /// What the customer is to read
        text: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// Give a conversation back to the bot
    Return {
        /// The conversation's id, or the end of one
        id: String,
        /// What happened meanwhile, for the agent
        #[arg(long)]
        note: Option<String>,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Subcommand)]
pub(crate) enum QuarantineCommand {
    /// What was set aside, and why
    List {
        #[command(flatten)]
        desk: Desk,
    },
    /// Put an event back into its lane and the conversation back to the bot
    Retry {
        /// The event's id, as `recado quarantine list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Subcommand)]
pub(crate) enum ReconcileCommand {
    /// What is open, and since when
    List {
        #[command(flatten)]
        desk: Desk,
    },
    /// It did happen: nothing more to do
    Happened {
        /// The item's id, as `recado reconcile list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// It did not happen and is not wanted any more
    Drop {
        /// The item's id, as `recado reconcile list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// It did not happen: send the message again
    Resend {
        /// The item's id, as `recado reconcile list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
}
