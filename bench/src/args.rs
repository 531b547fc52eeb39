//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::database::Kind;
use crate::load::Question;
use crate::subject::Subject;
use crate::tau::{Node, Tau};

/// Measures Recado on this machine and prints one table: our figures, their targets, the peers'.
#[derive(Parser)]
#[command(name = "bench", max_term_width = 100, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Apart>,

    /// Only these workloads
    #[arg(long, value_delimiter = ',', value_name = "W1,GRAPH,…", ignore_case = true)]
    pub(crate) only: Vec<Workload>,

    /// Only this store [default: both]
    #[arg(long)]
    pub(crate) store: Option<Kind>,

    /// Short runs: to see that everything works, not for figures
    #[arg(long)]
    pub(crate) quick: bool,

    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Store this many conversations before W1 to W4 and idle; several give a row for each
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_value = "0")]
    pub(crate) stored: Vec<u64>,

    /// Run W2 on PostgreSQL with this many nodes; several give a row for each
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_value = "1")]
    pub(crate) nodes: Vec<u32>,

    /// Run W2 and W3 with this agent; several give a row for each
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", default_value = "registro")]
    pub(crate) agent: Vec<Subject>,

    /// Do this many operations in the stock workload [default: 1,000,000; 20,000 if quick]
    #[arg(long, value_name = "N")]
    pub(crate) ops: Option<u64>,

    /// Ask only these questions in the load workload
    #[arg(long, value_delimiter = ',', value_name = "QUESTION,…")]
    pub(crate) ask: Vec<Question>,

    /// The superuser's address of a private PostgreSQL; `make bench` gives one
    #[arg(long, env = "RECADO_TEST_POSTGRES", value_name = "URL", hide_env_values = true)]
    pub(crate) postgres: Option<String>,

    /// Measure one workload in this process and print its figures as JSON
    #[arg(long, hide = true)]
    pub(crate) part: Option<Workload>,
}

/// Checks apart from the table.
#[derive(Subcommand)]
pub(crate) enum Apart {
    /// Replays the public retail benchmark (tau-bench) on our own tools
    Tau(Tau),
    /// The engine that `tau --kills` kills
    #[command(hide = true)]
    TauNode(Node),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workload {
    /// Turns through the form agent
    W1,
    /// Webhook to reply through the real binary
    W2,
    /// Timers
    W3,
    /// A slow model
    W4,
    /// The real binary with nothing to do
    Idle,
    /// The machine's own limits
    Limits,
    /// The cost of the graph runtime per node
    Graph,
    /// A whole turn of the form in memory
    Form,
    /// The cost of understanding a message, part by part
    Understand,
    /// Stock under many hands
    Stock,
    /// The cost of hearing an order and finding its goods
    Goods,
    /// Kills, floods and strangers against the real binary; only when asked for
    Load,
}

impl Workload {
    /// In the order they are run.
    pub(crate) const ALL: [Self; 12] = [
        Self::Graph,
        Self::Understand,
        Self::Goods,
        Self::Form,
        Self::Limits,
        Self::W1,
        Self::W2,
        Self::W3,
        Self::W4,
        Self::Stock,
        Self::Idle,
        Self::Load,
    ];

    /// Whether it runs on a database.
    pub(crate) fn stores(self) -> bool {
        !matches!(self, Self::Graph | Self::Form | Self::Understand)
    }

    /// Whether it runs unasked.
    pub(crate) fn is_usual(self) -> bool {
        self != Self::Load
    }

    /// Whether it is run with one agent or another.
    pub(crate) fn takes_an_agent(self) -> bool {
        matches!(self, Self::W2 | Self::W3)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::W1 => "w1",
            Self::W2 => "w2",
            Self::W3 => "w3",
            Self::W4 => "w4",
            Self::Idle => "idle",
            Self::Limits => "limits",
            Self::Graph => "graph",
            Self::Form => "form",
            Self::Understand => "understand",
            Self::Stock => "stock",
            Self::Goods => "goods",
            Self::Load => "load",
        }
    }
}
