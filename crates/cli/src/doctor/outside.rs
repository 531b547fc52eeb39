//! The doctor's findings on language models and the systems that packs call; nothing is called.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::{Config, McpTransport, Provider, ProviderKind};
use domain::{SystemClock, SystemIds, Usage};
use host::packs::{chain, components};
use host::{HostError, with_causes};
use llm::{Models, Prices, jitter};
use pack::Pack;

use super::{Finding, Level};

pub(super) fn outside(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (packs, unread) = read(config);
    findings.extend(unread);
    let models = serving(config, &mut findings);
    for pack in &packs {
        findings.extend(components_of(pack, &models));
        findings.extend(systems_of(pack, config));
        ask_prices(pack, &models);
    }
    findings.extend(unpriced(&models));
    findings.extend(config.mcp.iter().filter_map(server));
    findings
}

/// The packs that channels name, and what is said of those that do not read.
fn read(config: &Config) -> (Vec<Arc<Pack>>, Vec<Finding>) {
    let mut read = Vec::new();
    let mut unread = Vec::new();
    for name in host::agents(config).into_iter().filter(|name| *name != "demo") {
        let opened = host::packs::find(name, &config.packs)
            .and_then(|place| place.open().map_err(HostError::from));
        match opened {
            Ok(opened) => read.push(opened.pack),
            Err(error) => unread.push(Finding::bad(
                "pack",
                Level::Failure,
                format!("`{name}`: {}", with_causes(&error)),
                "recado serve refuses to start",
                "mend the lines named; `recado check` lists them",
            )),
        }
    }
    (read, unread)
}

/// The models of the providers that can be made, with a finding on each provider.
fn serving(config: &Config, findings: &mut Vec<Finding>) -> Models {
    let mut sources = Vec::new();
    match host::client() {
        Ok(client) => {
            for provider in &config.providers {
                match host::models::source(provider, config.model_limits, &client) {
                    Ok(source) => {
                        findings.push(sound(provider));
                        sources.push(source);
                    }
                    Err(error) => findings.push(Finding::bad(
                        "provider",
                        Level::Failure,
                        format!("`{}`: {}", provider.id, with_causes(&error)),
                        "recado serve refuses to start",
                        "correct its `file:`",
                    )),
                }
            }
        }
        Err(error) => findings.push(Finding::bad(
            "provider",
            Level::Failure,
            with_causes(&error),
            "no provider can be called",
            "follow the message above",
        )),
    }
    let prices = host::models::prices(config).unwrap_or_else(|error| {
        findings.push(Finding::bad(
            "prices",
            Level::Failure,
            with_causes(&error),
            "recado serve refuses to start",
            "correct `prices:` or the file it names",
        ));
        Prices::default()
    });
    let clock = SystemClock::default();
    let ids = Arc::new(SystemIds::new(clock.clone()));
    let limits = host::models::limits(config.model_limits);
    Models::new(sources, prices, limits, Arc::new(clock), jitter(ids))
}

/// The finding that a provider's settings alone give.
fn sound(provider: &Provider) -> Finding {
    let Provider { id, kind, .. } = provider;
    let warning = |cause: String, risk: &str, fix: &str| {
        Finding::bad("provider", Level::Warning, format!("`{id}` {cause}"), risk, fix)
    };
    match kind {
        ProviderKind::OpenAi { base_url, api_key: None } if host(base_url) == "api.openai.com" => {
            return warning(
                "has no api_key".to_owned(),
                "OpenAI refuses every call, and agents work by rules",
                "set its api_key or api_key_file",
            );
        }
        ProviderKind::Anthropic { base_url, .. } if base_url.ends_with("/v1") => {
            return warning(
                "has a base_url that ends in /v1".to_owned(),
                "calls go to /v1/v1/messages, which nobody answers",
                "leave the /v1 out",
            );
        }
        ProviderKind::OpenAi { base_url, .. } if path(base_url).is_empty() => {
            return warning(
                "has a base_url without a path".to_owned(),
                "calls go to /chat/completions, and most servers want a version before it",
                "most likely it ends in /v1",
            );
        }
        _ => {}
    }
    let (ProviderKind::Anthropic { base_url, .. } | ProviderKind::OpenAi { base_url, .. }) = kind
    else {
        return Finding::ok("provider", format!("`{id}`: {}", kind.as_str()));
    };
    let shown = base_url.redacted();
    if base_url.starts_with("http://") && !is_home(host(base_url)) {
        return warning(
            format!("is called at {shown} in the clear"),
            "the key and what customers write can be read on the way",
            "use an https:// address",
        );
    }
    Finding::ok("provider", format!("`{id}`: {} at {shown}", kind.as_str()))
}

