//! A rehearsal keeps the engine's rules on timers, sessions and ownership, and a run says what fails.

use std::num::NonZero;
use std::sync::Arc;

use agents::{Agent, AgentError, Context, Outcome, TurnInput, UNANSWERED};
use async_trait::async_trait;
use domain::{ArmTimer, EventKind, PathStep, SessionStatus, TimerCondition, Timestamp, TurnTrace};
use eval::{CaseResult, Rehearsal, Suite};
use pack::files::{Case, Duration, OperatorAct, Said, Step};
use serde_json::{Value, json};
use tools::Registry;

/// Does what it is told: each line of a message is one order, and answers with how often it was
/// spoken to in this session.
struct Obedient;

impl Obedient {
    async fn obey(
        order: &str,
        input: &TurnInput,
        context: &mut dyn Context,
        outcome: &mut Outcome,
    ) -> Result<(), AgentError> {
        let words: Vec<&str> = order.split(' ').collect();
        match words.as_slice() {
            ["arm", key, after, condition] => outcome.arm.push(ArmTimer {
                key: (*key).to_owned(),
                due_at: context.now().plus_ms(after.parse::<Duration>().unwrap().ms()),
                condition: TimerCondition::parse(condition).unwrap(),
                payload: Value::Null,
            }),
            ["cancel", key] => outcome.cancel.push((*key).to_owned()),
            ["keep", field, value] => {
                outcome.state.data.insert((*field).to_owned(), json!(value));
            }
            ["hand", "over"] => {
                let told = "keyword: was told to";
                outcome.handoff =
                    Some(domain::Handoff::new(domain::Trigger::CustomerRequest, told));
            }
            ["close"] => outcome.status = SessionStatus::Closed,
            ["mode", mode] => outcome.mode = (*mode).to_owned(),
            ["call", tool, argument] => {
                let asked = match *tool {
                    "crm.contact.update" => json!({ "nombre": argument }),
                    _ => json!({ "fila": argument }),
                };
                let said = match context.call(tool, asked).await {
                    Ok(said) => said.to_string(),
                    Err(error) => error.to_string(),
                };
                outcome.reply(said);
            }
            ["who"] => {
                let name = input.contact.name.as_ref().map(|name| name.reveal().clone());
                outcome.reply(name.unwrap_or_default());
            }
            ["fail"] => return Err(AgentError { reason: "was told to fail".to_owned() }),
            _ => {}
        }
        Ok(())
    }
}

#[async_trait]
impl Agent for Obedient {
    fn name(&self) -> &'static str {
        "obedient"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let times = input.state.sent.len() + 1;
        let node = match &input.events[0].kind {
            EventKind::Message(content) => {
                outcome.reply(format!("heard {times}"));
                for order in content.words().unwrap_or_default().split('\n') {
                    Self::obey(order, input, context, &mut outcome).await?;
                }
                "message"
            }
            EventKind::Timer(timer) => {
                let late = context.now().since_ms(timer.armed_at) / 60_000;
                outcome.reply(format!("{} after {late}m", timer.key));
                "timer"
            }
            EventKind::Operator(_) => {
                outcome.reply(format!("back {times}"));
                "operator"
            }
        };
        outcome.state.sent.push(node.to_owned());
        outcome.trace = Some(TurnTrace {
            path: vec![PathStep { node: node.to_owned(), us: 0 }],
            templates: vec![node.to_owned()],
            intents: vec![(format!("to {node}"), domain::Confidence::CERTAIN)],
            notes: notes(&input.events[0].kind),
            ..TurnTrace::default()
        });
        Ok(outcome)
    }
}

/// Nothing answered the customer, if the message says so.
fn notes(kind: &EventKind) -> Vec<String> {
    match kind {
        EventKind::Message(content) if content.words().as_deref() == Some("unanswered") => {
            vec![UNANSWERED.to_owned()]
        }
        _ => Vec::new(),
    }
}

#[test]
fn a_message_that_only_the_last_resort_answers_fails_its_test() {
    let result = only(case(&[("unanswered", "heard 1")]));
    assert_eq!(result.failed.len(), 1);
    assert_eq!(failures(&only(case(&[("hello", "heard 1")]))), [""; 0]);
}

