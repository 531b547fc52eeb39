//! The values of a right configuration.

use config::{
    ChannelSettings, Config, Database, Environment, LogFormat, ModelLimits, WebhookAuth, load,
};
use domain::{Pace, PairPace, Rate, Workspace};
use secrecy::ExposeSecret;

use crate::{TIENDA, Variables, loaded, refused};

/// The values that the tests compare, in one line.
fn summary(config: &Config) -> String {
    let channels: Vec<_> = config.channels.iter().map(|c| c.channel.id.to_string()).collect();
    format!(
        "{} {} {} {} {} {} {:?} {}",
        config.listen,
        config.database.redacted(),
        config.packs.display(),
        config.workers,
        config.lease_ms,
        config.retention_days,
        config.log,
        channels.join(","),
    )
}

const DEFAULTS: &str = "127.0.0.1:7700 sqlite:recado.db packs 1000 10000 35 Text web";

#[test]
fn without_a_file_or_with_an_empty_one_everything_has_its_default() {
    let config = load(None, &Environment::default()).unwrap();
    assert_eq!(summary(&config), DEFAULTS);
    assert_eq!(config.source, None);
    for yaml in ["", "\n\n", "# nothing\n", "---\n", "channels:\nnotify:\n", "{}"] {
        let config = loaded(yaml, &[]);
        assert_eq!(summary(&config), DEFAULTS, "{yaml:?}");
        assert!(config.source.is_some());
        assert_eq!(config.notify, None);
        assert_eq!(config.workspaces(), [Workspace::named("demo")]);
    }
}

#[test]
fn strangers_have_limits_unless_none_are_wanted() {
    use domain::VisitLimits;

    let config = loaded("", &[]);
    assert_eq!(config.webchat_limits, Some(VisitLimits::DEFAULT));
    assert_eq!((config.connections, config.trusted_proxies.len()), (10_000, 0));
    let config = loaded(
        "trusted_proxies: [10.0.0.0/8, '::1']\nconnections: 500\n\
         webchat_limits: { messages_per_visitor: 5, new_per_channel: 7 }",
        &[],
    );
    let shown: Vec<_> = config.trusted_proxies.iter().map(ToString::to_string).collect();
    assert_eq!((shown.join(" "), config.connections), ("10.0.0.0/8 ::1/128".to_owned(), 500));
    let limits =
        VisitLimits { messages_per_visitor: 5, new_per_channel: 7, ..VisitLimits::DEFAULT };
    assert_eq!(config.webchat_limits, Some(limits));
    assert_eq!(loaded("webchat_limits: none", &[]).webchat_limits, None);
    refused(
        "trusted_proxies: [10.0.0.1, proxy]\nwebchat_limits: { new_per_channel: 0 }",
        &[],
        "recado.yaml:1:29: each of `trusted_proxies` is an address or a network, not `proxy`: an \
         address is written as `10.0.0.1`, a network as `10.0.0.0/8`\n\
         recado.yaml:2:36: `new_per_channel` lies between 1 and 1000000, not 0",
    );
}

