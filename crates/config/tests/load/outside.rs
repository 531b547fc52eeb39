//! Language models, systems and MCP servers, and the messages about wrong ones.

use config::{McpTransport, ModelLimits, ProviderKind};
use domain::Cost;
use secrecy::ExposeSecret;

use crate::{Variables, loaded, refused};

const MODELS: &str = "providers:
  - id: anthropic
    kind: anthropic
    api_key: ${CLAVE}
  - { id: local, kind: openai, base_url: 'http://127.0.0.1:11434/v1/', models: [llama3.2, qwen] }
  - { id: guion, kind: scripted, file: guion.yaml, delay_ms: 300, record: cinta.jsonl }
  - { id: cinta, kind: replay, file: cinta.jsonl }
model_limits: { at_once: 2, per_minute: 3, attempts: 4, first_byte_ms: 500, between_ms: 600, total_ms: 700 }
budget: { workspace_usd_per_day: 2.5 }
prices: precios.yaml
";

const OUTSIDE: &str = "systems:
  - id: transportadora
    base_url: https://api.example.com/v2/
    headers: [{ name: Authorization, value: 'Bearer ${CLAVE}' }, { name: X-Tienda, value: '7' }]
  - { id: odoo, base_url: 'http://10.0.0.5', allow_private: true }
mcp:
  - { id: inventario, url: 'https://mcp.example.com/mcp?t=clave', headers: [{ name: A, value: b }] }
  - { id: archivos, command: mcp-archivos, args: [--folder, 'a,b'], env: [{ name: K, value: v }] }
egress: { allow: [hooks.interno.example, 10.0.0.5] }
";

#[test]
fn every_provider_comes_through_with_its_kinds_defaults() {
    let config = loaded(MODELS, &[("CLAVE", "s3creto")]);
    let [anthropic, local, guion, cinta] = &config.providers[..] else { panic!() };
    let ProviderKind::Anthropic { base_url, api_key } = &anthropic.kind else { panic!() };
    assert_eq!((&**base_url, api_key.expose_secret()), ("https://api.anthropic.com", "s3creto"));
    assert!(anthropic.models.is_empty());
    let ProviderKind::OpenAi { base_url, api_key: None } = &local.kind else { panic!() };
    assert_eq!(&**base_url, "http://127.0.0.1:11434/v1");
    assert_eq!(local.models, ["llama3.2", "qwen"]);
    let ProviderKind::Scripted { file, delay_ms: 300 } = &guion.kind else { panic!() };
    assert_eq!(file.to_str(), Some("guion.yaml"));
    assert_eq!(guion.record.as_deref().and_then(|path| path.to_str()), Some("cinta.jsonl"));
    assert!(matches!(&cinta.kind, ProviderKind::Replay { file } if file.ends_with("cinta.jsonl")));
    let limits = ModelLimits {
        at_once: 2,
        per_minute: 3,
        attempts: 4,
        first_byte_ms: 500,
        between_ms: 600,
        total_ms: 700,
    };
    assert_eq!(config.model_limits, limits);
    assert_eq!(config.workspace_day, Some(Cost(2_500_000_000)));
    assert!(config.prices.is_some());
    assert!(!format!("{config:?}").contains("s3creto"));

    let openai = loaded("providers: [{ id: o, kind: openai }]", &[]);
    let ProviderKind::OpenAi { base_url, .. } = &openai.providers[0].kind else { panic!() };
    assert_eq!(&**base_url, "https://api.openai.com/v1");

    let bare = loaded("", &[]);
    assert!(bare.providers.is_empty() && bare.prices.is_none());
    assert_eq!(bare.workspace_day, Some(Cost(10_000_000_000)));
    assert_eq!(bare.strangers_day(), Some(Cost(5_000_000_000)));
    let none = loaded("budget: { workspace_usd_per_day: none }", &[]);
    assert_eq!((none.workspace_day, none.strangers_day()), (None, None));
    assert_eq!(bare.model_limits, ModelLimits::default());
    // A whole number is a valid decimal too.
    assert_eq!(
        loaded("budget: { workspace_usd_per_day: 5 }", &[]).workspace_day,
        Some(Cost(5_000_000_000))
    );
}