fn suite(cases: &[Case]) -> Suite<'_> {
    let listed = cases.iter().enumerate().map(|(index, case)| ("tests/a.yaml", index, case));
    let tools = Registry::builtin();
    Suite { agent: Arc::new(Obedient), tools, cases: listed.collect(), stage: Default::default() }
}

/// A step as a line writes it: `wait 5m`, `take`, `return`, or else what the customer says; lines
/// of one message are parted by a bar.
fn step(line: &str) -> Step {
    let mut step = Step::default();
    match line.split_once(' ') {
        Some(("wait", time)) => step.wait = Some(time.parse().unwrap()),
        _ if line == "take" => step.operator = Some(OperatorAct::Take),
        _ if line == "return" => step.operator = Some(OperatorAct::Return),
        _ => step.say = Some(Said::One(line.replace(" | ", "\n"))),
    }
    step
}

fn case(lines: &[(&str, &str)]) -> Case {
    let checked = |(line, reply): &(&str, &str)| {
        let mut step = step(line);
        step.expect.reply = Some(reply.replace(" | ", "\n\n"));
        step
    };
    let steps = lines.iter().map(checked).collect();
    Case { name: "obeys".to_owned(), steps, ..Case::default() }
}

fn only(case: Case) -> CaseResult {
    let cases = [case];
    eval::run_case(&suite(&cases), "tests/a.yaml", 0, &cases[0])
}

/// The failed expectations, as `step key: expected / actual`.
fn failures(result: &CaseResult) -> Vec<String> {
    let of_step = |failed: &eval::FailedStep| {
        let at = failed.step + 1;
        let line = move |one: &eval::Difference| {
            format!("{at} {}: {} / {}", one.key, one.expected, one.actual)
        };
        failed.differences.iter().map(line).collect::<Vec<_>>()
    };
    result.failed.iter().flat_map(of_step).collect()
}

fn holds(lines: &[(&str, &str)]) {
    let result = only(case(lines));
    assert_eq!(failures(&result), Vec::<String>::new(), "{lines:?}");
}

#[test]
fn timers_fire_when_they_are_due_and_in_that_order() {
    holds(&[
        ("arm late 20m always | arm early 10m always", "heard 1"),
        ("wait 9m", ""),
        ("wait 1m", "early after 10m"),
        ("wait 1h", "late after 20m"),
        ("wait 1h", ""),
    ]);
    holds(&[
        ("arm late 20m always | arm early 10m always", "heard 1"),
        ("wait 1h", "early after 10m | late after 20m"),
    ]);
}

#[test]
fn a_wait_ends_when_it_says_and_not_at_its_last_timer() {
    holds(&[
        ("arm one 10m always", "heard 1"),
        ("wait 1h", "one after 10m"),
        ("arm two 10m always", "heard 3"),
        ("wait 9m", ""),
        ("wait 1m", "two after 10m"),
    ]);
}

#[test]
fn silence_that_was_broken_fires_nothing_and_a_deadline_does() {
    holds(&[
        ("arm nudge 30m silence | arm end 40m always", "heard 1"),
        ("wait 5m", ""),
        ("hello", "heard 2"),
        ("wait 1h", "end after 40m"),
    ]);
    holds(&[("arm nudge 30m silence", "heard 1"), ("wait 30m", "nudge after 30m")]);
}

#[test]
fn a_key_armed_again_replaces_and_a_cancelled_one_is_gone() {
    holds(&[
        ("arm end 10m always", "heard 1"),
        ("arm end 30m always", "heard 2"),
        ("wait 29m", ""),
        ("wait 1h", "end after 30m"),
    ]);
    holds(&[
        ("arm end 10m always | arm other 20m always", "heard 1"),
        ("cancel end", "heard 2"),
        ("wait 1h", "other after 20m"),
    ]);
    // As in the store, a turn that cancels and arms one key has armed it.
    holds(&[("cancel end | arm end 10m always", "heard 1"), ("wait 1h", "end after 10m")]);
}

