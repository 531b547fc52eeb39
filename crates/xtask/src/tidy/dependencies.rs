//! The rules on which crate may know which: arrows point down, and I/O stays at the edge.

use super::Problem;
use super::manifest::{Dependency, Manifest};

/// The crates that a crate may depend on, and the reason why no others.
struct Rule {
    of: &'static str,
    /// The crates of ours that it may depend on; its tests may depend on others too.
    knows: &'static [&'static str],
    because: &'static str,
}

/// The rules, the lowest crate first. Every crate of ours has a rule; a new crate needs one before
/// anything else.
const RULES: &[Rule] = &[
    Rule { of: "domain", knows: &[], because: "domain is the words, and all others speak them" },
    Rule {
        of: "graph",
        knows: &[],
        because: "graphs are a library of their own and know no conversation",
    },
    Rule {
        of: "document",
        knows: &[],
        because: "a document is text with places, whatever it is about",
    },
    Rule { of: "sentences", knows: &[], because: "a sentence is text, whoever says it" },
    Rule { of: "nlu", knows: &[], because: "understanding takes text and knows no conversation" },
    Rule {
        of: "config",
        knows: &["document", "domain"],
        because: "a configuration is read and checked before anything runs",
    },
    Rule {
        of: "pack",
        knows: &["document", "nlu", "sentences"],
        because: "a pack is read and checked without an engine",
    },
    Rule {
        of: "agents",
        knows: &["domain", "graph", "nlu", "pack", "sentences"],
        because: "agents decide and perform no I/O",
    },
    Rule {
        of: "llm",
        knows: &["domain"],
        because: "a model is asked and answers, and knows no conversation",
    },
    Rule {
        of: "channels",
        knows: &["domain"],
        because: "channels translate between wire and domain, nothing else",
    },
    Rule {
        of: "store",
        knows: &["domain"],
        because: "a store keeps what it is given and knows nobody who gives it",
    },
    Rule {
        of: "store-sqlite",
        knows: &["domain", "store"],
        because: "a store's SQL knows the port and the words only",
    },
    Rule {
        of: "store-postgres",
        knows: &["domain", "store"],
        because: "a store's SQL knows the port and the words only",
    },
    Rule {
        of: "shop",
        knows: &["domain", "nlu", "pack", "store"],
        because: "the shop is what is sold and ordered, whoever asks for it",
    },
    Rule {
        of: "tools",
        knows: &["domain", "shop", "store"],
        because: "a tool acts for whoever calls it, and knows no agent and no engine",
    },
    Rule {
        of: "runner",
        knows: &["agents", "channels", "domain", "llm", "sentences", "store", "tools"],
        because: "the runner works without an HTTP server, a configuration or a pack",
    },
    Rule {
        of: "host",
        knows: &[
            "agents",
            "channels",
            "config",
            "domain",
            "llm",
            "pack",
            "runner",
            "shop",
            "store",
            "store-postgres",
            "store-sqlite",
            "tools",
        ],
        because: "a host puts a node together, and whoever serves it by HTTP or commands stands above",
    },
    Rule {
        of: "eval",
        knows: &["agents", "domain", "host", "llm", "pack", "shop", "store", "tools"],
        because: "a rehearsal holds a conversation without the world",
    },
    Rule {
        of: "server",
        knows: &["channels", "domain", "runner", "sentences", "shop", "store"],
        because: "the server takes in and shows, and knows no agent and no model",
    },
    Rule {
        of: "cli",
        knows: &[
            "agents",
            "channels",
            "config",
            "domain",
            "eval",
            "host",
            "llm",
            "nlu",
            "pack",
            "runner",
            "sentences",
            "server",
            "shop",
            "store",
            "tools",
        ],
        because: "the binary is commands and printing: what they act on is opened by the host",
    },
    Rule {
        of: "bench",
        knows: &[
            "agents",
            "domain",
            "graph",
            "host",
            "llm",
            "nlu",
            "pack",
            "runner",
            "shop",
            "store",
            "store-postgres",
            "store-sqlite",
            "tools",
        ],
        because: "the bench measures the binary from outside, and the engine without HTTP",
    },
    Rule { of: "xtask", knows: &[], because: "the rules must hold before anything compiles" },
];

/// Crates that reach outside the process, and ours that do without them, in their tests too.
const IO: &[&str] = &["tokio", "rusqlite", "tokio-postgres", "reqwest", "axum"];
const WITHOUT_IO: &[&str] =
    &["domain", "document", "sentences", "nlu", "pack", "agents", "config", "xtask"];
