//! The binary `recado`: commands, and what they print.

mod args;
mod attend;
mod chat;
mod check;
mod descriptors;
mod doctor;
mod exit;
mod graph;
mod handoffs;
mod hunt;
mod input;
mod keys;
mod ledger;
mod logs;
mod memory;
mod new;
mod nlu;
mod output;
mod packs;
mod serve;
mod shop;
mod show;
mod test;
mod wiring;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Outcome;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    memory::in_small_pages();
    let args = Args::parse();
    logs::one_line_panics();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("recado: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let closing = match args.command {
        Command::Serve(_) => serve::CLOSING,
        _ => Duration::ZERO,
    };
    let code = runtime.block_on(async {
        let result: Outcome = match args.command {
            Command::Serve(options) => serve::serve(&options).await,
            Command::Chat(options) => chat::chat(&options).await,
            Command::Check(options) => check::check(&options),
            Command::Show(options) => show::show(&options),
            Command::Test(options) => test::test(&options),
            Command::Hunt(options) => hunt::hunt(&options),
            Command::Graph(options) => graph::graph(&options),
            Command::New(options) => new::new(&options),
            Command::Nlu(options) => nlu::nlu(&options),
            Command::Doctor(options) => doctor::doctor(&options).await,
            Command::Conv(command) => attend::conversations(command).await,
            Command::Handoff(command) => handoffs::handoffs(command).await,
            Command::Quarantine(command) => attend::quarantine(command).await,
            Command::Reconcile(command) => attend::reconcile(command).await,
            Command::Catalog(command) => shop::catalog(command).await,
            Command::Stock(command) => shop::stock(command).await,
            Command::Order(command) => shop::orders(command).await,
            Command::Key(command) => keys::keys(command).await,
            Command::Config => {
                print!("{}", config::example());
                Ok(ExitCode::SUCCESS)
            }
        };
        exit::code(result)
    });
    // The tasks of a node are waited for, because the database's file is whole only when the last of
    // them has let go of it. A thread that blocks, such as in a read of standard input, must not hold
    // the exit of other commands.
    runtime.shutdown_timeout(closing);
    code
}
