//! The rules on which crate may know which: arrows point down, and I/O stays at the edge.

use super::Problem;
use super::manifest::Manifest;

struct Rule {
    of: &'static str,
    refuses: Refuses,
    because: &'static str,
}

enum Refuses {
    These(&'static [&'static str]),
    OursExcept(&'static [&'static str]),
}

use Refuses::{OursExcept, These};

/// What reaches outside the process.
const IO: &[&str] = &["tokio", "rusqlite", "tokio-postgres", "reqwest", "axum"];

const RULES: &[Rule] = &[
    Rule {
        of: "domain",
        refuses: OursExcept(&[]),
        because: "domain is the words, and all others speak them",
    },
    Rule {
        of: "graph",
        refuses: OursExcept(&[]),
        because: "graphs are a library of their own and know no conversation",
    },
    Rule {
        of: "document",
        refuses: OursExcept(&[]),
        because: "a document is text with places, whatever it is about",
    },
    Rule {
        of: "nlu",
        refuses: OursExcept(&[]),
        because: "understanding takes text and knows no conversation",
    },
    Rule { of: "nlu", refuses: These(IO), because: "understanding performs no I/O" },
    Rule {
        of: "pack",
        refuses: OursExcept(&["document", "nlu"]),
        because: "a pack is read and checked without an engine",
    },
    Rule { of: "pack", refuses: These(IO), because: "a pack reads its folder and nothing else" },
    Rule {
        of: "eval",
        refuses: These(&["server", "channels", "runner", "axum"]),
        because: "a rehearsal holds a conversation without the world",
    },
    Rule {
        of: "agents",
        refuses: These(&[
            "store",
            "store-sqlite",
            "store-postgres",
            "runner",
            "server",
            "channels",
            "tokio",
            "rusqlite",
            "tokio-postgres",
            "reqwest",
            "axum",
        ]),
        because: "agents decide and perform no I/O",
    },
    Rule {
        of: "llm",
        refuses: These(&[
            "store",
            "store-sqlite",
            "store-postgres",
            "agents",
            "runner",
            "server",
            "channels",
        ]),
        because: "a model is asked and answers, and knows no conversation",
    },
    Rule {
        of: "store",
        refuses: These(&["agents"]),
        because: "a store keeps what it is given and knows no agent",
    },
    Rule {
        of: "store-sqlite",
        refuses: OursExcept(&["domain", "store"]),
        because: "a store's SQL knows the port and the words only",
    },
    Rule {
        of: "store-postgres",
        refuses: OursExcept(&["domain", "store"]),
        because: "a store's SQL knows the port and the words only",
    },
    Rule {
        of: "channels",
        refuses: These(&["agents", "runner", "store"]),
        because: "channels translate between wire and domain, nothing else",
    },
    Rule {
        of: "runner",
        refuses: These(&["server", "axum"]),
        because: "the runner works without an HTTP server",
    },
];

/// Who may choose a store; tests anywhere may, since they need a real one.
const CHOOSE_STORES: &[&str] = &["cli", "bench"];
const STORES: &[&str] = &["store-sqlite", "store-postgres"];

pub(super) fn check(manifests: &[Manifest]) -> Vec<Problem> {
    let ours: Vec<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    let mut problems = Vec::new();
    for manifest in manifests {
        let name = manifest.name.as_str();
        for dependency in &manifest.dependencies {
            let wanted = dependency.name.as_str();
            // A crate names itself to switch on its own features for its tests.
            if wanted == name {
                continue;
            }
            let refusals = RULES
                .iter()
                .filter(|rule| rule.of == name && rule.refuses.refuses(wanted, &ours))
                .map(|rule| rule.because);
            let chooses = STORES.contains(&wanted) && !CHOOSE_STORES.contains(&name);
            let chosen = (chooses && !dependency.only_for_tests)
                .then_some("only cli and bench choose a store");
            if let Some(because) = refusals.chain(chosen).next() {
                let text = format!("{name} must not depend on {wanted}: {because}");
                problems.push(Problem::new(&manifest.path, dependency.line, text));
            }
        }
    }
    problems
}

impl Refuses {
    fn refuses(&self, wanted: &str, ours: &[&str]) -> bool {
        match self {
            These(names) => names.contains(&wanted),
            OursExcept(allowed) => ours.contains(&wanted) && !allowed.contains(&wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(crates: &[(&str, &str)]) -> Vec<String> {
        let manifests: Vec<Manifest> = crates
            .iter()
            .map(|(name, rest)| {
                let text = format!("[package]\nname = \"{name}\"\n{rest}");
                Manifest::parse(&format!("crates/{name}/Cargo.toml"), &text)
            })
            .collect();
        check(&manifests).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn domain_may_use_the_world_but_none_of_ours() {
        assert_eq!(
            found(&[("domain", "[dependencies]\nserde = \"1\"\ntools = \"1\"\n"), ("tools", "")]),
            ["crates/domain/Cargo.toml:5: domain must not depend on tools: \
                 domain is the words, and all others speak them"]
        );
    }

    #[test]
    fn agents_may_not_reach_io_even_in_their_tests() {
        assert_eq!(
            found(&[("agents", "[dev-dependencies]\ntokio = \"1\"\n")]),
            ["crates/agents/Cargo.toml:4: agents must not depend on tokio: \
                 agents decide and perform no I/O"]
        );
    }

    #[test]
    fn a_store_may_know_domain_and_store_alone() {
        let rest =
            "[dependencies]\ndomain = \"1\"\nstore = \"1\"\nrusqlite = \"1\"\nrunner = \"1\"\n";
        let crates = [("store-sqlite", rest), ("domain", ""), ("store", ""), ("runner", "")];
        assert_eq!(found(&crates).len(), 1);
    }

    #[test]
    fn models_know_no_store_no_agent_and_no_engine() {
        for wanted in ["store", "store-sqlite", "agents", "runner", "server", "channels"] {
            let rest = format!("[dependencies]\ndomain = \"1\"\n{wanted} = \"1\"\n");
            let expected = format!(
                "crates/llm/Cargo.toml:5: llm must not depend on {wanted}: \
                 a model is asked and answers, and knows no conversation"
            );
            assert_eq!(found(&[("llm", &rest)]), [expected]);
        }
    }

    #[test]
    fn only_cli_and_bench_and_tests_choose_a_store() {
        let depends = "[dependencies]\nstore-sqlite.workspace = true\n";
        assert!(found(&[("cli", depends), ("bench", depends)]).is_empty());
        assert!(
            found(&[("runner", "[dev-dependencies]\nstore-sqlite.workspace = true\n")]).is_empty()
        );
        assert_eq!(
            found(&[("server", depends)]),
            ["crates/server/Cargo.toml:4: server must not depend on store-sqlite: \
                 only cli and bench choose a store"]
        );
    }
}
