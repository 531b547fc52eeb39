use std::path::Path;
use std::sync::Arc;
struct T;
impl domain::Ticks for T {
    fn nanos(&self) -> u64 {
        0
    }
}
fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap();
    let source = pack::Source::read(Path::new(&folder)).unwrap();
    let pack = Arc::new(pack::read(&source).unwrap_or_else(|f| panic!("{f}")).pack);
    let pack::Agent::Flow(spec) = &pack.agents[0].agent else { panic!() };
    let agent: Arc<dyn agents::Agent> = Arc::new(
        agents::FlowAgent::new(
            "x",
            pack.clone(),
            &spec.flow,
            spec.form.as_ref(),
            &source,
            Arc::new(T),
        )
        .unwrap(),
    );
    let mut r = eval::Rehearsal::new(
        agent,
        tools::Registry::builtin(),
        domain::Timestamp::from_millis(1_767_798_000_000),
    );
    let show = |h: eval::Happened| {
        println!(
            "  [{}] {:?}\n     {} | {} | {:?} {:?} tier {:?} rules {:?} fields {:?} notes {:?} handoff {:?}",
            h.mode,
            h.replies,
            h.trace.path.iter().map(|p| p.node.clone()).collect::<Vec<_>>().join(">"),
            h.trace.band.clone().unwrap_or_default(),
            h.trace.intents,
            h.trace.templates,
            h.trace.tier,
            h.trace.rules,
            h.state.datos_capturados,
            h.trace.notes,
            h.handoff
        );
    };
    for a in args {
        println!("> {a}");
        if let Some(m) = a.strip_prefix("/wait ") {
            for h in futures::executor::block_on(r.wait(m.parse::<i64>().unwrap() * 1000)) {
                show(h)
            }
            continue;
        }
        let texts: Vec<String> = a.split('|').map(str::to_owned).collect();
        if let Some(h) = futures::executor::block_on(r.say(&texts)) {
            show(h)
        } else {
            println!("  (silent)")
        }
    }
}