#[test]
fn a_day_of_silence_ends_a_session_and_its_timers() {
    holds(&[("hello", "heard 1"), ("wait 1439m", ""), ("hello", "heard 2")]);
    holds(&[("hello", "heard 1"), ("wait 1d", ""), ("hello", "heard 1")]);
    // The day counts from the customer's last message, whoever it was for.
    holds(&[
        ("hello", "heard 1"),
        ("wait 20h", ""),
        ("hello", "heard 2"),
        ("wait 20h", ""),
        ("hello", "heard 3"),
    ]);
    holds(&[
        ("hello", "heard 1"),
        ("take", ""),
        ("wait 20h", ""),
        ("hello", ""),
        ("wait 20h", ""),
        ("return", "back 2"),
        ("hello", "heard 3"),
    ]);
    holds(&[
        ("arm end 2d always", "heard 1"),
        ("wait 1d", ""),
        ("hello", "heard 1"),
        ("wait 3d", ""),
    ]);
}

#[test]
fn a_closed_session_is_followed_by_a_new_one_and_fires_nothing() {
    holds(&[("hello", "heard 1"), ("close", "heard 2"), ("hello", "heard 1")]);
    holds(&[("arm end 10m always | close", "heard 1"), ("wait 1h", "")]);
}

#[test]
fn while_a_person_attends_the_agent_neither_answers_nor_reminds() {
    for hands_over in ["take", "hand over"] {
        let reply = if hands_over == "take" { "" } else { "heard 2" };
        let times = if hands_over == "take" { "back 2" } else { "back 3" };
        holds(&[
            ("arm end 10m always", "heard 1"),
            (hands_over, reply),
            ("hello", ""),
            ("wait 1h", ""),
            ("return", times),
            ("wait 1h", ""),
        ]);
    }
}

#[test]
fn what_tools_did_lasts_for_the_conversation_and_nothing_outside_is_called() {
    holds(&[
        ("call turno.tomar caja", "heard 1 | {\"number\":1}"),
        ("call turno.tomar caja", "heard 2 | {\"number\":2}"),
        ("call turno.tomar otra", "heard 3 | {\"number\":1}"),
        ("who", "heard 4 | "),
        (
            "call crm.contact.update Ana",
            "heard 5 | {\"contact\":\"00000000-0000-0000-0000-000000000000\"}",
        ),
        ("who", "heard 6 | Ana"),
        ("call avisar todos", "heard 7 | there is no tool `avisar`"),
    ]);
}

#[test]
fn a_turn_tells_which_tools_it_used_and_whether_they_did_anything() {
    let began = Timestamp::from_millis(1_767_798_000_000);
    let mut rehearsal = Rehearsal::new(Arc::new(Obedient), Registry::builtin(), began);
    let said = "call turno.tomar caja\ncall avisar todos";
    let happened = futures::executor::block_on(rehearsal.say(&[said.to_owned()])).unwrap();
    let used: Vec<_> = happened.tools.iter().map(|tool| (tool.name.as_str(), tool.ok)).collect();
    assert_eq!(used, [("turno.tomar", true), ("avisar", false)]);
}

