//! The name of each figure, its target, and the figure that a user would get elsewhere.
//!
//! The peers did the same work on a machine with 2 cores and 24 GiB, each on its best day; see
//! `docs/bench.md`.

use crate::database::Kind;
use crate::subject::Subject;
use Better::{Less, More};
use Unit::{Count, Mib, Ms, Ns, PerSecond, Seconds, Us};

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    PerSecond,
    Ns,
    Us,
    Ms,
    Mib,
    Seconds,
    Count,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    More,
    Less,
}

pub(crate) type Peer = (&'static str, f64);

pub(crate) struct Expectation {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) better: Better,
    sqlite: Option<f64>,
    postgres: Option<f64>,
    /// The targets with the shop where its own are not the form's, on SQLite and on PostgreSQL.
    shop: Option<(f64, f64)>,
    /// The best first.
    sqlite_peers: &'static [Peer],
    postgres_peers: &'static [Peer],
}

impl Expectation {
    pub(crate) const fn of(
        id: &'static str,
        name: &'static str,
        unit: Unit,
        better: Better,
    ) -> Self {
        let (sqlite_peers, postgres_peers): (&[Peer], &[Peer]) = (&[], &[]);
        let (sqlite, postgres, shop) = (None, None, None);
        Self { id, name, unit, better, sqlite, postgres, shop, sqlite_peers, postgres_peers }
    }

    pub(crate) const fn target(mut self, sqlite: f64, postgres: f64) -> Self {
        (self.sqlite, self.postgres) = (Some(sqlite), Some(postgres));
        self
    }

    const fn target_with_shop(mut self, sqlite: f64, postgres: f64) -> Self {
        self.shop = Some((sqlite, postgres));
        self
    }

    pub(crate) const fn target_on_sqlite(mut self, sqlite: f64) -> Self {
        self.sqlite = Some(sqlite);
        self
    }

    const fn peers(mut self, peers: &'static [Peer]) -> Self {
        (self.sqlite_peers, self.postgres_peers) = (peers, peers);
        self
    }

    const fn peers_each(mut self, sqlite: &'static [Peer], postgres: &'static [Peer]) -> Self {
        (self.sqlite_peers, self.postgres_peers) = (sqlite, postgres);
        self
    }

    pub(crate) fn goal(&self, store: Option<Kind>, agent: Option<Subject>) -> Option<f64> {
        let shop = self.shop.filter(|_| agent == Some(Subject::Almacen));
        match (store, shop) {
            (Some(Kind::Postgres), Some((_, shop))) => Some(shop),
            (_, Some((shop, _))) => Some(shop),
            (Some(Kind::Postgres), None) => self.postgres,
            (_, None) => self.sqlite,
        }
    }

    pub(crate) fn rivals(&self, store: Option<Kind>) -> &'static [Peer] {
        match store {
            Some(Kind::Postgres) => self.postgres_peers,
            _ => self.sqlite_peers,
        }
    }
}

