//! The messages about a wrong configuration.

use crate::{TIENDA, Variables, loaded, refused};

#[test]
fn every_mistake_is_reported_at_once() {
    refused(
        "lisen: x
listen: 0.0.0.0:80
database: mysql://root:clave@h/d
database_owner: x
workers: 0
lease_ms: 1.5
retention_days: 7
public_url: ftp://x
log: jason
notify: { idempotent: si }
packs: ${NADA}
channels:
  - id: Tienda
    kind: infobip
    workspace: demo
    sender: 573001112233
    auth: none
    api_key: ''
    quiet_ms: 20000
  - id: web
    kind: webchat
    workspace: demo
    agent: demo
    api_base: https://x
  - id: web
    kind: webcat
    max_messages: many
  - x
",
        &[
            ("RECADO_LISTN", "x"),
            ("RECADO_CHANNELS__WEB__AGNET", "x"),
            ("RECADO_CHANNELS__WEB__ID", "x"),
            ("RECADO_WHATEVER", "x"),
        ],
        "\
recado.yaml:1:1: unknown key `lisen`, did you mean `listen`?
recado.yaml:3:11: `database` is `sqlite:FILE` or `postgres://USER@HOST/DATABASE`
recado.yaml:4:17: `database_owner` is `postgres://USER@HOST/DATABASE`
recado.yaml:5:10: `workers` lies between 1 and 100000, not 0
recado.yaml:6:11: `lease_ms` is a whole number, not 1.5
recado.yaml:7:17: `retention_days` is at least 30, not 7: a provider repeats for days, and a copy must be known
recado.yaml:8:13: `public_url` is a web address, as in `https://example.com`
recado.yaml:9:6: `log` is not `jason`, did you mean `json`?
recado.yaml:10:9: `notify` lacks `url`
recado.yaml:10:23: `idempotent` is true or false, not `si`
recado.yaml:11:8: the environment variable `NADA` is not set
recado.yaml:13:5: the channel `Tienda` lacks `agent`
recado.yaml:13:5: the channel `Tienda` lacks `api_base`
recado.yaml:13:9: `id` is 1 to 40 of `a-z`, `0-9` and `-`, not `Tienda`
recado.yaml:16:13: `sender` is text, not a number: write it in quotes if it is meant
recado.yaml:17:11: `auth: none` lets anyone write as any customer; it is accepted only while `listen` is a loopback address, and it is 0.0.0.0:80
recado.yaml:18:14: `api_key` is empty
recado.yaml:19:15: the channel `Tienda` waits at most `cap_ms`, which, by default, is 10000: less than its `quiet_ms`, 20000
recado.yaml:24:15: `api_base` is for a channel of kind `infobip` or `whatsapp_cloud`
recado.yaml:25:5: the channel `web` lacks `workspace`
recado.yaml:25:5: the channel `web` lacks `agent`
recado.yaml:25:9: the channel `web` is already on line 20
recado.yaml:26:11: `kind` is not `webcat`, did you mean `webchat`?
recado.yaml:27:19: `max_messages` is a whole number, not `many`
recado.yaml:28:5: each of `channels` is a group of keys, not text
RECADO_CHANNELS__WEB__AGNET: no setting has this name, did you mean `RECADO_CHANNELS__WEB__AGENT`?
RECADO_CHANNELS__WEB__ID: no setting has this name, did you mean `RECADO_CHANNELS__WEB__KIND`?
RECADO_LISTN: no setting has this name, did you mean `RECADO_LISTEN`?
RECADO_WHATEVER: no setting has this name",
    );
}

