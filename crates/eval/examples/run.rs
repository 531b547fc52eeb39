use std::path::Path;
use std::sync::Arc;
struct T;
impl domain::Ticks for T {
    fn nanos(&self) -> u64 {
        0
    }
}
fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let filter = std::env::args().nth(2).unwrap_or_default();
    let source = pack::Source::read(Path::new(&folder)).unwrap();
    let loaded = pack::read(&source).unwrap_or_else(|f| panic!("{f}"));
    for w in &loaded.warnings {
        eprintln!("{w}");
    }
    let pack = Arc::new(loaded.pack);
    let (agent, nodes): (Arc<dyn agents::Agent>, _) = match &pack.agents[0].agent {
        pack::Agent::Flow(spec) => (
            Arc::new(
                agents::FlowAgent::new(
                    "x",
                    pack.clone(),
                    &spec.flow,
                    spec.form.as_ref(),
                    &source,
                    Arc::new(T),
                )
                .unwrap(),
            ),
            agents::FlowAgent::nodes(),
        ),
        pack::Agent::Form(form) => (
            Arc::new(
                agents::FormAgent::new("x", pack.clone(), form, &source, Arc::new(T)).unwrap(),
            ),
            agents::FormAgent::nodes(),
        ),
    };
    let cases = pack::load_cases(&source, &nodes).unwrap_or_else(|f| panic!("{f}"));
    let list: Vec<_> = cases
        .iter()
        .flat_map(|f| f.cases.0.iter().enumerate().map(move |(i, c)| (f.file.as_str(), i, c)))
        .filter(|(_, _, c)| c.name.contains(&filter))
        .collect();
    let suite = eval::Suite { agent, tools: tools::Registry::builtin(), cases: list };
    let results = eval::run(&suite, std::num::NonZero::new(1).unwrap());
    let mut bad = 0;
    for r in &results {
        if !r.failed.is_empty() {
            bad += 1;
            println!("FAIL {}: {}", r.file, r.name);
            for s in &r.failed {
                for d in &s.differences {
                    println!(
                        "   step {} {}: expected {} got {}",
                        s.step + 1,
                        d.key,
                        d.expected,
                        d.actual
                    );
                }
            }
        }
    }
    println!("{} of {} failed", bad, results.len());
}