#[test]
fn systems_and_servers_come_through_and_print_no_secret() {
    let config = loaded(OUTSIDE, &[("CLAVE", "s3creto")]);
    let [transportadora, odoo] = &config.systems[..] else { panic!() };
    assert_eq!(&*transportadora.base_url, "https://api.example.com/v2");
    let headers: Vec<_> = transportadora
        .headers
        .iter()
        .map(|header| (header.name.as_str(), header.value.expose_secret()))
        .collect();
    assert_eq!(headers, [("Authorization", "Bearer s3creto"), ("X-Tienda", "7")]);
    assert!(!transportadora.allow_private && odoo.allow_private && odoo.headers.is_empty());
    let [inventario, archivos] = &config.mcp[..] else { panic!() };
    let McpTransport::Http { url, headers } = &inventario.transport else { panic!() };
    assert_eq!((&**url, headers.len()), ("https://mcp.example.com/mcp?t=clave", 1));
    let McpTransport::Process { command, args, env } = &archivos.transport else { panic!() };
    assert_eq!((command.as_str(), env.len()), ("mcp-archivos", 1));
    assert_eq!(args, &["--folder", "a,b"]);
    assert_eq!(config.egress, ["hooks.interno.example", "10.0.0.5"]);
    let printed = format!("{config:?}");
    for secret in ["s3creto", "clave"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn a_variable_reaches_into_every_list_with_ids() {
    let env: Variables<'_> = &[
        ("CLAVE", "k"),
        ("RECADO_PROVIDERS__ANTHROPIC__API_KEY", "otra"),
        ("RECADO_PROVIDERS__LOCAL__MODELS", "uno, dos"),
        ("RECADO_PROVIDERS__GUION__DELAY_MS", "7"),
        ("RECADO_MODEL_LIMITS__ATTEMPTS", "1"),
        ("RECADO_BUDGET__WORKSPACE_USD_PER_DAY", "0.25"),
        ("RECADO_PRICES", "otros.yaml"),
        ("RECADO_SYSTEMS__ODOO__ALLOW_PRIVATE", "false"),
        ("RECADO_MCP__ARCHIVOS__COMMAND", "otro"),
        ("RECADO_EGRESS__ALLOW", "a.example"),
    ];
    let config = loaded(&format!("{MODELS}{OUTSIDE}"), env);
    let ProviderKind::Anthropic { api_key, .. } = &config.providers[0].kind else { panic!() };
    assert_eq!(api_key.expose_secret(), "otra");
    assert_eq!(config.providers[1].models, ["uno", "dos"]);
    assert!(matches!(config.providers[2].kind, ProviderKind::Scripted { delay_ms: 7, .. }));
    assert_eq!(config.model_limits.attempts, 1);
    assert_eq!(config.workspace_day, Some(Cost(250_000_000)));
    assert_eq!(config.prices.as_deref().and_then(|path| path.to_str()), Some("otros.yaml"));
    assert!(!config.systems[1].allow_private);
    let McpTransport::Process { command, .. } = &config.mcp[1].transport else { panic!() };
    assert_eq!(command, "otro");
    assert_eq!(config.egress, ["a.example"]);
}

#[test]
fn a_headers_value_may_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clave");
    std::fs::write(&path, "Bearer de archivo\n").unwrap();
    let yaml = OUTSIDE.replace("value: 'Bearer ${CLAVE}'", "value_file: '${RUTA}'");
    let config = loaded(&yaml, &[("RUTA", &path.display().to_string())]);
    assert_eq!(config.systems[0].headers[0].value.expose_secret(), "Bearer de archivo");
}

