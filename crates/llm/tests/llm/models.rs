//! The rules of retry, fallback, breaker and limits, under a clock that only the test moves.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{
    Cost, IdSource, ModelEvent, SeededIds, StopReason, Timestamp, Usage, VirtualClock, WorkspaceId,
};
use llm::{Answered, FailureKind, Limits, ModelSource, ModelVendor, Models, Prices, jitter};

use super::fake::{Act, Fake, TokioClock, USAGE};
use super::providers::hello;
use FailureKind::*;

const DEADLINE: Duration = Duration::from_secs(40);

struct World {
    models: Models,
    clock: Arc<TokioClock>,
    /// The bounds within which a random pause was asked for.
    bounds: Arc<Mutex<Vec<u64>>>,
}

fn world(limits: Limits, fakes: &[(&Arc<Fake>, &[&str])]) -> World {
    let sources = fakes.iter().map(|(fake, models)| ModelSource {
        provider: Arc::clone(fake) as _,
        vendor: ModelVendor::Any,
        models: models.iter().map(|&model| model.to_owned()).collect(),
    });
    let clock = TokioClock::new();
    let bounds = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&bounds);
    let jitter = Arc::new(move |most| {
        kept.lock().unwrap().push(most);
        most
    });
    let prices = Prices::parse("a: {input: 1, output: 2}").unwrap();
    let models = Models::new(sources.collect(), prices, limits, Arc::clone(&clock) as _, jitter);
    World { models, clock, bounds }
}

impl World {
    async fn ask(&self, chain: &[&str]) -> Answered {
        self.ask_for("demo", chain, DEADLINE).await
    }

    async fn ask_for(&self, workspace: &str, chain: &[&str], deadline: Duration) -> Answered {
        let chain: Vec<String> = chain.iter().map(|&model| model.to_owned()).collect();
        let workspace = WorkspaceId::from_slug(workspace);
        self.models.ask(workspace, "writer", &chain, &hello(), deadline, &mut |_| ()).await
    }
}

fn kind(answered: &Answered) -> Option<FailureKind> {
    answered.result.as_ref().err().map(|failure| failure.kind)
}

/// `provider/model: outcome` of every attempt.
fn trail(answered: &Answered) -> Vec<String> {
    let call =
        |call: &domain::ModelCall| format!("{}/{}: {}", call.provider, call.model, call.outcome);
    answered.calls.iter().map(call).collect()
}

/// The chain, each provider's act, the trail, and the kind of failure.
type Case = (&'static [&'static str], Act, Act, &'static [&'static str], Option<FailureKind>);

#[tokio::test(start_paused = true)]
async fn three_attempts_are_shared_out_over_the_chain() {
    let fail = Act::Fail;
    let cases: [Case; 10] = [
        (&["a"], Act::Say("hi"), fail(Auth), &["x/a: answered"], None),
        (
            &["a"],
            fail(Server),
            fail(Auth),
            &["x/a: server", "x/a: server", "x/a: server"],
            Some(Server),
        ),
        (
            &["a", "b"],
            fail(Overloaded),
            Act::Say("hi"),
            &["x/a: overloaded", "x/a: overloaded", "y/b: answered"],
            None,
        ),
        (&["a", "b"], fail(SpendCap), Act::Say("hi"), &["x/a: spend_cap", "y/b: answered"], None),
        (
            &["a", "b"],
            fail(BadRequest),
            fail(Truncated),
            &["x/a: bad_request", "y/b: truncated", "y/b: truncated"],
            Some(Truncated),
        ),
        (&["a", "b"], fail(Auth), fail(Refused), &["x/a: auth", "y/b: refused"], Some(Refused)),
        (
            &["a", "b", "y/c", "y/d"],
            fail(Server),
            fail(TimeoutFirstByte),
            &["x/a: server", "y/b: timeout_first_byte", "y/c: timeout_first_byte"],
            Some(TimeoutFirstByte),
        ),
        (&["nobody's", "b"], fail(Auth), Act::Say("hi"), &["y/b: answered"], None),
        (&["nobody's"], fail(Auth), fail(Auth), &[], Some(NoModel)),
        (&[], fail(Auth), fail(Auth), &[], Some(NoModel)),
    ];
    for (chain, first, second, expected, failed) in cases {
        let (x, y) = (Fake::new("x", &[first]), Fake::new("y", &[second]));
        let world = world(Limits::default(), &[(&x, &["a"]), (&y, &["b", "c", "d"])]);
        let answered = world.ask(chain).await;
        assert_eq!(trail(&answered), expected, "{chain:?}");
        assert_eq!(kind(&answered), failed, "{chain:?}");
        let numbers: Vec<u32> = answered.calls.iter().map(|call| call.attempt).collect();
        assert!(numbers.iter().copied().eq(1..=expected.len() as u32));
    }
}

