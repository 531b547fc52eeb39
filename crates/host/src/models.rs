//! The providers of language models: the configured ones, a script, or nobody.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{Config, ModelLimits, ProviderKind};
use domain::{Backoff, Clock, IdSource};
use llm::{
    Anthropic, Limits, ModelSource, ModelVendor, Models, OpenAi, Prices, Provider, Recorder,
    Refusals, Replayer, Script, Scripted, Timeouts, TokenLimit, jitter,
};
use pack::Pack;

use crate::HostError;
use crate::packs::{chain, components};

/// The models of the configuration.
pub fn configured(
    config: &Config,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
) -> Result<Arc<Models>, HostError> {
    let client = crate::client()?;
    let mut sources = Vec::new();
    for settings in &config.providers {
        let mut source = source(settings, config.model_limits, &client).map_err(|source| {
            HostError::Provider { id: settings.id.clone(), source: Box::new(source) }
        })?;
        if let Some(tape) = &settings.record {
            let recorder = Recorder::new(Arc::clone(&source.provider), tape);
            let failed =
                |source| HostError::Tape { id: settings.id.clone(), tape: tape.clone(), source };
            source.provider = Arc::new(recorder.map_err(failed)?);
        }
        sources.push(source);
    }
    let limits = limits(config.model_limits);
    Ok(Arc::new(Models::new(sources, prices(config)?, limits, clock, jitter(ids))))
}

/// Every model answers as the script says, from its beginning.
pub fn scripted(
    script: &Script,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
) -> Result<Arc<Models>, HostError> {
    let provider = Arc::new(Scripted::new("script", script));
    let source = ModelSource { provider, vendor: ModelVendor::Any, models: Vec::new() };
    // A script that says "overloaded" is not better off for a pause.
    let limits = Limits {
        backoff: Backoff { base_ms: 0, max_ms: 0 },
        breaker_failures: u32::MAX,
        ..Limits::default()
    };
    Ok(Arc::new(Models::new(vec![source], Prices::built_in()?, limits, clock, jitter(ids))))
}