#[test]
fn every_mistake_about_the_outside_is_reported_at_once() {
    refused(
        "providers:
  - { id: a, kind: anthropic, file: x, models: 5 }
  - { id: a, kind: openai, base_url: ftp://x, delay_ms: 3 }
  - { id: B, kind: scripted, api_key: k }
  - { id: c, kind: replay, file: f, record: r, models: [1, ''] }
  - { id: d, kind: antropic }
  - { kind: openai }
model_limits: { at_once: 0, attempts: 11, total_ms: 1, nada: 2 }
budget: { workspace_usd_per_day: mucho }
prices: [a]
systems:
  - { id: s, headers: [{ name: A }, { value: b }, x] }
  - { id: s, base_url: x, allow_private: si }
mcp:
  - { id: m }
  - { id: m, url: https://x, command: y }
  - { id: n, url: https://x, args: [a], env: [] }
  - { id: o, command: y, headers: [] }
egress: { allow: ['https://h/x', 5] }
",
        &[("RECADO_PROVIDERS__A__API_KY", "x")],
        "\
recado.yaml:2:5: the provider `a` lacks `api_key`
recado.yaml:2:37: `file` is for a provider of kind `scripted` or `replay`
recado.yaml:2:48: `models` is a list of texts, not a number
recado.yaml:3:11: the provider `a` is already on line 2
recado.yaml:3:38: `base_url` is a web address, as in `https://example.com`
recado.yaml:3:57: `delay_ms` is for a provider of kind `scripted`
recado.yaml:4:5: the provider `B` lacks `file`
recado.yaml:4:11: `id` is 1 to 40 of `a-z`, `0-9` and `-`, not `B`
recado.yaml:4:39: `api_key` is for a provider of kind `anthropic` or `openai`
recado.yaml:5:45: `record` is for a provider of kind `anthropic` or `openai` or `scripted`
recado.yaml:5:57: each of `models` is text, not a number
recado.yaml:5:60: one of `models` is empty
recado.yaml:6:20: `kind` is not `antropic`, did you mean `anthropic`?
recado.yaml:7:5: this provider lacks `id`
recado.yaml:8:26: `at_once` lies between 1 and 100000, not 0
recado.yaml:8:39: `attempts` lies between 1 and 10, not 11
recado.yaml:8:53: `total_ms` lies between 100 and 600000, not 1
recado.yaml:8:56: unknown key `nada`; here there can be `at_once`, `per_minute`, `attempts`, `first_byte_ms`, `between_ms`, `total_ms`
recado.yaml:9:34: `workspace_usd_per_day` is a number, not `mucho`
recado.yaml:10:9: `prices` is text, not a list
recado.yaml:12:5: the system `s` lacks `base_url`
recado.yaml:12:24: one of `headers` lacks `value`
recado.yaml:12:37: one of `headers` lacks `name`
recado.yaml:12:51: each of `headers` is a group of keys, not text
recado.yaml:13:11: the system `s` is already on line 12
recado.yaml:13:24: `base_url` is a web address, as in `https://example.com`
recado.yaml:13:42: `allow_private` is true or false, not `si`
recado.yaml:15:5: the MCP server `m` has either `url` or `command`, not neither
recado.yaml:16:5: the MCP server `m` has either `url` or `command`, not both
recado.yaml:16:11: the MCP server `m` is already on line 15
recado.yaml:17:36: the MCP server `n` has `url`, which takes no `args`
recado.yaml:17:46: the MCP server `n` has `url`, which takes no `env`
recado.yaml:18:35: the MCP server `o` has `command`, which takes no `headers`
recado.yaml:19:19: each of `allow` is a host, as in `10.0.0.5`, not `https://h/x`
recado.yaml:19:34: each of `allow` is text, not a number
RECADO_PROVIDERS__A__API_KY: no setting has this name, did you mean `RECADO_PROVIDERS__A__API_KEY`?",
    );
    for (budget, expected) in [
        ("-1", "lies between 0 and 1000000, not -1"),
        ("1000001", "lies between 0 and 1000000, not 1000001"),
        ("nan", "lies between 0 and 1000000, not NaN"),
        (".nan", "is a number, not `.nan`"),
        ("true", "is a number, not true or false"),
    ] {
        refused(
            format!("budget: {{ workspace_usd_per_day: {budget} }}"),
            &[],
            &format!("recado.yaml:1:34: `workspace_usd_per_day` {expected}"),
        );
    }
}