fn rest(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

fn host(address: &str) -> &str {
    let authority = rest(address).split('/').next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.strip_prefix('[') {
        Some(number) => number.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

fn path(address: &str) -> &str {
    rest(address).split_once('/').map_or("", |(_, path)| path)
}

fn is_home(host: &str) -> bool {
    let number = host.parse().is_ok_and(|number| !tools::egress::is_public(number));
    number || !host.contains('.') && !host.contains(':')
}

fn components_of(pack: &Pack, models: &Models) -> Vec<Finding> {
    let name = &pack.manifest.name;
    let (mut served, mut unserved) = (Vec::new(), Vec::new());
    for (component, wanted) in components(&pack.manifest) {
        match chain(wanted).find(|model| models.serves(model)) {
            Some(model) => served.push(format!("{component} ({model})")),
            None => unserved.push(format!("{component} ({})", wanted.model)),
        }
    }
    let mut findings = Vec::new();
    if !served.is_empty() {
        let served = served.join(", ");
        findings.push(Finding::ok("models", format!("pack `{name}`: {served}")));
    }
    if !unserved.is_empty() {
        let unserved = unserved.join(", ");
        findings.push(Finding::bad(
            "models",
            Level::Warning,
            format!("pack `{name}`: nobody serves {unserved}"),
            "there it works by rules, examples and templates",
            "add a provider that serves the model, or leave it so",
        ));
    }
    findings
}

/// Models remember whose price they were asked for and do not know.
fn ask_prices(pack: &Pack, models: &Models) {
    for (_, wanted) in components(&pack.manifest) {
        for model in chain(wanted).filter(|model| models.serves(model)) {
            models.price(model, Usage::default());
        }
    }
}

fn unpriced(models: &Models) -> Option<Finding> {
    let unpriced = models.unpriced();
    (!unpriced.is_empty()).then(|| {
        Finding::bad(
            "prices",
            Level::Warning,
            format!("no price is known for {}", unpriced.join(", ")),
            "its calls count as free, and no budget in dollars stops them",
            "write its price into a file and name that with `prices:`",
        )
    })
}

fn systems_of(pack: &Pack, config: &Config) -> Vec<Finding> {
    let systems: BTreeSet<&str> = config.systems.iter().map(|one| one.id.as_str()).collect();
    let servers: BTreeSet<&str> = config.mcp.iter().map(|one| one.id.as_str()).collect();
    let name = &pack.manifest.name;
    let failure = |cause: String| {
        let (cause, fix) = cause.split_once(": ").unwrap_or((&cause, ""));
        let cause = format!("pack `{name}`: {cause}");
        Finding::bad("systems", Level::Failure, cause, "recado serve refuses to start", fix)
    };
    let mut findings: Vec<_> =
        host::unnamed(&pack.tools, &systems, &servers).into_iter().map(failure).collect();
    if config.notify.is_none() && pack.tools.tools.iter().any(|tool| tool.name == "avisar") {
        findings.push(Finding::bad(
            "systems",
            Level::Warning,
            format!("pack `{name}` uses `avisar`, and there is no `notify`"),
            "nobody is told",
            "give `notify:` the url to post to",
        ));
    }
    findings
}

/// A program that is not where it is looked for.
fn server(server: &config::McpServer) -> Option<Finding> {
    let McpTransport::Process { command, .. } = &server.transport else { return None };
    let missing = command.contains('/') && !std::path::Path::new(command).is_file();
    missing.then(|| {
        Finding::bad(
            "mcp",
            Level::Warning,
            format!("`{}`: there is no program {command}", server.id),
            "its tools stay away; the rest works",
            "correct its `command:`",
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::wiring::temporary_folder;

    fn examined(yaml: &str) -> Vec<Finding> {
        let folder = temporary_folder().unwrap();
        in_folder(folder.path(), yaml)
    }

    fn in_folder(folder: &Path, yaml: &str) -> Vec<Finding> {
        let file = folder.join("recado.yaml");
        let shown = folder.display().to_string();
        std::fs::write(&file, yaml.replace("DIR", &shown)).unwrap();
        outside(&config::load(Some(&file), &config::Environment::default()).unwrap())
    }

    #[track_caller]
    fn has(findings: &[Finding], level: Level, part: &str) {
        let found = |one: &Finding| one.level == level && one.cause.contains(part);
        assert!(findings.iter().any(found), "{level:?} {part}: {findings:#?}");
    }

    const SOMNIO: &str =
        "channels: [{ id: web, kind: webchat, workspace: demo, agent: somnio }]\npacks: /nada\n";

    #[test]
    fn models_that_nobody_serves_are_a_warning_and_those_served_are_named() {
        let bare = examined(SOMNIO);
        has(&bare, Level::Warning, "nobody serves detector (claude-haiku-4-5)");
        let anthropic = "providers: [{ id: a, kind: anthropic, api_key: k }]";
        let served = examined(&format!("{SOMNIO}{anthropic}"));
        has(&served, Level::Ok, "detector (claude-haiku-4-5), orchestrator (claude-sonnet-4-5)");
        has(&served, Level::Ok, "`a`: anthropic at https://api.anthropic.com");
        assert!(served.iter().all(|one| one.level == Level::Ok), "{served:#?}");
        let some = anthropic.replace("api_key: k", "api_key: k, models: [claude-haiku-4-5]");
        let some = examined(&format!("{SOMNIO}{some}"));
        has(&some, Level::Warning, "nobody serves orchestrator (claude-sonnet-4-5)");
        has(&some, Level::Ok, "detector (claude-haiku-4-5), writer");
    }

    #[test]
    fn what_is_wrong_with_a_provider_is_seen_without_calling_it() {
        for (provider, expected) in [
            ("{ id: p, kind: openai }", Some("has no api_key")),
            ("{ id: p, kind: openai, api_key: k }", None),
            ("{ id: p, kind: openai, base_url: 'http://127.0.0.1:11434/v1' }", None),
            ("{ id: p, kind: openai, base_url: 'http://[::1]:11434/v1' }", None),
            ("{ id: p, kind: openai, base_url: 'http://ollama:11434/v1' }", None),
            (
                "{ id: p, kind: openai, base_url: 'http://modelos.example.com/v1', api_key: k }",
                Some("in the clear"),
            ),
            (
                "{ id: p, kind: openai, base_url: 'https://modelos.example.com', api_key: k }",
                Some("without a path"),
            ),
            (
                "{ id: p, kind: anthropic, base_url: 'https://a.example/v1', api_key: k }",
                Some("ends in /v1"),
            ),
        ] {
            let findings = examined(&format!("{SOMNIO}providers: [{provider}]"));
            let own = findings.iter().find(|one| one.check == "provider").expect(provider);
            match expected {
                Some(part) => {
                    assert_eq!(own.level, Level::Warning, "{provider}");
                    assert!(own.cause.contains(part), "{provider}: {}", own.cause);
                }
                None => assert_eq!(own.level, Level::Ok, "{provider}: {}", own.cause),
            }
        }
    }

    #[test]
    fn files_that_do_not_read_and_prices_that_are_not_known_are_told() {
        let folder = temporary_folder().unwrap();
        std::fs::write(folder.path().join("guion.yaml"), "- { text: hola }\n").unwrap();
        let yaml = "packs: /nada\n\
             channels: [{ id: web, kind: webchat, workspace: demo, agent: registro }]\n\
             prices: DIR/nada.yaml\n\
             providers:\n\
             - { id: guion, kind: scripted, file: DIR/guion.yaml, models: [x] }\n\
             - { id: cinta, kind: replay, file: DIR/nada.jsonl, models: [y] }\n\
             mcp: [{ id: m, command: DIR/no-hay }]\n";
        let findings = in_folder(folder.path(), yaml);
        has(&findings, Level::Ok, "`guion`: scripted");
        has(&findings, Level::Failure, "`cinta`: ");
        has(&findings, Level::Failure, "cannot read the prices in");
        has(&findings, Level::Warning, "`m`: there is no program");
        assert!(!folder.path().join("nada.jsonl").exists(), "a look makes nothing");

        std::fs::write(folder.path().join("precios.yaml"), "otro: { input: 1, output: 1 }")
            .unwrap();
        let local = "packs: DIR\n\
             channels: [{ id: web, kind: webchat, workspace: demo, agent: propio }]\n\
             prices: DIR/precios.yaml\n\
             providers: [{ id: l, kind: openai, base_url: 'http://127.0.0.1:1/v1', \
             models: [llama] }]\n";
        let (_, source) = host::built_in::find("registro").unwrap();
        for (path, text) in source.iter() {
            let file = folder.path().join("propio").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text.replace("claude-haiku-4-5", "llama")).unwrap();
        }
        let findings = in_folder(folder.path(), local);
        has(&findings, Level::Warning, "no price is known for llama");
        let tools = "tools: [{ name: avisar }]\nhttp:\n- { name: a.b, description: x, system: s, \
                     method: GET, path: /x, class: safe }\nmcp: [{ server: m, tools: [t] }]\n";
        std::fs::write(folder.path().join("propio/tools.yaml"), tools).unwrap();
        let findings = in_folder(folder.path(), local);
        has(&findings, Level::Failure, "`a.b` calls the system `s`");
        has(&findings, Level::Failure, "`m` is an MCP server");
        has(&findings, Level::Warning, "uses `avisar`");
        let fixes: Vec<_> = findings.iter().filter_map(|one| one.fix.as_deref()).collect();
        assert!(fixes.iter().any(|fix| fix.starts_with("add it under `systems:`")), "{fixes:?}");
        std::fs::write(folder.path().join("propio/pack.yaml"), "name: 5\n").unwrap();
        has(&in_folder(folder.path(), local), Level::Failure, "`propio`: ");
    }
}