#[test]
fn a_mistake_says_where_it_is_and_what_would_be_right() {
    let cases: &[(&str, Variables<'_>, &str)] = &[
        (
            "listen: 5",
            &[],
            "recado.yaml:1:9: `listen` is text, not a number: write it in quotes if it is meant",
        ),
        ("listen: [a]", &[], "recado.yaml:1:9: `listen` is text, not a list"),
        (
            "listen: localhost:80",
            &[],
            "recado.yaml:1:9: `listen` is an IP address and a port, as in `127.0.0.1:7700`, not `localhost:80`",
        ),
        ("listen: ${X}", &[("X", "")], "recado.yaml:1:9: `listen` is empty"),
        (
            "workers: ${X}",
            &[("X", "a\nb")],
            "recado.yaml:1:10: `workers` is a whole number, not `a\\nb`",
        ),
        (
            "workers: 100001",
            &[],
            "recado.yaml:1:10: `workers` lies between 1 and 100000, not 100001",
        ),
        ("workers: true", &[], "recado.yaml:1:10: `workers` is a whole number, not true or false"),
        (
            "workers: 5",
            &[("RECADO_WORKERS", "-1")],
            "RECADO_WORKERS: `workers` lies between 1 and 100000, not -1",
        ),
        (
            "lease_ms: 499",
            &[],
            "recado.yaml:1:11: `lease_ms` lies between 500 and 86400000, not 499",
        ),
        ("packs: $${X", &[("RECADO_PACKS", "")], "RECADO_PACKS: `packs` is empty"),
        (
            "packs: ${X",
            &[],
            "recado.yaml:1:8: `${` begins the name of an environment variable, as in `${NAME}`; write `$${` to mean the characters themselves",
        ),
        ("log: [json]", &[], "recado.yaml:1:6: `log` is one of `text`, `json`, not a list"),
        ("log: yaml", &[], "recado.yaml:1:6: `log` is not `yaml`; it can be `text`, `json`"),
        (
            "notify: hola",
            &[],
            "recado.yaml:1:9: `notify` is a group with `url`, `idempotent`, not text",
        ),
        (
            "notify: { url: https:// }",
            &[],
            "recado.yaml:1:16: `url` is a web address, as in `https://example.com`",
        ),
        (
            "notify: { url: http://h, idempotent: 1 }",
            &[],
            "recado.yaml:1:38: `idempotent` is true or false, not a number",
        ),
        (
            "notify: { url: http://h, clave: 1 }",
            &[],
            "recado.yaml:1:26: unknown key `clave`; here there can be `url`, `idempotent`",
        ),
        ("channels: web", &[], "recado.yaml:1:11: `channels` is a list, not text"),
        (
            "database: 'sqlite:'",
            &[],
            "recado.yaml:1:11: `database` is `sqlite:FILE` or `postgres://USER@HOST/DATABASE`",
        ),
        (
            "database_owner: postgres://h/d",
            &[],
            "recado.yaml:1:17: `database_owner` is for PostgreSQL, and `database` is SQLite",
        ),
        (
            "database_owner_fil: x",
            &[],
            "recado.yaml:1:1: unknown key `database_owner_fil`, did you mean `database_owner_file`?",
        ),
        (
            "",
            &[("RECADO_CHANNELS__WEB__SENDER", "1")],
            "RECADO_CHANNELS__WEB__SENDER: `sender` is for a channel of kind `infobip`",
        ),
        (TIENDA, &[], "recado.yaml:7:14: the environment variable `INFOBIP_KEY` is not set"),
        (
            TIENDA,
            &[("INFOBIP_KEY", "k"), ("RECADO_CHANNELS__TIENDA__SENDER", "1")],
            "RECADO_CHANNELS__TIENDA__SENDER: no setting has this name, did you mean `RECADO_CHANNELS__TIENDA_1__SENDER`?",
        ),
    ];
    for (yaml, env, expected) in cases {
        refused(yaml, env, expected);
    }
}

#[test]
fn a_webhook_that_proves_nothing_is_refused() {
    for (auth, listen, expected) in [
        ("none", "127.0.0.1:80", None),
        ("none", "[::1]:80", None),
        (
            "none",
            "0.0.0.0:80",
            Some(
                "9:11: `auth: none` lets anyone write as any customer; it is accepted only while `listen` is a loopback address, and it is 0.0.0.0:80",
            ),
        ),
        (
            "s3creto",
            "[::1]:80",
            Some("9:11: `auth` is `none`, or a group with one of `basic`, `hmac`, not text"),
        ),
        ("{}", "[::1]:80", Some("9:11: `auth` holds either `basic` or `hmac`, not neither")),
        (
            "{ hmac: { secret: x }, basic: { user: u, password: p } }",
            "[::1]:80",
            Some("9:11: `auth` holds either `basic` or `hmac`, not both"),
        ),
        ("{ hmac: {} }", "[::1]:80", Some("9:19: `hmac` lacks `secret`")),
        (
            "{ basic: { user: u, password: 12345 } }",
            "[::1]:80",
            Some("9:41: `password` is text, not a number: write it in quotes if it is meant"),
        ),
    ] {
        let yaml = TIENDA.replace("{ hmac: { secret: s3creto } }", auth);
        let env = [("INFOBIP_KEY", "k"), ("RECADO_LISTEN", listen)];
        match expected {
            None => drop(loaded(&yaml, &env)),
            Some(expected) => refused(&yaml, &env, &format!("recado.yaml:{expected}")),
        }
    }
}

#[test]
fn a_channel_of_the_cloud_api_without_its_secret_is_no_channel() {
    refused(
        "channels:
  - id: meta
    kind: whatsapp_cloud
    workspace: demo
    agent: demo
    phone_number_id: '+57 300'
    access_token: ''
    api_version: '23'
    media_hosts: ['https://a.example/x', localhost]
    sender: '1'
    pace: fast
  - { id: otro, kind: whatsapp_cloud, workspace: demo, agent: demo, pace: { pair_burst: 0 } }
",
        &[],
        "\
recado.yaml:2:5: the channel `meta` lacks `app_secret`
recado.yaml:2:5: the channel `meta` lacks `verify_token`
recado.yaml:6:22: `phone_number_id` is the number's id at Meta, digits only, not `+57 300`; it is not the phone number itself
recado.yaml:7:19: `access_token` is empty
recado.yaml:8:18: `api_version` is written as `v23.0`, not `23`
recado.yaml:9:19: each of `media_hosts` is a host by its name, not `https://a.example/x`
recado.yaml:9:42: each of `media_hosts` is a host by its name, not `localhost`
recado.yaml:10:13: `sender` is for a channel of kind `infobip`
recado.yaml:11:11: `pace` is `none`, or a group with one of `pair_seconds`, `pair_burst`, `per_second`, not text
recado.yaml:12:5: the channel `otro` lacks `phone_number_id`
recado.yaml:12:5: the channel `otro` lacks `access_token`
recado.yaml:12:5: the channel `otro` lacks `app_secret`
recado.yaml:12:5: the channel `otro` lacks `verify_token`
recado.yaml:12:89: `pair_burst` lies between 1 and 100, not 0",
    );
}
