//! The names of the figures under load, and their limits.

use crate::expectations::Better::{Less, More};
use crate::expectations::Expectation;
use crate::expectations::Unit::{Count, Mib, Ms, PerSecond, Seconds};

/// In the order of the table.
pub(crate) static ALL: &[Expectation] = &[
    // Two seconds, what the model takes for 500 at 100 at once, and on PostgreSQL the lease.
    Expectation::of(
        "load.recovery.last",
        "killed with 500 waiting: the last answer",
        Seconds,
        Less,
    )
    .target(17.0, 27.0),
    Expectation::of("load.recovery.once", "killed with 500 waiting: answered once", Count, More)
        .target(500.0, 500.0),
    Expectation::of("load.recovery.never", "killed with 500 waiting: never", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.recovery.more", "killed with 500 waiting: more than once", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.failover.p50", "1,000 in flight: beyond the model, p50", Seconds, Less),
    Expectation::of("load.failover.p99", "1,000 in flight: beyond the model, p99", Seconds, Less)
        .target(12.0, 12.0),
    Expectation::of("load.failover.never", "1,000 in flight: never answered", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.failover.more", "1,000 in flight: more than once", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.form.alone_p95", "at 5/s alone, form: end to end p95", Ms, Less),
    Expectation::of(
        "load.form.apart_p95",
        "at 5/s, the flood on another node, form: p95",
        Ms,
        Less,
    ),
    Expectation::of("load.form.beside_p95", "at 5/s beside a flood, form: p95", Ms, Less),
    Expectation::of(
        "load.form.ratio",
        "at 5/s beside a flood, form: times that alone",
        Count,
        Less,
    )
    .target(2.0, 2.0),
    Expectation::of("load.form.flood", "the flood that was taken, form", PerSecond, More),
    Expectation::of("load.form.lost", "at 5/s beside a flood, form: lost", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.model.alone_p95", "at 5/s alone, model of 1 s: p95", Ms, Less),
    Expectation::of(
        "load.model.apart_p95",
        "at 5/s, the flood on another node, model: p95",
        Ms,
        Less,
    ),
    Expectation::of("load.model.beside_p95", "at 5/s beside a flood, model: p95", Ms, Less),
    Expectation::of("load.model.ratio", "at 5/s beside a flood, model: times alone", Count, Less)
        .target(2.0, 2.0),
    Expectation::of("load.model.flood", "the flood that was taken, model", PerSecond, More),
    Expectation::of("load.model.lost", "at 5/s beside a flood, model: lost", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.meta.ack_p50", "Meta's webhooks at 300/s: ack p50", Ms, Less)
        .target(20.0, 20.0),
    Expectation::of("load.meta.ack_p99", "Meta's webhooks at 300/s: ack p99", Ms, Less)
        .target(200.0, 200.0),
    Expectation::of("load.meta.slow", "Meta's webhooks at 300/s: acks over 1 s", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.meta.refused", "Meta's webhooks at 300/s: refused", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.meta.lost", "Meta's webhooks at 300/s: not answered", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.meta.end_p99", "Meta's webhooks at 300/s: end to end p99", Ms, Less),
    Expectation::of("load.bodies.before", "150 bodies of 4 MB for nobody: before", Mib, Less),
    Expectation::of("load.bodies.peak", "150 bodies of 4 MB for nobody: peak", Mib, Less),
    Expectation::of("load.bodies.after", "150 bodies of 4 MB for nobody: 10 s after", Mib, Less),
    Expectation::of("load.halves.health_p50", "1,010 half requests: /healthz p50", Ms, Less),
    Expectation::of("load.halves.health_p99", "1,010 half requests: /healthz p99", Ms, Less),
    Expectation::of("load.halves.health_missed", "1,010 half requests: /healthz late", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.halves.webhook", "1,010 half requests: webhooks taken of 1", Count, More)
        .target(1.0, 1.0),
    Expectation::of("load.halves.descriptors", "1,010 half requests: descriptors", Count, Less),
    Expectation::of("load.begun.health_p99", "10,000 begun bodies: /healthz p99", Ms, Less),
    Expectation::of("load.begun.health_missed", "10,000 begun bodies: /healthz late", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.begun.page_p99", "10,000 begun bodies: a page p99", Ms, Less),
    Expectation::of("load.begun.page_missed", "10,000 begun bodies: pages refused", Count, Less)
        .target(0.0, 0.0),
    Expectation::of("load.begun.webhook", "10,000 begun bodies: webhooks taken of 1", Count, More)
        .target(1.0, 1.0),
    Expectation::of("load.visitors.taken", "16 anonymous writers: taken in 25 s", Count, Less),
    Expectation::of("load.visitors.refused", "16 anonymous writers: asked to wait", Count, More),
    Expectation::of("load.visitors.stored", "16 anonymous writers: stored", Mib, Less),
    Expectation::of("load.visitors.before", "16 anonymous writers: memory before", Mib, Less),
    Expectation::of("load.visitors.after", "16 anonymous writers: memory after", Mib, Less),
    Expectation::of(
        "load.networks.wait",
        "a crowd from 400 networks: a customer's wait to begin",
        Seconds,
        Less,
    )
    .target(200.0, 200.0),
    Expectation::of("load.streams.0.cpu", "no stream, 50/s: CPU in 10 s", Seconds, Less),
    Expectation::of("load.streams.1000.cpu", "1,000 streams, 50/s: CPU in 10 s", Seconds, Less),
    Expectation::of("load.streams.5000.cpu", "5,000 streams, 50/s: CPU in 10 s", Seconds, Less),
    Expectation::of("load.streams.0.ack_p99", "no stream, 50/s: ack p99", Ms, Less),
    Expectation::of("load.streams.1000.ack_p99", "1,000 streams, 50/s: ack p99", Ms, Less),
    Expectation::of("load.streams.5000.ack_p99", "5,000 streams, 50/s: ack p99", Ms, Less),
    Expectation::of("load.streams.1000.rss", "1,000 streams: memory a thousand", Mib, Less),
    Expectation::of("load.streams.5000.rss", "5,000 streams: memory a thousand", Mib, Less),
    Expectation::of(
        "load.streams.5000.descriptors",
        "5,000 streams: descriptors each",
        Count,
        Less,
    ),
    Expectation::of("load.unread.before", "2,000 pages that read nothing: before", Mib, Less),
    Expectation::of("load.unread.grown", "2,000 pages that read nothing: grown by", Mib, Less)
        .target(150.0, 150.0),
    Expectation::of("load.unread.others", "2,000 pages that read nothing: another's", Ms, Less)
        .target(1_000.0, 1_000.0),
    Expectation::of("load.search.p50", "search among 100,000: p50", Ms, Less),
    Expectation::of("load.search.p99", "search among 100,000: p99", Ms, Less).target(100.0, 100.0),
    Expectation::of("load.search.most", "search among 100,000: the slowest", Ms, Less),
    Expectation::of(
        "load.search.failed",
        "search among 100,000: given up by the node",
        Count,
        Less,
    )
    .target(0.0, 0.0),
    Expectation::of("load.search.ack_p99", "search among 100,000: ack p99 at 50/s", Ms, Less),
    Expectation::of("load.workspaces.1", "1 workspace: memory", Mib, Less),
    Expectation::of("load.workspaces.200", "200 workspaces: memory", Mib, Less),
    Expectation::of("load.workspaces.1.start", "1 workspace: start to ready", Ms, Less),
    Expectation::of("load.workspaces.200.start", "200 workspaces: start to ready", Ms, Less),
    Expectation::of("load.edits.before", "12 edits of a pack: memory before", Mib, Less),
    Expectation::of("load.edits.after", "12 edits of a pack: memory after", Mib, Less),
    Expectation::of("load.edits.lost", "12 edits of a pack: not answered", Count, Less)
        .target(0.0, 0.0),
];
