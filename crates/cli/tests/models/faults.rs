//! Every way a model fails: the customer gets a reply all the same, and nothing is done by halves.

use futures::future::join_all;

use crate::support::{Caller, Fault, Kind, SOLD, Shop, Wire, model_of, rest};
use Fault::*;

/// The pack's text where no model answers.
const FALLBACK: &str = "Ya te atiende una persona.";

const BUSY: &str = r#"{"error":{"type":"rate_limit_error","message":"slow down"}}"#;
const CAP: &str =
    r#"{"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}"#;
const OVERLOADED: &str = r#"{"error":{"type":"overloaded_error","message":"busy"}}"#;

/// A name, a fault, how often one question is put, and the word the ledger keeps.
const FAULTS: [(&str, Fault, u32, &str); 19] = [
    ("ocupado", Status(429, BUSY), 3, "rate_limited"),
    ("tope", Status(429, CAP), 1, "spend_cap"),
    ("sobrecarga", Status(529, OVERLOADED), 3, "overloaded"),
    ("roto", Status(500, "{}"), 3, "server"),
    ("caido", Status(503, "<html>"), 3, "server"),
    ("invalido", Status(400, "{}"), 1, "bad_request"),
    ("clave", Status(401, "{}"), 1, "auth"),
    ("prohibido", Status(403, "{}"), 1, "auth"),
    ("cierra", Close, 3, "unreachable"),
    ("calla", Silent, 3, "timeout_first_byte"),
    ("atasca", Stall, 3, "timeout_between_events"),
    ("gotea", Drip, 3, "timeout_total"),
    ("corta", Cut, 3, "truncated"),
    ("rompe", Break, 3, "truncated"),
    ("error", ErrorInside, 3, "overloaded"),
    ("sin-json", NoJson, 3, "malformed"),
    ("argumentos", BadArguments, 3, "malformed"),
    ("vacio", Empty, 3, "empty"),
    ("niega", Refusal, 1, "refused"),
];

/// More often than it is asked.
const ALWAYS: u32 = 1_000;

macro_rules! in_both_formats {
    ($($test:ident: $on:ident as $kind:ident;)*) => {
        $(mod $on {
            #[tokio::test]
            async fn openai() {
                super::$test(crate::support::Kind::$kind, crate::support::Wire::OpenAi).await;
            }

            #[tokio::test]
            async fn anthropic() {
                super::$test(crate::support::Kind::$kind, crate::support::Wire::Anthropic).await;
            }
        })*
    };
}

in_both_formats! {
    a_fault_that_stays: a_fault_that_stays_on_sqlite as Sqlite;
    a_fault_that_stays: a_fault_that_stays_on_postgres as Postgres;
    a_fault_that_passes: a_fault_that_passes_on_sqlite as Sqlite;
    a_fault_that_passes: a_fault_that_passes_on_postgres as Postgres;
    a_tool_that_nobody_offered: a_tool_that_nobody_offered_on_sqlite as Sqlite;
}

async fn rows(shop: &Shop, model: &str, outcome: &str) -> i64 {
    let query = format!(
        "SELECT count(*) FROM model_calls WHERE model = '{model}' AND outcome = '{outcome}'"
    );
    shop.site.sql_number(&query).await
}

async fn a_fault_that_stays(kind: Kind, wire: Wire) {
    let names = FAULTS.map(|(name, ..)| name);
    let shop = Shop::with_models(kind, wire, &names).await;
    for (name, fault, ..) in FAULTS {
        shop.oracle.fault(&model_of(wire, name), fault, ALWAYS);
    }
    let node = shop.site.start().await;
    join_all(names.map(async |name| {
        let mut ana = Caller::visiting(&shop.site, &format!("web-{name}"));
        ana.says("quiero comprar").await;
        assert_eq!(ana.hears(1).await, FALLBACK, "{name}: a customer gets a reply");
    }))
    .await;
    rest(&[&node]).await;
    for (name, _, attempts, outcome) in FAULTS {
        let model = model_of(wire, name);
        let asked = shop.oracle.asked(&model).len();
        assert_eq!(asked, attempts as usize, "{name}: put so often and not more");
        assert_eq!(rows(&shop, &model, outcome).await, i64::from(attempts), "{name}: {outcome}");
    }
    // Some of them had asked for an order before they failed.
    assert_eq!(shop.site.sql_number("SELECT count(*) FROM orders").await, 0);
    assert!(shop.oracle.dispatched().is_empty(), "nothing is done from half an answer");
    assert_eq!(shop.site.sql_number("SELECT count(*) FROM drafts").await, 0);
    assert!(shop.site.quarantine().await.is_empty() && shop.site.reconcile().await.is_empty());
}

async fn a_fault_that_passes(kind: Kind, wire: Wire) {
    let passing = FAULTS.into_iter().filter(|(_, _, attempts, _)| *attempts > 1);
    let passing: Vec<_> = passing.collect();
    let names: Vec<_> = passing.iter().map(|(name, ..)| *name).collect();
    let shop = Shop::with_models(kind, wire, &names).await;
    for (name, fault, ..) in &passing {
        shop.oracle.fault(&model_of(wire, name), *fault, 1);
    }
    let node = shop.site.start().await;
    join_all(names.iter().map(async |name| {
        let mut ana = Caller::visiting(&shop.site, &format!("web-{name}"));
        ana.says("quiero comprar").await;
        assert_eq!(ana.hears(1).await, SOLD, "{name}");
    }))
    .await;
    rest(&[&node]).await;
    for (name, _, _, outcome) in &passing {
        let model = model_of(wire, name);
        assert_eq!(
            rows(&shop, &model, outcome).await,
            1,
            "{name}: the failed attempt is on record"
        );
        assert_eq!(rows(&shop, &model, "answered").await, 2, "{name}");
    }
    let sold = i64::try_from(names.len()).expect("a few");
    assert_eq!(shop.site.sql_number("SELECT count(*) FROM orders").await, sold, "one order each");
    assert_eq!(shop.oracle.dispatched().len(), names.len(), "one dispatch each");
}

async fn a_tool_that_nobody_offered(kind: Kind, wire: Wire) {
    let shop = Shop::with_models(kind, wire, &["prueba"]).await;
    shop.oracle.fault(&model_of(wire, "prueba"), Forbidden, ALWAYS);
    let node = shop.site.start().await;
    let mut ana = Caller::visiting(&shop.site, "web-prueba");
    ana.says("quiero comprar").await;
    assert_eq!(ana.hears(1).await, FALLBACK, "it is told no, and then no longer heard");
    rest(&[&node]).await;
    assert_eq!(shop.oracle.asked(&model_of(wire, "prueba")).len(), 2);
    assert_eq!(
        shop.site.sql_number("SELECT count(*) FROM agent_steps WHERE kind <> 'model'").await,
        0
    );
}
