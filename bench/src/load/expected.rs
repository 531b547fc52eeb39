//! What the figures under load are called, and what they should be.

use crate::expectations::Better::{Less, More};
use crate::expectations::Expectation;
use crate::expectations::Unit::{Count, Ms, PerSecond, Seconds};

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
];