/// In the order of the table.
pub(crate) static ALL: &[Expectation] = &[
    Expectation::of("graph.direct", "graph: a direct call, for comparison", Ns, Less),
    Expectation::of("graph.sync", "graph: a sync node with router, beyond it", Ns, Less),
    Expectation::of("graph.sync_timed", "graph: the same with a clock", Ns, Less),
    Expectation::of("graph.async", "graph: an async node with router, beyond it", Ns, Less),
    Expectation::of("graph.async_timed", "graph: the same with a clock", Ns, Less),
    Expectation::of("understand.normalise", "understand: normalise", Us, Less),
    Expectation::of("understand.rules", "understand: rules", Us, Less),
    Expectation::of("understand.extract", "understand: extract", Us, Less),
    Expectation::of("understand.signals", "understand: signals", Us, Less),
    Expectation::of("understand.classify", "understand: classify", Us, Less),
    Expectation::of("goods.hear", "goods: hear an order", Us, Less).target_on_sqlite(50.0),
    Expectation::of("goods.terms", "goods: terms of a text", Us, Less).target_on_sqlite(50.0),
    Expectation::of("goods.import", "goods: products imported", PerSecond, More),
    Expectation::of("goods.search", "goods: find one of 20,000", Us, Less),
    Expectation::of("goods.search_common", "goods: find among hundreds alike", Us, Less),
    Expectation::of("goods.search_commonest", "goods: find among thousands alike", Us, Less),
    Expectation::of("goods.search_mended", "goods: find by a misspelt word", Us, Less),
    Expectation::of("goods.search_nothing", "goods: find nothing", Us, Less),
    Expectation::of("form.rate", "form turns in memory, one core", PerSecond, More),
    Expectation::of("form.p50", "form turn in memory, p50", Us, Less),
    Expectation::of("form.p99", "form turn in memory, p99", Us, Less),
    Expectation::of("form.long_p50", "form turn after 1,000 in one session, p50", Us, Less),
    Expectation::of("limit.fsync", "limit: fsync of 4 KiB", PerSecond, More),
    Expectation::of("limit.commit.1", "limit: single-row commit, 1 client", PerSecond, More),
    Expectation::of("limit.commit.16", "limit: single-row commit, 16 clients", PerSecond, More),
    Expectation::of("w1.one.rate", "W1 turns, one conversation", PerSecond, More)
        .target(3_000.0, 900.0)
        .peers_each(
            &[
                ("LangGraph SQLite, saved once a turn", 200.0),
                ("Restate", 190.0),
                ("LangGraph SQLite, default", 60.0),
            ],
            &[
                ("Restate", 190.0),
                ("LangGraph PostgreSQL, saved once a turn", 95.0),
                ("LangGraph PostgreSQL, default", 40.0),
            ],
        ),
    Expectation::of("w1.one.p50", "W1 one conversation, p50", Ms, Less).peers_each(
        &[("Restate", 4.8), ("LangGraph SQLite, saved once a turn", 5.0)],
        &[("Restate", 4.8)],
    ),
    Expectation::of("w1.one.p99", "W1 one conversation, p99", Ms, Less).target_on_sqlite(2.0),
    Expectation::of("w1.64.rate", "W1 turns, 64 conversations", PerSecond, More)
        .target(15_000.0, 4_000.0)
        .peers_each(
            &[("Restate", 770.0), ("LangGraph SQLite, saved once a turn", 120.0)],
            &[
                ("Restate", 770.0),
                ("LangGraph PostgreSQL, once a turn, two processes", 237.0),
                ("LangGraph PostgreSQL, once a turn", 128.0),
            ],
        ),
    Expectation::of("w1.64.p50", "W1 64 conversations, p50", Ms, Less).peers(&[("Restate", 83.0)]),
    Expectation::of("w1.64.p99", "W1 64 conversations, p99", Ms, Less),
    Expectation::of("w1.rss", "W1 memory", Mib, Less)
        .peers(&[("LangGraph", 75.0), ("Restate, both processes", 1130.0)]),
    Expectation::of("w2.saturated.rate", "W2 saturated", PerSecond, More)
        .target(6_000.0, 2_500.0)
        .target_with_shop(3_500.0, 1_500.0)
        .peers(&[("BullMQ stack", 1_021.0), ("Restate", 770.0)]),
    Expectation::of("w2.saturated.ack_p50", "W2 saturated, ack p50", Ms, Less),
    Expectation::of("w2.saturated.ack_p99", "W2 saturated, ack p99", Ms, Less),
    Expectation::of("w2.saturated.end_p50", "W2 saturated, end to end p50", Ms, Less),
    Expectation::of("w2.saturated.end_p99", "W2 saturated, end to end p99", Ms, Less),
    Expectation::of("w2.saturated.lost", "W2 saturated, lost", Count, Less).target(0.0, 0.0),
    Expectation::of("w2.saturated.doubled", "W2 saturated, doubled", Count, Less).target(0.0, 0.0),
    Expectation::of("w2.saturated.disordered", "W2 saturated, out of order", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("w2.saturated.replies", "W2 saturated, replies sent", Count, Less),
    Expectation::of("w2.saturated.cpu", "W2 saturated, CPU of the nodes", Seconds, Less),
    Expectation::of("w2.saturated.bench_cpu", "W2 saturated, CPU of the bench", Seconds, Less),
    Expectation::of("w2.steady.ack_p50", "W2 at 200/s, ack p50", Ms, Less)
        .peers(&[("BullMQ stack", 2.3), ("Restate", 5.0)]),
    Expectation::of("w2.steady.ack_p99", "W2 at 200/s, ack p99", Ms, Less)
        .target(3.0, 5.0)
        .peers(&[("BullMQ stack", 5.4), ("Restate", 42.0)]),
    Expectation::of("w2.steady.end_p50", "W2 at 200/s, end to end p50", Ms, Less)
        .peers(&[("BullMQ stack", 4.2), ("Restate", 7.5)]),
    Expectation::of("w2.steady.end_p99", "W2 at 200/s, end to end p99", Ms, Less)
        .target(10.0, 15.0)
        .peers(&[("BullMQ stack", 10.3), ("Restate", 75.0)]),
    Expectation::of("w2.steady.lost", "W2 at 200/s, lost", Count, Less).target(0.0, 0.0),
    Expectation::of("w2.steady.doubled", "W2 at 200/s, doubled", Count, Less).target(0.0, 0.0),
    Expectation::of("w2.steady.disordered", "W2 at 200/s, out of order", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("w2.steady.cpu", "W2 at 200/s, CPU of the node", Seconds, Less),
    Expectation::of("w2.bursts.rate", "W2 bursts", PerSecond, More),
    Expectation::of("w2.bursts.end_p50", "W2 bursts, end to end p50", Ms, Less),
    Expectation::of("w2.bursts.end_p99", "W2 bursts, end to end p99", Ms, Less),
    Expectation::of("w2.bursts.lost", "W2 bursts, lost", Count, Less).target(0.0, 0.0),
    Expectation::of("w2.bursts.doubled", "W2 bursts, doubled", Count, Less).target(0.0, 0.0),
    Expectation::of("w2.bursts.disordered", "W2 bursts, conversations out of order", Count, Less)
        .target(0.0, 0.0)
        .peers(&[
            ("Restate", 0.0),
            ("BullMQ stack, one worker", 8.0),
            ("BullMQ stack, two workers", 263.0),
        ]),
    Expectation::of("w2.bursts.replies", "W2 bursts, replies sent", Count, Less),
    Expectation::of("w2.rss", "W2 peak memory of the nodes", Mib, Less)
        .peers(&[("Restate, both processes", 1130.0)]),
    Expectation::of("w2.connections", "W2 connections opened to the sink", Count, Less),
    Expectation::of("w3.arming", "W3 timers armed", PerSecond, More)
        .target(20_000.0, 10_000.0)
        .peers(&[("BullMQ, in bulk, flushed once a second", 13_400.0)]),
    Expectation::of("w3.lag_p50", "W3 lag p50", Ms, Less).peers(&[("BullMQ", 38.0)]),
    Expectation::of("w3.lag_p99", "W3 lag p99", Ms, Less)
        .target(50.0, 100.0)
        .peers(&[("BullMQ", 160.0)]),
    Expectation::of("w3.missed", "W3 missed", Count, Less).target(0.0, 0.0),
    Expectation::of("w3.doubled", "W3 doubled", Count, Less).target(0.0, 0.0),
    Expectation::of("w3.rss", "W3 peak memory", Mib, Less),
    Expectation::of("w4.rate", "W4 slow model (ideal 1,667)", PerSecond, More)
        .target(1_600.0, 1_500.0)
        .peers_each(
            &[("BullMQ stack", 540.0), ("LangGraph, in memory", 150.0), ("LangGraph SQLite", 40.0)],
            &[
                ("BullMQ stack", 540.0),
                ("LangGraph PostgreSQL, once a turn", 133.0),
                ("LangGraph PostgreSQL", 70.0),
            ],
        ),
    Expectation::of("w4.p50", "W4 p50 (ideal 300)", Ms, Less)
        .peers(&[("BullMQ stack", 1_000.0), ("LangGraph", 3_000.0)]),
    Expectation::of("w4.p99", "W4 p99", Ms, Less),
    Expectation::of("w4.rss", "W4 peak memory", Mib, Less).target_on_sqlite(120.0),
    Expectation::of("stock.rate", "stock: operations from 16 tasks", PerSecond, More),
    Expectation::of("stock.commits", "stock: of them committed", Count, More),
    Expectation::of("stock.races", "stock: races for a last unit", Count, More),
    Expectation::of("stock.contradictions", "stock: contradictions", Count, Less).target(0.0, 0.0),
    Expectation::of("idle.start", "start to ready", Ms, Less).target(300.0, 300.0),
    Expectation::of("idle.rss", "idle memory", Mib, Less).target(60.0, 60.0),
    Expectation::of("idle.binary", "size of the binary", Mib, Less).target(40.0, 40.0),
];