#[test]
fn the_example_loads_and_says_the_defaults() {
    assert_eq!(summary(&loaded(config::example(), &[])), DEFAULTS);
    // The commented-out lines of the example are right too; prose has one space after its `#`.
    let is_prose = |rest: &str| rest.starts_with(' ') && !rest.starts_with("  ");
    let uncommented: String = config::example()
        .replace("sqlite:recado.db", "postgres://app@localhost/recado")
        .lines()
        .map(|line| match line.split_once('#') {
            Some((indent, rest)) if indent.trim().is_empty() && !is_prose(rest) => {
                format!("{indent}{rest}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    let env = [
        ("INFOBIP_KEY", "k"),
        ("INFOBIP_WEBHOOK_PASSWORD", "p"),
        ("ANTHROPIC_API_KEY", "k"),
        ("TRANSPORTADORA_TOKEN", "t"),
        ("INVENTARIO_TOKEN", "t"),
        ("WHATSAPP_TOKEN", "t"),
        ("WHATSAPP_APP_SECRET", "s"),
        ("WHATSAPP_APP_SECRET_OLD", "o"),
        ("WHATSAPP_VERIFY_TOKEN", "v"),
    ];
    let config = loaded(&uncommented, &env);
    assert_eq!(config.public_url.as_deref(), Some("https://chat.example.com"));
    let kinds: Vec<_> = config.channels.iter().map(|one| one.channel.kind.as_str()).collect();
    assert_eq!(kinds, ["webchat", "infobip", "whatsapp_cloud"]);
    assert!(config.channels[1..].iter().all(|one| one.pace == Pace::WHATSAPP));
    assert!(config.notify.is_some());
    let kinds: Vec<_> = config.providers.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["anthropic", "openai", "scripted", "replay"]);
    assert_eq!((config.systems.len(), config.mcp.len(), config.egress.len()), (1, 2, 1));
    // The figures in the example are the defaults.
    assert_eq!(config.model_limits, ModelLimits::default());
}

#[test]
fn every_value_comes_through() {
    let config = loaded(
        &format!(
            "listen: '[::1]:80'\ndatabase: postgres://app:clave@db/recado\n\
             database_owner: postgresql://owner@db/recado\npacks: /srv/packs\nworkers: 5\n\
             lease_ms: 500\nretention_days: 30\npublic_url: https://a.example/\nlog: json\n\
             notify: {{ url: 'http://u:clave@h/x?t=clave', idempotent: true }}\n{TIENDA}    \
             quiet_ms: 300\n    cap_ms: 300\n    max_messages: 7\n"
        ),
        &[("INFOBIP_KEY", "cl: # \"ave\n")],
    );
    assert_eq!(
        summary(&config),
        "[::1]:80 postgres://app:***@db/recado /srv/packs 5 500 30 Json tienda-1"
    );
    assert_eq!(config.log, LogFormat::Json);
    assert_eq!(config.public_url.as_deref(), Some("https://a.example"));
    assert!(config.notify.as_ref().unwrap().idempotent);
    let Database::Postgres { owner_url: Some(owner), .. } = &config.database else { panic!() };
    assert_eq!(owner.expose_secret(), "postgresql://owner@db/recado");
    let [channel] = &config.channels[..] else { panic!() };
    let burst = channel.channel.burst;
    assert_eq!((burst.quiet_ms, burst.cap_ms, burst.max_messages), (300, 300, 7));
    let ChannelSettings::Infobip(infobip) = &channel.kind else { panic!() };
    assert_eq!(infobip.api_base, "https://xyz.api.infobip.com");
    assert_eq!(infobip.api_key.expose_secret(), "cl: # \"ave\n");
    assert!(matches!(infobip.auth, WebhookAuth::Hmac { .. }));
    let printed = format!("{config:?}");
    for secret in ["clave", "ave\\n", "s3creto"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn a_variable_replaces_what_the_file_says() {
    let env = [
        ("RECADO_LISTEN", "127.0.0.1:1"),
        ("RECADO_WORKERS", "2"),
        ("RECADO_LOG_FORMAT", "json"),
        ("RECADO_LOG", "debug,hyper=info"),
        ("RECADO_TEST_ANYTHING", "x"),
        ("RECADO_NOTIFY__URL", "http://h"),
        ("RECADO_NOTIFY__IDEMPOTENT", "true"),
        // The file's `${INFOBIP_KEY}` is not read, and this value is not expanded.
        ("RECADO_CHANNELS__TIENDA_1__API_KEY", "${NADA}"),
        ("RECADO_CHANNELS__TIENDA_1__MAX_MESSAGES", "9"),
        ("RECADO_CHANNELS__TIENDA_1__AUTH", "none"),
    ];
    let config = loaded(&format!("workers: 1\n{TIENDA}"), &env);
    assert_eq!(summary(&config), "127.0.0.1:1 sqlite:recado.db packs 2 10000 35 Json tienda-1");
    assert!(config.notify.as_ref().unwrap().idempotent);
    assert_eq!(config.channels[0].channel.burst.max_messages, 9);
    let ChannelSettings::Infobip(infobip) = &config.channels[0].kind else { panic!() };
    assert_eq!(infobip.api_key.expose_secret(), "${NADA}");
    assert!(matches!(infobip.auth, WebhookAuth::None));

    let env = [
        ("INFOBIP_KEY", "k"),
        ("RECADO_CHANNELS__TIENDA_1__AUTH__BASIC__USER", "u"),
        ("RECADO_CHANNELS__TIENDA_1__AUTH__BASIC__PASSWORD", "p"),
    ];
    let yaml = TIENDA.replace("{ hmac: { secret: s3creto } }", "none");
    let ChannelSettings::Infobip(infobip) = &loaded(&yaml, &env).channels[0].kind else { panic!() };
    let WebhookAuth::Basic { user, password } = &infobip.auth else { panic!() };
    assert_eq!((user.as_str(), password.expose_secret()), ("u", "p"));

    // The demo channel can be changed even if no file names it.
    let env = Environment::from_iter([("RECADO_CHANNELS__WEB__AGENT", "otro")]);
    assert_eq!(load(None, &env).unwrap().channels[0].channel.agent, "otro");
}

#[test]
fn a_secret_may_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("key"), "de ${X} archivo\r\n").unwrap();
    std::fs::write(path("url"), "postgres://app:p@db/recado\n").unwrap();
    std::fs::write(path("empty"), "\n").unwrap();
    let key = |yaml: &str, env: Variables<'_>| {
        let config = loaded(yaml, env);
        let ChannelSettings::Infobip(infobip) = &config.channels[0].kind else { panic!() };
        infobip.api_key.expose_secret().to_owned()
    };
    let in_file = TIENDA.replace("api_key: ${INFOBIP_KEY}", "api_key_file: ${DIR}/key");
    assert_eq!(key(&in_file, &[("DIR", &folder.path().display().to_string())]), "de ${X} archivo");
    // Either variable takes the place of either key.
    let file = ("RECADO_CHANNELS__TIENDA_1__API_KEY_FILE", &*path("key"));
    let value = ("RECADO_CHANNELS__TIENDA_1__API_KEY", "otra");
    assert_eq!(key(TIENDA, &[file]), "de ${X} archivo");
    assert_eq!(key(&in_file, &[value]), "otra");
    let database = loaded(&format!("database_file: {}", path("url")), &[]).database;
    assert_eq!(database.redacted(), "postgres://app:***@db/recado");

    refused(
        TIENDA,
        &[file, value],
        "RECADO_CHANNELS__TIENDA_1__API_KEY_FILE: both `api_key` and `api_key_file` are given; keep one",
    );
    refused(
        "database: sqlite:x\ndatabase_file: y\n",
        &[],
        "recado.yaml:2:1: both `database` and `database_file` are given; keep one\nrecado.yaml:2:16: `database_file`: cannot read `y`: No such file or directory (os error 2)",
    );
    refused(
        format!("database_file: {}", path("empty")),
        &[],
        &format!("recado.yaml:1:16: `database_file`: `{}` is empty", path("empty")),
    );
}

const META: &str = "channels:
  - id: meta
    kind: whatsapp_cloud
    workspace: demo
    agent: demo
    phone_number_id: '106540352242922'
    access_token: ficha
    app_secret: firma
    verify_token: palabra
";

#[test]
fn a_channel_of_the_cloud_api_has_its_settings_and_prints_no_secret() {
    let config = loaded(META, &[]);
    let channel = &config.channels[0];
    assert_eq!(channel.pace, Pace::WHATSAPP);
    let ChannelSettings::WhatsappCloud(cloud) = &channel.kind else { panic!("{channel:?}") };
    assert_eq!(cloud.phone_number_id, "106540352242922");
    assert_eq!((&*cloud.api_base, &*cloud.api_version), ("https://graph.facebook.com", "v23.0"));
    assert_eq!(cloud.media_hosts, ["lookaside.fbsbx.com", "graph.facebook.com"]);
    assert_eq!(cloud.app_secrets.len(), 1);
    let more = "    app_secret_old: vieja\n    api_base: http://127.0.0.1:9/\n    \
                api_version: v24.0\n    media_hosts: [a.example]\n";
    let config = loaded(&format!("{META}{more}"), &[]);
    let ChannelSettings::WhatsappCloud(cloud) = &config.channels[0].kind else { panic!() };
    let secrets: Vec<_> = cloud.app_secrets.iter().map(|one| one.expose_secret()).collect();
    assert_eq!(secrets, ["firma", "vieja"]);
    assert_eq!((&*cloud.api_base, &*cloud.api_version), ("http://127.0.0.1:9", "v24.0"));
    assert_eq!(cloud.media_hosts, ["a.example"]);
    let printed = format!("{config:?}");
    for secret in ["ficha", "firma", "vieja", "palabra"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn a_channels_pace_is_whatsapps_unless_it_says_otherwise() {
    let own = Pace {
        pair: Some(PairPace { every_ms: 2_000, burst: 3, gap_ms: 500 }),
        number: Some(Rate::per_second(20)),
    };
    for (pace, expected) in [
        ("", Pace::WHATSAPP),
        ("pace: none", Pace::default()),
        ("pace: {}", Pace::WHATSAPP),
        ("pace: { pair_seconds: 2, pair_burst: 3, per_second: 20 }", own),
    ] {
        let config = loaded(&format!("{META}    {pace}\n"), &[]);
        assert_eq!(config.channels[0].pace, expected, "{pace}");
    }
    assert_eq!(loaded("", &[]).channels[0].pace, Pace::default(), "a page has none");
}