/// No model: agents work by their rules.
pub fn nobody(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Arc<Models> {
    let limits = Limits::default();
    Arc::new(Models::new(Vec::new(), Prices::default(), limits, clock, jitter(ids)))
}

/// A provider without its recorder; it is not called.
pub fn source(
    settings: &config::Provider,
    limits: ModelLimits,
    client: &reqwest::Client,
) -> Result<ModelSource, HostError> {
    let (id, client, timeouts) = (settings.id.clone(), client.clone(), timeouts(limits));
    let refusals = Refusals::default();
    let (provider, vendor): (Arc<dyn Provider>, ModelVendor) = match &settings.kind {
        ProviderKind::Anthropic { base_url, api_key } => {
            let (base_url, api_key) = (base_url.to_string(), api_key.clone());
            let provider = Anthropic { id, base_url, api_key, client, timeouts, refusals };
            (Arc::new(provider), ModelVendor::Anthropic)
        }
        ProviderKind::OpenAi { base_url, api_key } => {
            let (base_url, api_key) = (base_url.to_string(), api_key.clone());
            let token_limit = TokenLimit::for_base(&base_url);
            let provider =
                OpenAi { id, base_url, api_key, client, timeouts, token_limit, refusals };
            (Arc::new(provider), ModelVendor::OpenAi)
        }
        ProviderKind::Scripted { file, delay_ms } => {
            let script = Scripted::new(id, &script(file)?);
            (Arc::new(script.with_delay(Duration::from_millis(*delay_ms))), ModelVendor::Any)
        }
        ProviderKind::Replay { file } => (Arc::new(Replayer::open(id, file)?), ModelVendor::Any),
    };
    Ok(ModelSource { provider, vendor, models: settings.models.clone() })
}

/// Reads what a model is taken to answer.
pub fn script(file: &Path) -> Result<Script, HostError> {
    let read =
        pack::load_script(file).map_err(|findings| HostError::Script(findings.to_string()))?;
    Ok(crate::script(&read))
}

/// The built-in prices, with the configuration's laid over them.
pub fn prices(config: &Config) -> Result<Prices, HostError> {
    let built_in = Prices::built_in()?;
    let Some(file) = &config.prices else { return Ok(built_in) };
    let unread = |source| HostError::PricesFile { file: file.clone(), source };
    let text = std::fs::read_to_string(file).map_err(unread)?;
    let wrong = |source| HostError::Prices { file: file.clone(), source };
    let own = Prices::parse(&text).map_err(wrong)?;
    Ok(built_in.with(own))
}

pub fn limits(limits: ModelLimits) -> Limits {
    let ModelLimits { at_once, per_minute, attempts, .. } = limits;
    Limits { at_once, per_minute, attempts, ..Limits::default() }
}

fn timeouts(limits: ModelLimits) -> Timeouts {
    Timeouts {
        first_byte: Duration::from_millis(limits.first_byte_ms),
        between_events: Duration::from_millis(limits.between_ms),
        total: Duration::from_millis(limits.total_ms),
    }
}

/// Says at start who serves models.
pub fn announce_providers(config: &Config) {
    for provider in &config.providers {
        let models = match provider.models.as_slice() {
            [] => "those of its kind".to_owned(),
            models => models.join(", "),
        };
        let recorded = provider.record.as_ref().map(|tape| tape.display().to_string());
        tracing::info!(
            provider = provider.id,
            kind = provider.kind.as_str(),
            models,
            recorded,
            "models"
        );
    }
}

/// Says which parts of a pack a model helps, and which work by rules for want of one.
pub fn announce_components(pack: &Pack, models: &Models) {
    let name = &pack.manifest.name;
    for (component, wanted) in components(&pack.manifest) {
        match chain(wanted).find(|model| models.serves(model)) {
            Some(model) => tracing::info!(pack = name, component, model, "has a model"),
            None => {
                let model = &wanted.model;
                tracing::info!(pack = name, component, model, "works by rules: nobody serves it");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{ModelMessage, ModelRequest, SystemClock, SystemIds, WorkspaceId};

    use super::*;
    use crate::with_causes;

    const GUION: &str = "- { to: writer, text: 'claro que sí' }\n";

    fn config(folder: &Path, text: &str) -> Config {
        let file = folder.join("recado.yaml");
        let text = text.replace("DIR", &folder.display().to_string());
        std::fs::write(&file, text).unwrap();
        config::load(Some(&file), &config::Environment::default()).unwrap()
    }

    fn built(config: &Config) -> Result<Arc<Models>, HostError> {
        let clock = SystemClock::default();
        configured(config, Arc::new(clock.clone()), Arc::new(SystemIds::new(clock)))
    }

    async fn answer(models: &Models, model: &str) -> Result<String, String> {
        let request = ModelRequest {
            messages: vec![ModelMessage::user("hola")],
            max_tokens: 50,
            ..ModelRequest::default()
        };
        let workspace = WorkspaceId::from_slug("demo");
        let chain = [model.to_owned()];
        let answered =
            models.ask(workspace, "writer", &chain, &request, llm::DEADLINE, &mut |_| {}).await;
        answered.result.map(|reply| reply.text()).map_err(|failure| failure.to_string())
    }

    #[tokio::test]
    async fn what_a_script_says_is_recorded_and_replayed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("guion.yaml"), GUION).unwrap();
        let scripted = "providers: [{ id: guion, kind: scripted, file: DIR/guion.yaml, \
                        record: DIR/cinta.jsonl }]";
        let models = built(&config(folder.path(), scripted)).unwrap();
        assert_eq!(answer(&models, "cualquiera").await.as_deref(), Ok("claro que sí"));
        let replay = "providers: [{ id: cinta, kind: replay, file: DIR/cinta.jsonl }]";
        let models = built(&config(folder.path(), replay)).unwrap();
        assert_eq!(answer(&models, "cualquiera").await.as_deref(), Ok("claro que sí"));
        assert!(answer(&models, "otro").await.is_err());
    }

    #[tokio::test]
    async fn each_kind_serves_the_names_of_its_family_or_of_its_list() {
        let folder = tempfile::tempdir().unwrap();
        let text = "providers:\n\
             - { id: a, kind: anthropic, api_key: k }\n\
             - { id: o, kind: openai, api_key: k }\n\
             - { id: local, kind: openai, base_url: 'http://127.0.0.1:1/v1', models: [llama] }\n";
        let models = built(&config(folder.path(), text)).unwrap();
        for (model, served) in [
            ("claude-haiku-4-5", true),
            ("gpt-4o", true),
            ("llama", true),
            ("local/llama", true),
            ("local/gpt-4o", false),
            ("mistral", false),
        ] {
            assert_eq!(models.serves(model), served, "{model}");
        }
        let bare = built(&config(folder.path(), "")).unwrap();
        assert!(!bare.serves("claude-haiku-4-5"));
    }

    #[test]
    fn a_file_that_does_not_read_is_named_with_its_provider() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("guion.yaml"), "- { to: writer }\n").unwrap();
        std::fs::write(folder.path().join("precios.yaml"), "m: { input: -1, output: 1 }").unwrap();
        for (text, expected) in [
            (
                "providers: [{ id: g, kind: scripted, file: DIR/guion.yaml }]",
                &["the provider `g`", "guion.yaml:1:3", "answers nothing"][..],
            ),
            (
                "providers: [{ id: g, kind: replay, file: DIR/nada.jsonl }]",
                &["the provider `g`", "nada.jsonl"],
            ),
            (
                "providers: [{ id: g, kind: openai, record: DIR/no/hay.jsonl }]",
                &["the provider `g`", "cannot record to", "hay.jsonl"],
            ),
            ("prices: DIR/nada.yaml", &["cannot read the prices in", "nada.yaml"]),
            ("prices: DIR/precios.yaml", &["precios.yaml", "is not a price"]),
        ] {
            let error = built(&config(folder.path(), text)).err().expect(text);
            let error = with_causes(&error);
            for part in expected {
                assert!(error.contains(part), "{text}: {error}");
            }
        }
    }

    #[test]
    fn limits_and_prices_are_the_configurations() {
        let folder = tempfile::tempdir().unwrap();
        let prices_file = folder.path().join("precios.yaml");
        std::fs::write(&prices_file, "mio: { input: 1, output: 2 }").unwrap();
        let text = "prices: DIR/precios.yaml\nmodel_limits: { at_once: 2, per_minute: 3, \
                    attempts: 4, first_byte_ms: 500, between_ms: 600, total_ms: 700 }";
        let config = config(folder.path(), text);
        let limited = limits(config.model_limits);
        assert_eq!((limited.at_once, limited.per_minute, limited.attempts), (2, 3, 4));
        let longest = timeouts(config.model_limits);
        let in_ms = [longest.first_byte, longest.between_events, longest.total];
        assert_eq!(in_ms.map(|longest| longest.as_millis()), [500, 600, 700]);
        let usage = domain::Usage { input: 1, output: 1, ..domain::Usage::default() };
        let prices = prices(&config).unwrap();
        assert_eq!(prices.cost("mio", usage), Some(domain::Cost(3_000)));
        assert!(prices.cost("gpt-4o", usage).is_some(), "the built-in ones stay");
    }
}
