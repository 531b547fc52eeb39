//! The real binary under kills, floods, strangers and crowds: what an operator meets sooner or later.

mod begun;
mod bodies;
mod book;
mod courier;
mod crowd;
mod expected;
mod halves;
mod meta;
mod neighbour;
mod networks;
mod oracle;
mod outage;
mod search;
mod site;
mod streams;
mod tenants;
mod unread;
mod visitors;

use anyhow::Result;
use clap::ValueEnum;

use crate::measure::Measures;
use crate::plan::Plan;

pub(crate) use expected::ALL as EXPECTED;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Question {
    /// How long customers wait after a kill
    Outage,
    /// Waiting in a workspace beside one that floods the node
    Neighbour,
    /// Whether Meta's webhooks are acknowledged in time
    Meta,
    /// Memory, when bodies come that are meant for nobody
    Bodies,
    /// Descriptors, when half requests are held open
    Halves,
    /// Connections, when strangers hold them with bodies that do not come
    Begun,
    /// Messages that anonymous writers get in
    Visitors,
    /// A customer's wait to begin beside a crowd of networks
    Networks,
    /// The cost of idle pages
    Streams,
    /// Memory, when pages ask for all that was said and read nothing
    Unread,
    /// How long a search takes among many conversations
    Search,
    /// Memory with many workspaces, and after many edits of a pack
    Tenants,
}

/// A question that cannot be asked to its end says why, and the others are asked all the same.
pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let wanted = |one: &&Question| plan.ask.is_empty() || plan.ask.contains(one);
    for question in Question::value_variants().iter().filter(wanted) {
        eprintln!("  {question:?}");
        if let Err(error) = question.ask(plan, measures).await {
            measures.fail(format!("{question:?}: {error:#}"));
        }
    }
    Ok(())
}

impl Question {
    async fn ask(self, plan: &Plan, measures: &mut Measures) -> Result<()> {
        match self {
            Self::Outage => outage::run(plan, measures).await,
            Self::Neighbour => neighbour::run(plan, measures).await,
            Self::Meta => meta::run(plan, measures).await,
            Self::Bodies => bodies::run(plan, measures).await,
            Self::Halves => halves::run(plan, measures).await,
            Self::Begun => begun::run(plan, measures).await,
            Self::Visitors => visitors::run(plan, measures).await,
            Self::Networks => networks::run(plan, measures).await,
            Self::Streams => streams::run(plan, measures).await,
            Self::Unread => unread::run(plan, measures).await,
            Self::Search => search::run(plan, measures).await,
            Self::Tenants => tenants::run(plan, measures).await,
        }
    }
}