#[test]
fn every_expectation_that_does_not_hold_is_told_and_those_that_hold_are_not() {
    let said = "keep correo a@b.co | mode otro | call turno.tomar caja | hand over";
    for (expect, told) in [
        (r#"{ "reply": "heard 1\n\n{\"number\":1}" }"#, None),
        (r#"{ "reply": "heard" }"#, Some("reply")),
        (r#"{ "contains": ["heard", "number"] }"#, None),
        (r#"{ "contains": ["heard", "hola"] }"#, Some("contains")),
        (r#"{ "lacks": ["hola", "adiós"] }"#, None),
        (r#"{ "lacks": ["hola", "heard"] }"#, Some("lacks")),
        (r#"{ "path": ["message"] }"#, None),
        (r#"{ "path": ["message", "timer"] }"#, Some("path")),
        (r#"{ "fields": { "correo": "a@b.co", "otro": null } }"#, None),
        (r#"{ "fields": { "correo": null } }"#, Some("fields")),
        (r#"{ "fields": { "otro": "a@b.co" } }"#, Some("fields")),
        (r#"{ "mode": "otro" }"#, None),
        (r#"{ "mode": "conversacion" }"#, Some("mode")),
        (r#"{ "tools": ["turno.tomar"] }"#, None),
        (r#"{ "tools": [] }"#, Some("tools")),
        (r#"{ "templates": ["message"] }"#, None),
        (r#"{ "templates": [] }"#, Some("templates")),
        (r#"{ "intent": "to message" }"#, None),
        (r#"{ "intent": "to timer" }"#, Some("intent")),
        (r#"{ "status": "handed_off" }"#, None),
        (r#"{ "status": "active" }"#, Some("status")),
        (r#"{ "handoff": "keyword" }"#, None),
        (r#"{ "handoff": "timeout" }"#, Some("handoff")),
    ] {
        let mut step = step(said);
        step.expect = serde_json::from_str(expect).unwrap();
        let name = expect.to_owned();
        let result = only(Case { name, steps: vec![step], ..case(&[]) });
        let keys: Vec<_> =
            result.failed.iter().flat_map(|step| &step.differences).map(|one| one.key).collect();
        assert_eq!(keys, Vec::from_iter(told), "{expect}");
    }
}

#[test]
fn a_step_without_a_turn_says_nothing_and_leaves_things_where_they_stood() {
    let mut steps = vec![step("keep correo a@b.co | mode otro"), step("take"), step("wait 5m")];
    let expect = r#"{ "reply": "", "path": [], "templates": [], "tools": [], "mode": "otro",
                      "fields": { "correo": "a@b.co" }, "status": "handed_off" }"#;
    for quiet in &mut steps[1..] {
        quiet.expect = serde_json::from_str(expect).unwrap();
    }
    let result = only(Case { name: "quiet".to_owned(), steps, ..case(&[]) });
    assert_eq!(failures(&result), Vec::<String>::new());
    assert_eq!(result.turns, 1);
}

#[test]
fn a_turn_that_fails_is_a_failure_nobody_expected_and_changes_nothing() {
    let result = only(case(&[("hello", "heard 1"), ("fail", ""), ("hello", "heard 2")]));
    assert_eq!(failures(&result), ["2 error: null / \"was told to fail\""]);
}

#[test]
fn every_failed_step_is_told_with_its_place() {
    let result = only(case(&[("a", "x"), ("b", "heard 2"), ("c", "y"), ("wait 1m", "z")]));
    let expected =
        ["1 reply: \"x\" / \"heard 1\"", "3 reply: \"y\" / \"heard 3\"", "4 reply: \"z\" / \"\""];
    assert_eq!(failures(&result), expected);
    assert_eq!(result.turns, 3);
}

#[test]
fn a_case_begins_with_what_is_given() {
    let mut known = case(&[("hello", "heard 1")]);
    known.given = [("correo".to_owned(), json!("a@b.co"))].into();
    known.steps[0].expect.fields = Some(known.given.clone());
    assert_eq!(failures(&only(known.clone())), Vec::<String>::new());
    known.given.clear();
    assert_eq!(only(known).failed.len(), 1);
}

#[test]
fn results_keep_the_order_of_the_cases_on_any_number_of_threads() {
    let named = |at: usize| {
        let steps = vec![("hello", "heard 1"); 1 + (at * 7) % 5];
        Case { name: format!("case {at}"), ..case(&steps) }
    };
    let cases: Vec<Case> = (0..40).map(named).collect();
    for threads in [1, 3, 8] {
        let results = eval::run(&suite(&cases), NonZero::new(threads).unwrap());
        let told: Vec<_> = results.iter().map(|one| (one.index, one.name.clone())).collect();
        let expected: Vec<_> = (0..40).map(|at| (at, format!("case {at}"))).collect();
        assert_eq!(told, expected, "{threads} threads");
        let failed = results.iter().filter(|one| !one.failed.is_empty()).count();
        assert_eq!(failed, 32, "a second hello is heard as the second");
    }
}