#[tokio::test(start_paused = true)]
async fn pauses_are_by_chance_within_bounds_that_double_and_none_comes_before_another_model() {
    let x = Fake::new("x", &[Act::Fail(Server)]);
    let world = world(Limits::default(), &[(&x, &[])]);
    world.ask(&["a"]).await;
    assert_eq!(*world.bounds.lock().unwrap(), [500, 1_000]);
    assert_eq!(world.clock.ms(), 1_500);
    world.ask(&["a", "b", "c"]).await;
    assert_eq!(world.clock.ms(), 1_500);
}

#[tokio::test(start_paused = true)]
async fn the_wait_a_provider_asks_for_is_kept() {
    let wait = Duration::from_secs(7);
    let x = Fake::new("x", &[Act::FailFor(RateLimited, wait), Act::Say("hi")]);
    let world = world(Limits::default(), &[(&x, &[])]);
    let answered = world.ask(&["a"]).await;
    assert_eq!(trail(&answered), ["x/a: rate_limited", "x/a: answered"]);
    assert_eq!(world.clock.ms(), 7_000);
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_what_is_left_is_not_begun() {
    let wait = Duration::from_secs(60);
    let x = Fake::new("x", &[Act::FailFor(RateLimited, wait)]);
    let y = Fake::new("y", &[Act::Say("hi")]);
    let world = world(Limits::default(), &[(&x, &["a"]), (&y, &["b"])]);
    assert_eq!(trail(&world.ask(&["a", "b"]).await), ["x/a: rate_limited", "y/b: answered"]);
    let answered = world.ask(&["a"]).await;
    assert_eq!((trail(&answered).len(), kind(&answered)), (1, Some(RateLimited)));
    assert_eq!(world.clock.ms(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_attempt_said_is_declared_void_before_the_next() {
    let x = Fake::new("x", &[Act::Fail(Server), Act::Say("hi")]);
    let world = world(Limits::default(), &[(&x, &[])]);
    let mut heard = Vec::new();
    let workspace = WorkspaceId::from_slug("demo");
    let chain = ["a".to_owned()];
    let mut listen = |event| heard.push(event);
    world.models.ask(workspace, "writer", &chain, &hello(), DEADLINE, &mut listen).await;
    let said = ModelEvent::Text("x…".into());
    assert_eq!(heard, [said.clone(), ModelEvent::Again, said]);
}

#[tokio::test(start_paused = true)]
async fn a_hang_ends_with_the_deadline_and_so_does_the_whole() {
    let x = Fake::new("x", &[Act::Hang]);
    let world = world(Limits::default(), &[(&x, &[])]);
    let answered = world.ask(&["a", "b"]).await;
    assert_eq!(trail(&answered), ["x/a: timeout_total"]);
    assert!((40_000..41_000).contains(&world.clock.ms()), "{}", world.clock.ms());
    assert_eq!(i64::from(answered.calls[0].ms), world.clock.ms());
}

#[tokio::test(start_paused = true)]
async fn replies_that_are_no_answer_are_failures_that_were_paid() {
    let cases = [
        (StopReason::End, Some(Empty), 3),
        (StopReason::Refusal, Some(Refused), 1),
        (StopReason::MaxTokens, None, 1),
    ];
    for (stop, expected, attempts) in cases {
        let x = Fake::new("x", &[Act::Stop(stop)]);
        let answered = world(Limits::default(), &[(&x, &[])]).ask(&["a"]).await;
        assert_eq!(kind(&answered), expected);
        assert_eq!(answered.calls.len(), attempts);
        assert!(answered.calls.iter().all(|call| call.usage == USAGE));
    }
}

#[tokio::test(start_paused = true)]
async fn every_attempt_has_its_price_and_a_model_without_one_is_named_once() {
    let x = Fake::new("x", &[Act::Fail(Server), Act::Say("hi")]);
    let world = world(Limits::default(), &[(&x, &[])]);
    let answered = world.ask(&["a"]).await;
    let costs: Vec<Cost> = answered.calls.iter().map(|call| call.cost).collect();
    assert_eq!(costs, [Cost(10 * 1_000 + 20 * 2_000); 2]);
    assert!(world.models.unpriced().is_empty());
    let free = world.ask(&["unheard-of"]).await;
    world.ask(&["x/unheard-of"]).await;
    assert_eq!(free.calls[0].cost, Cost(0));
    assert_eq!(world.models.unpriced(), ["unheard-of"]);
    let usage = Usage { input: 1, ..Usage::default() };
    assert_eq!(world.models.price("x/a", usage), Cost(1_000));
    assert!(world.models.serves("x/a") && !world.models.serves("x/"));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_five_times_is_left_alone_then_tried_once() {
    let x = Fake::new("x", &[Act::Fail(Overloaded)]);
    let y = Fake::new("y", &[Act::Say("hi")]);
    let world = world(Limits::default(), &[(&x, &["a"]), (&y, &["b"])]);
    for _ in 0..3 {
        world.ask(&["a", "b"]).await;
    }
    // Two calls, two more, and the fifth; from then on only the second model is asked.
    assert_eq!(x.asked().len(), 5);
    let answered = world.ask(&["a", "b"]).await;
    assert_eq!(trail(&answered), ["y/b: answered"]);
    assert_eq!(kind(&world.ask(&["a"]).await), Some(BreakerOpen));

    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(trail(&world.ask(&["a", "b"]).await), ["x/a: overloaded", "y/b: answered"]);
    tokio::time::advance(Duration::from_secs(29)).await;
    assert_eq!(kind(&world.ask(&["a"]).await), Some(BreakerOpen));

    x.now_does(&[Act::Say("well again")]);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(trail(&world.ask(&["a"]).await), ["x/a: answered"]);
    assert_eq!(trail(&world.ask(&["a"]).await), ["x/a: answered"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_call_failed_of_is_told_rather_than_that_the_next_was_not_made() {
    let x = Fake::new("x", &[Act::Fail(Auth)]);
    let y = Fake::new("y", &[Act::Fail(Overloaded)]);
    let world = world(Limits::default(), &[(&x, &["a"]), (&y, &["b"])]);
    for _ in 0..2 {
        world.ask(&["b"]).await;
    }
    assert_eq!(kind(&world.ask(&["b"]).await), Some(BreakerOpen));
    assert_eq!(kind(&world.ask(&["a", "b"]).await), Some(Auth));
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_only_bad_do_not_cut_a_provider_off() {
    for bad in [Malformed, Empty, Refused, BadRequest] {
        let x = Fake::new("x", &[Act::Fail(bad)]);
        let world = world(Limits::default(), &[(&x, &[])]);
        for _ in 0..10 {
            assert_eq!(kind(&world.ask(&["a"]).await), Some(bad));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_workspace_waits_for_its_own_calls_and_not_for_others() {
    let limits = Limits { at_once: 1, ..Limits::default() };
    let x = Fake::new("x", &[Act::Slow(Duration::from_secs(10))]);
    let world = world(limits, &[(&x, &[])]);
    let ends = async |workspace| {
        world.ask_for(workspace, &["a"], DEADLINE).await.result.unwrap();
        world.clock.ms()
    };
    let (one, two, other) = tokio::join!(ends("demo"), ends("demo"), ends("other"));
    assert_eq!((one, two, other), (10_000, 20_000, 10_000));

    let short = Duration::from_secs(5);
    let (_, refused) = tokio::join!(ends("demo"), world.ask_for("demo", &["a", "b"], short));
    assert_eq!((kind(&refused), refused.calls.len()), (Some(Busy), 0));
}

#[tokio::test(start_paused = true)]
async fn a_minutes_calls_are_limited_and_the_next_waits_or_is_refused() {
    let limits = Limits { per_minute: 2, ..Limits::default() };
    let x = Fake::new("x", &[Act::Say("hi")]);
    let world = world(limits, &[(&x, &[])]);
    for expected in [0, 0, 30_000] {
        world.ask(&["a"]).await.result.unwrap();
        assert_eq!(world.clock.ms(), expected);
    }
    let refused = world.ask_for("demo", &["a", "b"], Duration::from_secs(20)).await;
    assert_eq!((kind(&refused), refused.calls.len()), (Some(Busy), 0));
    assert_eq!(world.clock.ms(), 30_000);
    assert!(world.ask_for("other", &["a"], Duration::from_secs(20)).await.result.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_workspaces_own_queue_is_never_the_providers_fault() {
    let limits = Limits { at_once: 1, ..Limits::default() };
    let x = Fake::new("x", &[Act::Slow(Duration::from_secs(16))]);
    let world = world(limits, &[(&x, &[])]);
    // Two calls are answered, the third is cut short after its 8 s, and the rest never had the
    // time.
    let crowd = (0..20).map(|_| world.ask(&["a"]));
    let answered = futures::future::join_all(crowd).await;
    let calls: Vec<_> = answered.iter().flat_map(trail).collect();
    assert_eq!(calls, ["x/a: answered", "x/a: answered", "x/a: cut_short"]);
    let kinds: Vec<_> = answered.iter().filter_map(kind).collect();
    assert_eq!((kinds.len(), kinds[0]), (18, CutShort));
    assert!(kinds[1..].iter().all(|kind| *kind == Busy), "{kinds:?}");
    for _ in 0..10 {
        let again = futures::future::join_all((0..3).map(|_| world.ask(&["a"]))).await;
        assert!(again.iter().any(|one| one.result.is_ok()), "no breaker opened: {again:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_call_is_made_without_the_time_for_it() {
    let x = Fake::new("x", &[Act::Say("hi")]);
    let world = world(Limits::default(), &[(&x, &[])]);
    let short = world.ask_for("demo", &["a"], Duration::from_millis(4_999)).await;
    assert_eq!((kind(&short), short.calls.len(), x.asked().len()), (Some(Busy), 0, 0));
    assert!(world.ask_for("demo", &["a"], Duration::from_secs(5)).await.result.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_one_workspace_is_left_alone_by_that_one_only() {
    let x = Fake::new("x", &[Act::Fail(Overloaded)]);
    let world = world(Limits::default(), &[(&x, &[])]);
    for _ in 0..2 {
        world.ask(&["a"]).await;
    }
    assert_eq!(kind(&world.ask(&["a"]).await), Some(BreakerOpen));
    x.now_does(&[Act::Say("hi")]);
    assert!(world.ask_for("other", &["a"], DEADLINE).await.result.is_ok());
}

#[test]
fn chance_from_ids_stays_within_its_bound_and_reaches_all_of_it() {
    let clock = VirtualClock::at(Timestamp::from_millis(1_700_000_000_000));
    let ids: Arc<dyn IdSource> = Arc::new(SeededIds::new(clock, 7));
    let chance = jitter(ids);
    let mut seen = [0_u32; 4];
    for _ in 0..1_000 {
        seen[usize::try_from(chance(3)).unwrap()] += 1;
    }
    assert!(seen.iter().all(|count| *count > 150), "{seen:?}");
    assert_eq!(chance(0), 0);
    chance(u64::MAX);
}
