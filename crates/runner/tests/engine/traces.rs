//! Traces: what a turn understood, kept with what came in.

use domain::TurnTrace;

use crate::kit::{Edition, On, World};

on_both_stores![
    a_turn_leaves_its_trace_on_its_first_line_with_the_time_it_took,
    an_agent_that_leaves_no_trace_has_none,
];

async fn traces(world: &World) -> Vec<Option<TurnTrace>> {
    let id = world.id_of("ana").await;
    let transcript = world.store.transcript(world.channel.workspace, id, 1_000).await.unwrap();
    transcript.lines.into_iter().map(|line| line.trace).collect()
}

async fn a_turn_leaves_its_trace_on_its_first_line_with_the_time_it_took(on: On) {
    let world = World::new(on).await.with_agent(Edition::new("v1"));
    for text in ["uno", "dos"] {
        world.hear("ana", text).await;
    }
    world.run().await;
    let traces = traces(&world).await;
    assert_eq!(traces.len(), 3, "two messages and their answer");
    let trace = traces[0].as_ref().expect("a trace");
    assert_eq!(trace.notes, ["by v1"]);
    assert_eq!(trace.ms, 1.0, "one tick from before the agent to after it");
    assert_eq!(traces[1..], [None, None]);
}

async fn an_agent_that_leaves_no_trace_has_none(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(traces(&world).await, [None, None]);
}
