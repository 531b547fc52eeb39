//! A site whose channels a small sales pack answers, with a model on this machine.

use std::fs;
use std::path::Path;

use super::oracle::Oracle;
use super::site::{Kind, Setting, Site};
use super::wire::Wire;

/// How long a model's first word may take, and each next one, where some models never come, which are
/// waited for three times in a turn.
const SHORT_MS: u64 = 4_000;

/// The same where all models come, from a process that starts eight nodes meanwhile: whoever asks a
/// second time has lost an answer, and not patience.
const LONG_MS: u64 = 30_000;

pub(crate) struct Shop {
    pub(crate) site: Site,
    pub(crate) oracle: Oracle,
}

impl Shop {
    pub(crate) async fn open(kind: Kind, wire: Wire) -> Self {
        Self::set_up(kind, wire, &["prueba"], LONG_MS, Setting::default()).await
    }

    /// The same with leases of another length.
    pub(crate) async fn with_leases(kind: Kind, wire: Wire, lease_ms: u64) -> Self {
        let setting = Setting { lease_ms, ..Setting::default() };
        Self::set_up(kind, wire, &["prueba"], LONG_MS, setting).await
    }

    /// A provider, a model and a webchat for each name; the channels of the kit have the first.
    pub(crate) async fn with_models(kind: Kind, wire: Wire, names: &[&str]) -> Self {
        Self::set_up(kind, wire, names, SHORT_MS, Setting::default()).await
    }

    async fn set_up(
        kind: Kind,
        wire: Wire,
        names: &[&str],
        word_ms: u64,
        setting: Setting,
    ) -> Self {
        let site = Site::with(kind, setting).await;
        let oracle = Oracle::start(wire).await;
        let kit = fs::read_to_string(site.config()).expect("the configuration");
        let own = kit.replace("agent: demo", &format!("agent: venta-{}", names[0]));
        assert_ne!(own, kit, "the kit's channels have another agent by now");
        let packs = site.folder().join("packs");
        let (url, wire_kind) = (oracle.url(), wire.kind());
        let base = wire.base(&url);
        let mut providers = String::new();
        let mut channels = String::new();
        for name in names {
            let model = model(wire, name);
            write_pack(&packs.join(format!("venta-{name}")), name, &model);
            // Each model has a provider of its own: a failing model is not held against the others.
            providers.push_str(&format!(
                "  - {{ id: {name}, kind: {wire_kind}, base_url: \"{base}\", api_key: clave, \
                 models: [{model}] }}\n"
            ));
            channels.push_str(&format!(
                "  - {{ id: web-{name}, kind: webchat, workspace: demo, agent: venta-{name} }}\n"
            ));
        }
        let total_ms = word_ms * 5 / 2;
        let limits = format!(
            "model_limits: {{ first_byte_ms: {word_ms}, between_ms: {word_ms}, total_ms: {total_ms}, \
             per_minute: 60000, at_once: 64 }}"
        );
        let configuration = format!(
            "packs: {}\n{limits}\nproviders:\n{providers}systems:\n  - {{ id: despacho, base_url: \
             \"{url}\", allow_private: true }}\n{own}{channels}",
            packs.display()
        );
        fs::write(site.config(), configuration).expect("it is ours");
        Self { site, oracle }
    }
}

/// The model that a name stands for.
pub(crate) fn model(wire: Wire, name: &str) -> String {
    match wire {
        Wire::OpenAi => format!("gpt-{name}"),
        Wire::Anthropic => format!("claude-{name}"),
    }
}

fn write_pack(folder: &Path, name: &str, model: &str) {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/venta");
    fs::create_dir_all(folder).expect("a folder");
    for entry in fs::read_dir(kit).expect("the kit's pack") {
        let entry = entry.expect("an entry");
        let text = fs::read_to_string(entry.path()).expect("a text");
        let text = text
            .replace("gpt-prueba", model)
            .replace("name: venta\n", &format!("name: venta-{name}\n"));
        fs::write(folder.join(entry.file_name()), text).expect("a file");
    }
}
