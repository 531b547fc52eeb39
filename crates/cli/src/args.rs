//! The command line.

mod hunt;
mod shop;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use domain::HandoffId;

pub(crate) use self::shop::{CatalogCommand, Format, ImportOptions, OrderCommand, StockCommand};
pub(crate) use hunt::HuntOptions;

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
    /// Talk to a pack's agent in the terminal, under a clock you move
    ///
    /// Nothing is kept: the conversation lives in a temporary store. `/wait 6m` moves the clock
    /// and fires the timers that fall due, `/why` says how an answer came about, `/back` takes the
    /// last line back; `/help` lists the rest. Lines from a pipe work the same.
    ///
    /// No model is asked unless you say so: with --script one answers what a file says, with
    /// --models those of the configuration do, at their price. Systems outside are never called.
    #[command(after_help = "Examples:\n  recado chat\n  recado chat somnio\n  \
                      recado chat packs/somnio --script guion.yaml\n  \
                      printf 'hola\\n/wait 6m\\n' | recado chat registro --json")]
    Chat(ChatOptions),
    /// Look for every mistake in packs and their tests; exit 1 if there is an error
    #[command(after_help = "Examples:\n  recado check packs/registro\n  recado check packs/*")]
    Check(CheckOptions),
    /// Print a pack as a page of sentences: what it does in each mode, every timer, every text
    ///
    /// The page is in the pack's own language, for whoever answers for the business: what happens
    /// on each kind of message, what happens when nobody answers, what is asked for, what is said, and
    /// what never happens.
    #[command(after_help = "Examples:\n  recado show packs/almacen\n  \
                            recado show somnio --markdown > somnio.md")]
    Show(ShowOptions),
    /// Run the conversations in a pack's tests/ under a virtual clock
    ///
    /// Each conversation says what the customer writes, how long passes, and what must come of it.
    /// Differences are shown side by side with their file and line; `--update` writes the actual
    /// results into the file.
    #[command(after_help = "Examples:\n  recado test packs/registro\n  \
                            recado test packs/* --junit tests.xml\n  \
                            recado test packs/registro --filter corrige --update")]
    Test(TestOptions),
    /// Look for a way in which a language model that is out to harm gets anywhere with a flow
    ///
    /// The pack's own tests lead to every kind of place a conversation may stand in. From each of
    /// them, after a yes, a no, a question, a message that says little and a silence, a scripted
    /// model makes every sequence of the moves that the flow offers it, and some that it does not,
    /// what is nearest to harm first. After each move what must never happen is looked for.
    ///
    /// The output is a file of tests for the pack, one for each way that was found: it fails with
    /// `recado test` while the way is open. Exit 1 if there is one. No model is asked, and nothing
    /// outside is called.
    #[command(after_long_help = crate::hunt::rules())]
    Hunt(HuntOptions),
    /// Draw a pack's agent: a flow's modes, or the graph that each turn walks
    #[command(after_help = "Examples:\n  recado graph somnio\n  recado graph somnio --turn\n  \
                            recado graph registro")]
    Graph(GraphOptions),
    /// Write a pack to start from, that passes its own tests
    #[command(after_help = "Examples:\n  recado new packs/turnos --kind form")]
    New(NewOptions),
    /// Measure the local classifier on labelled messages, or see what extraction finds
    ///
    /// With --train and --test it trains the very classifier that packs use on lines such as
    /// {"text":"hola","intent":"saludo"} (the intent `oos` is out of scope) and reports how
    /// well it does. `recado nlu extract` reads texts from standard input, one a line, and prints
    /// what is in them as JSON lines.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  recado nlu --train train.jsonl --test test.jsonl\n  \
                      echo 'mañana a las 10, 2 mil pesos' | recado nlu extract --locale es-AR"
    )]
    Nlu(NluOptions),
    /// Check configuration, models, systems, database, disk and clock; say what to do about each
    Doctor(DoctorOptions),
    /// List conversations, read one, take it over, write in it, give it back
    #[command(subcommand)]
    Conv(ConvCommand),
    /// Conversations that wait for a person: why, with what the person should know, and who has them
    ///
    /// A handoff is opened when an agent gives up. The operator who takes its conversation over
    /// with `recado conv take` has it; `recado conv return` resolves it and puts the bot back to
    /// work.
    #[command(
        subcommand,
        after_help = "Examples:\n  recado handoff list\n  recado handoff list --status assigned \
                      --assignee marta\n  recado handoff assign 4f2a --to marta\n  \
                      recado handoff resolve 4f2a --note 'reembolso hecho'"
    )]
    Handoff(HandoffCommand),
    /// Events that failed too often and were set aside
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// Sends and tool calls whose outcome nobody knows, or that failed for good
    #[command(subcommand)]
    Reconcile(ReconcileCommand),
    /// The shop's catalogue and profile, in and out of files
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// The stock of every variant: deliveries and write-offs
    #[command(subcommand)]
    Stock(StockCommand),
    /// The shop's orders: look, give the next status, note a payment
    #[command(subcommand)]
    Order(OrderCommand),
    /// Keys to the operators' API: who may call it, and to do what
    ///
    /// A key belongs to one workspace and sees no other. The holder of a key acts under its name in
    /// the audit log: a viewer reads, an operator acts, an admin manages keys too.
    #[command(
        subcommand,
        after_help = "Examples:\n  recado key create --name ana --role operator\n  \
                      recado key create --name tablero --role viewer --days 90\n  \
                      recado key list\n  recado key revoke ana"
    )]
    Key(KeyCommand),
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
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// A pack's folder, or the name of one in the configured folder of packs
    #[arg(default_value = "registro")]
    pub(crate) pack: String,
    /// Print a JSON object per turn on standard output, nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Let a model answer as this file says, in the words of `model:` in a pack's tests
    #[arg(long, value_name = "FILE", conflicts_with = "models")]
    pub(crate) script: Option<PathBuf>,
    /// Ask the models of the configuration
    #[arg(long)]
    pub(crate) models: bool,
}

#[derive(clap::Args, Clone)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// Packs, by folder or by name in the configured folder of packs
    #[arg(required = true, value_name = "PACK")]
    pub(crate) packs: Vec<String>,
    /// The findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Clone)]
pub(crate) struct ShowOptions {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// A pack's folder, or the name of one in the configured folder of packs
    pub(crate) pack: String,
    /// Markdown instead of text for the terminal
    #[arg(long)]
    pub(crate) markdown: bool,
}

#[derive(clap::Args, Clone)]
pub(crate) struct TestOptions {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// Packs, by folder or by name in the configured folder of packs
    #[arg(required = true, value_name = "PACK")]
    pub(crate) packs: Vec<String>,
    /// Only the conversations with this in their name
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Write what came of each step into the expectations that did not hold
    #[arg(long)]
    pub(crate) update: bool,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Run everything this often, to measure
    #[arg(long, default_value_t = 1, value_name = "TIMES")]
    pub(crate) repeat: u32,
    /// The results as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Clone)]
pub(crate) struct GraphOptions {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// A pack's folder, or the name of one in the configured folder of packs
    pub(crate) pack: String,
    /// For a flow: the graph that each turn walks, instead of its modes
    #[arg(long)]
    pub(crate) turn: bool,
}

#[derive(clap::Args, Clone)]
pub(crate) struct NewOptions {
    /// The folder to write; its last part names the pack
    pub(crate) name: String,
    /// The kind of agent
    #[arg(long, value_enum, default_value_t = NewKind::Form)]
    pub(crate) kind: NewKind,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum NewKind {
    /// Collects fields in conversation
    Form,
    /// Passes through modes, with guards, timers and tools
    Flow,
}

#[derive(clap::Args)]
pub(crate) struct NluOptions {
    #[command(subcommand)]
    pub(crate) command: Option<NluCommand>,
    /// Labelled messages to learn from, as JSON lines
    #[arg(long, value_name = "F.jsonl", requires = "test")]
    pub(crate) train: Option<PathBuf>,
    /// Labelled messages to be measured on, as JSON lines
    #[arg(long, value_name = "F.jsonl", requires = "train")]
    pub(crate) test: Option<PathBuf>,
    /// The figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum NluCommand {
    /// Read texts from standard input, one a line; print what extraction and validation find
    ///
    /// `found` holds the values of a text, of which no two share words; `by_kind` what each kind
    /// finds on its own, as a field that asks for it would; `valid` the whole text as the value of
    /// a field of each type. A line may also be an object with `text` and, if they differ,
    /// `locale`, `time_zone`, `now`.
    Extract(ExtractOptions),
}

#[derive(clap::Args)]
pub(crate) struct ExtractOptions {
    /// Language and country of the texts
    #[arg(long, default_value = "es-CO")]
    pub(crate) locale: String,
    /// Where "mañana" begins
    #[arg(long, default_value = "America/Bogota")]
    pub(crate) time_zone: String,
    /// Cities to look for, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "CITY,…")]
    pub(crate) cities: Vec<String>,
    /// The present time, such as 2026-02-10T09:30:00 [default: now]
    #[arg(long)]
    pub(crate) now: Option<String>,
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
    /// A conversation's owner, timers and transcript, with what its models cost
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
        /// The text for the customer
        text: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// Give a conversation back to the bot
    Return {
        /// The conversation's id, or the end of one
        id: String,
        /// A note for the agent on what happened meanwhile; resolves the handoff
        #[arg(long)]
        note: Option<String>,
        /// The mode the agent should go on in, if it can
        #[arg(long)]
        mode: Option<String>,
        /// The text that the customer should be told, if the agent agrees
        #[arg(long)]
        message: Option<String>,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Subcommand)]
pub(crate) enum HandoffCommand {
    /// Handoffs, newest first
    List {
        /// Handoffs that nobody has yet, that somebody has, that are over, or all
        #[arg(long, value_enum, default_value_t = WhichHandoffs::Pending)]
        status: WhichHandoffs,
        /// Only those assigned to this person
        #[arg(long, value_name = "NAME")]
        assignee: Option<String>,
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Go on after a page that ended with this handoff
        #[arg(long, value_name = "ID")]
        before: Option<HandoffId>,
        #[command(flatten)]
        desk: Desk,
    },
    /// A handoff with what the person should know
    Show {
        /// The handoff's id, or the end of one
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// Say who is to attend to it; the conversation is theirs once they take it
    Assign {
        /// The handoff's id, or the end of one
        id: String,
        /// The person to have it [default: yourself]
        #[arg(long, value_name = "NAME")]
        to: Option<String>,
        #[command(flatten)]
        desk: Desk,
    },
    /// Say how it ended; the conversation stays yours until you give it back
    Resolve {
        /// The handoff's id, or the end of one
        id: String,
        /// How it ended
        #[arg(long)]
        note: String,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum WhichHandoffs {
    Pending,
    Assigned,
    Resolved,
    All,
}

#[derive(Subcommand)]
pub(crate) enum QuarantineCommand {
    /// List the events set aside, and why
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
    /// List the open items, and since when
    List {
        #[command(flatten)]
        desk: Desk,
    },
    /// The call or send did happen: nothing more to do
    Happened {
        /// The item's id, as `recado reconcile list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// The call or send did not happen and is not wanted any more
    Drop {
        /// The item's id, as `recado reconcile list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
    /// The send did not happen: send the message again
    Resend {
        /// The item's id, as `recado reconcile list` shows it
        id: String,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key; its secret is printed once and kept nowhere
    Create {
        /// The holder's name, as in the audit log
        #[arg(long)]
        name: String,
        /// The acts that the key allows
        #[arg(long, value_enum)]
        role: KeyRoleArg,
        /// After how many days it opens nothing any more [default: never]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: Option<u32>,
        #[command(flatten)]
        desk: Desk,
    },
    /// Keys, newest first, with when each was last used
    List {
        #[command(flatten)]
        desk: Desk,
    },
    /// End a key for good: what it opened closes within seconds
    Revoke {
        /// The key's name, its id, or the end of one
        key: String,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum KeyRoleArg {
    /// Reads
    Viewer,
    /// Acts on conversations, orders and stock
    Operator,
    /// Makes and revokes keys
    Admin,
}
