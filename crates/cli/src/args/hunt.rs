//! How far `recado hunt` looks.

use super::WithConfig;

#[derive(clap::Args, Clone)]
pub(crate) struct HuntOptions {
    #[command(flatten)]
    pub(crate) config: WithConfig,
    /// Packs, by folder or by name in the configured folder of packs
    #[arg(required = true, value_name = "PACK")]
    pub(crate) packs: Vec<String>,
    /// The most moves of the model in one conversation
    #[arg(long, default_value_t = 6, value_name = "MOVES")]
    pub(crate) depth: usize,
    /// The most messages of the customer's that it answers with moves
    #[arg(long, default_value_t = 2, value_name = "TURNS")]
    pub(crate) turns: usize,
    /// Stop after this long, for each pack
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub(crate) seconds: u64,
    /// Try one input of a kind, as the project's own tests do
    #[arg(long)]
    pub(crate) few: bool,
    /// The findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
