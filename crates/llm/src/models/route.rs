//! Routes a model's name to its provider.

use std::sync::Arc;

use crate::Provider;

/// The vendor whose model names a provider serves without a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelVendor {
    Anthropic,
    OpenAi,
    /// Every name: a script or a tape.
    Any,
}

/// A provider and the models it serves.
#[derive(Clone)]
pub struct ModelSource {
    pub provider: Arc<dyn Provider>,
    pub vendor: ModelVendor,
    /// The models served; if empty, those whose names are of its vendor.
    pub models: Vec<String>,
}

impl ModelSource {
    fn lists(&self, model: &str) -> bool {
        self.models.iter().any(|listed| listed == model)
    }

    fn knows(&self, model: &str) -> bool {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
        self.models.is_empty()
            && match self.vendor {
                ModelVendor::Anthropic => starts(&["claude"]),
                ModelVendor::OpenAi => starts(&["gpt", "o1", "o3", "o4"]),
                ModelVendor::Any => true,
            }
    }
}

/// The place of the source that serves a model, and the model's name there. `provider/model` names
/// both; otherwise the first source that lists the model, else the first that knows such names.
pub(super) fn route<'a, 's>(
    sources: impl Iterator<Item = &'s ModelSource> + Clone,
    model: &'a str,
) -> Option<(usize, &'a str)> {
    let explicit = model.split_once('/').and_then(|(provider, named)| {
        let place = sources.clone().position(|source| source.provider.name() == provider)?;
        Some((place, named))
    });
    if let Some((place, named)) = explicit {
        let source = sources.clone().nth(place)?;
        let serves = source.models.is_empty() || source.lists(named);
        return (serves && !named.is_empty()).then_some((place, named));
    }
    let place = sources.clone().position(|source| source.lists(model));
    let place = place.or_else(|| sources.clone().position(|source| source.knows(model)))?;
    Some((place, model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Script, Scripted};

    fn source(id: &str, vendor: ModelVendor, models: &[&str]) -> ModelSource {
        let provider = Arc::new(Scripted::new(id, &Script::default()));
        let models = models.iter().map(|&model| model.to_owned()).collect();
        ModelSource { provider, vendor, models }
    }

    #[test]
    fn a_name_leads_to_its_provider_by_prefix_by_list_or_by_family() {
        let sources = [
            source("groq", ModelVendor::OpenAi, &["llama-3.3-70b", "gpt-oss", "meta/llama"]),
            source("anthropic", ModelVendor::Anthropic, &[]),
            source("openai", ModelVendor::OpenAi, &[]),
            source("azure", ModelVendor::OpenAi, &[]),
        ];
        let cases = [
            ("llama-3.3-70b", Some(("groq", "llama-3.3-70b"))),
            ("gpt-oss", Some(("groq", "gpt-oss"))),
            ("meta/llama", Some(("groq", "meta/llama"))),
            ("groq/meta/llama", Some(("groq", "meta/llama"))),
            ("groq/gpt-4o", None),
            ("claude-haiku-4-5", Some(("anthropic", "claude-haiku-4-5"))),
            ("gpt-4o", Some(("openai", "gpt-4o"))),
            ("o1-mini", Some(("openai", "o1-mini"))),
            ("o3", Some(("openai", "o3"))),
            ("o4-mini", Some(("openai", "o4-mini"))),
            ("azure/gpt-4o", Some(("azure", "gpt-4o"))),
            ("azure/anything", Some(("azure", "anything"))),
            ("openai/claude-x", Some(("openai", "claude-x"))),
            ("nobody/gpt-4o", None),
            ("azure/", None),
            ("mistral", None),
            ("", None),
        ];
        for (model, expected) in cases {
            let found = route(sources.iter(), model);
            let found = found.map(|(place, named)| (sources[place].provider.name(), named));
            assert_eq!(found, expected, "{model}");
        }
    }

    #[test]
    fn a_script_serves_whatever_nobody_before_it_does() {
        let sources =
            [source("openai", ModelVendor::OpenAi, &[]), source("demo", ModelVendor::Any, &[])];
        assert_eq!(route(sources.iter(), "gpt-4o"), Some((0, "gpt-4o")));
        assert_eq!(route(sources.iter(), "anything"), Some((1, "anything")));
    }
}
