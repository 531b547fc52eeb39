//! The repository's own chores, run as `cargo xtask NAME`.

mod counts;
mod functions;
mod tidy;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        ["counts"] => counts(&root()),
        ["counts", checkout] => counts(Path::new(checkout)),
        _ => {
            eprintln!(
                "usage: cargo xtask tidy                 check the rules that the compiler does not\n       \
                 cargo xtask counts [CHECKOUT]    count what a reader of the code meets"
            );
            ExitCode::from(2)
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn counts(checkout: &Path) -> ExitCode {
    match counts::report(checkout) {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("counts: {}: {error}", checkout.display());
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    let problems = match tidy::problems(&root()) {
        Ok(problems) => problems,
        Err(error) => {
            eprintln!("tidy: {error}");
            return ExitCode::FAILURE;
        }
    };
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        eprintln!("tidy: {} problem(s)", problems.len());
        ExitCode::FAILURE
    }
}