/// The crates that serve HTTP.
const SERVES: &[&str] = &["server"];
/// The crate that measures with what tests are made of.
const MEASURES: &[&str] = &["bench"];

pub(super) fn check(manifests: &[Manifest]) -> Vec<Problem> {
    let ours: Vec<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    let mut problems = Vec::new();
    for manifest in manifests {
        let name = manifest.name.as_str();
        let Some(rule) = RULES.iter().find(|rule| rule.of == name) else {
            let text = format!("{name} has no rule on what it may depend on: add one to tidy");
            problems.push(Problem::new(&manifest.path, 1, text));
            continue;
        };
        for dependency in &manifest.dependencies {
            if let Some(because) = rule.refuses(dependency, &ours) {
                let text = format!("{name} must not depend on {}: {because}", dependency.name);
                problems.push(Problem::new(&manifest.path, dependency.line, text));
            }
        }
    }
    problems
}

impl Rule {
    /// The reason why the dependency is refused, if it is.
    fn refuses(&self, dependency: &Dependency, ours: &[&str]) -> Option<&'static str> {
        let wanted = dependency.name.as_str();
        let tests = dependency.only_for_tests;
        if IO.contains(&wanted) && WITHOUT_IO.contains(&self.of) {
            return Some("it performs no I/O, not even in its tests");
        }
        if wanted == "axum" && !SERVES.contains(&self.of) && !tests {
            return Some("only the server serves HTTP");
        }
        if dependency.has_test_code && !tests && !MEASURES.contains(&self.of) {
            return Some("what is served links no test code: name the feature for tests only");
        }
        // A crate names itself to switch on its own features for its tests.
        let is_known = wanted == self.of || self.knows.contains(&wanted);
        (ours.contains(&wanted) && !is_known && !tests).then_some(self.because)
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
    fn what_decides_may_not_reach_outside_even_in_its_tests() {
        for name in WITHOUT_IO {
            assert_eq!(
                found(&[(name, "[dev-dependencies]\ntokio = \"1\"\n")]),
                [format!(
                    "crates/{name}/Cargo.toml:4: {name} must not depend on tokio: \
                     it performs no I/O, not even in its tests"
                )]
            );
        }
    }

    #[test]
    fn no_crate_may_know_one_that_its_rule_does_not_name() {
        let all: Vec<&str> = RULES.iter().map(|rule| rule.of).collect();
        for rule in RULES {
            for wanted in all.iter().filter(|wanted| **wanted != rule.of) {
                let rest = format!("[dependencies]\n{wanted} = \"1\"\n");
                let refused = found(&[(rule.of, &rest), (wanted, "")]);
                assert_eq!(refused.is_empty(), rule.knows.contains(wanted), "{refused:?}");
            }
        }
    }

    #[test]
    fn arrows_point_down() {
        let place = |name: &str| RULES.iter().position(|rule| rule.of == name);
        for (at, rule) in RULES.iter().enumerate() {
            for known in rule.knows {
                assert!(place(known) < Some(at), "{} knows {known}, which is above it", rule.of);
            }
        }
    }

    #[test]
    fn tests_may_choose_a_store() {
        let tests = "[dev-dependencies]\nstore-sqlite.workspace = true\n";
        assert!(found(&[("runner", tests), ("store-sqlite", "")]).is_empty());
    }

    #[test]
    fn nothing_that_is_served_links_test_code() {
        let with = "store = { workspace = true, features = [\"contract\"] }\n";
        for (section, crates, refused) in [
            ("[dependencies]\n", "crates/host", true),
            ("[dev-dependencies]\n", "crates/host", false),
            ("[dependencies]\n", "bench", false),
        ] {
            let name = crates.trim_start_matches("crates/");
            let problems = found(&[(name, &format!("{section}{with}")), ("store", "")]);
            assert_eq!(!problems.is_empty(), refused, "{section} of {name}: {problems:?}");
        }
    }

    #[test]
    fn a_crate_without_a_rule_is_a_problem() {
        assert_eq!(
            found(&[("dashboard", "")]),
            ["crates/dashboard/Cargo.toml:1: dashboard has no rule on what it may depend on: \
                 add one to tidy"]
        );
    }

    #[test]
    fn only_the_server_serves_http() {
        assert_eq!(
            found(&[("runner", "[dependencies]\naxum = \"1\"\n")]),
            [
                "crates/runner/Cargo.toml:4: runner must not depend on axum: only the server serves HTTP"
            ]
        );
        assert!(found(&[("tools", "[dev-dependencies]\naxum = \"1\"\n")]).is_empty());
    }
}
