//! Drawings say exactly what runs: every node, every edge, and nothing on top of anything.

use graph::{Builder, END, Graph, Owned, Trace};

use crate::form::{Form, form};

pub(crate) type Plain = Graph<Owned<()>>;

fn work(_: &mut ()) {}

fn choose(_: &()) -> &'static str {
    END
}

fn same(state: &mut ()) -> &mut () {
    state
}

async fn branch(_: &()) -> Result<(), std::convert::Infallible> {
    Ok(())
}

fn nodes(names: &[&str]) -> Builder<Owned<()>> {
    names.iter().fold(Plain::builder(), |graph, name| graph.sync(name, work))
}

/// A graph with all that can be drawn: a fork, a subgraph, loops, and names that need care.
pub(crate) fn rich() -> Plain {
    let address = nodes(&["ask", "end"])
        .start("ask")
        .edge("ask", "end")
        .route("end", "until_known", &["ask", END], choose)
        .build();
    nodes(&["listen", "a \"b\" <c>", "a_b"])
        .parallel("quote", |fork| {
            fork.branch("stock", branch).branch("price", branch).join(|(), _| ())
        })
        .subgraph("address", address.unwrap(), same)
        .start("listen")
        .route("listen", "what & why", &["quote", "address", "listen", END], choose)
        .edge("quote", "a \"b\" <c>")
        .edge("address", "a_b")
        .edge("a_b", "listen")
        .end("a \"b\" <c>")
        .build()
        .unwrap()
}

#[test]
fn the_form_as_mermaid() {
    let expected = r#"flowchart TD
    START([START])
    check_escalation["check_escalation"]
    escalate["escalate"]
    check_correction["check_correction"]
    check_off_topic["check_off_topic"]
    extract_field["extract_field"]
    validate["validate"]
    prompt_next["prompt_next"]
    complete["complete"]
    END([END])
    START --> check_escalation
    check_escalation -.->|"after_escalation_check"| escalate
    check_escalation -.->|"after_escalation_check"| check_correction
    escalate --> END
    check_correction -.->|"after_correction_check"| extract_field
    check_correction -.->|"after_correction_check"| check_off_topic
    check_off_topic -.->|"after_off_topic_check"| prompt_next
    check_off_topic -.->|"after_off_topic_check"| complete
    check_off_topic -.->|"after_off_topic_check"| extract_field
    extract_field --> validate
    validate -.->|"after_validation"| prompt_next
    validate -.->|"after_validation"| complete
    prompt_next --> END
    complete --> END
"#;
    assert_eq!(form().mermaid(), expected);
}

#[test]
fn branches_subgraphs_and_awkward_names_as_mermaid() {
    let expected = r#"flowchart TD
    START([START])
    listen["listen"]
    a__b___c_["a #34;b#34; #60;c#62;"]
    a_b["a_b"]
    subgraph quote["quote"]
        direction TB
        quote_fork((fork))
        quote_join((join))
        quote_fork --> quote_stock["stock"] --> quote_join
        quote_fork --> quote_price["price"] --> quote_join
    end
    subgraph address["address"]
        direction TB
        address_START([START])
        address_ask["ask"]
        address_end["end"]
        address_END([END])
        address_START --> address_ask
        address_ask --> address_end
        address_end -.->|"until_known"| address_ask
        address_end -.->|"until_known"| address_END
    end
    END([END])
    START --> listen
    listen -.->|"what #38; why"| quote
    listen -.->|"what #38; why"| address
    listen -.->|"what #38; why"| listen
    listen -.->|"what #38; why"| END
    a__b___c_ --> END
    a_b --> listen
    quote --> a__b___c_
    address --> a_b
"#;
    assert_eq!(rich().mermaid(), expected);
}

#[test]
fn ids_that_mermaid_would_misread_or_confuse_are_made_distinct() {
    let graph = nodes(&["end", "a b", "a-b"]).start("end").edge("end", "a b").edge("a b", "a-b");
    let mermaid = graph.end("a-b").build().unwrap().mermaid();
    for line in ["end_[\"end\"]", "a_b[\"a b\"]", "a_b_[\"a-b\"]", "end_ --> a_b", "a_b --> a_b_"] {
        assert!(mermaid.lines().any(|drawn| drawn.trim() == line), "{line}\n{mermaid}");
    }
}

#[test]
fn an_svg_has_every_name_once_and_a_wire_with_a_head_for_every_edge() {
    let svg = form().svg();
    let names = ["START", "escalate", "check_off_topic", "after_off_topic_check", "END"];
    for name in names.into_iter().chain(form().nodes()) {
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
    }
    assert_eq!(svg.matches("class=\"wire\"").count(), 14);
    // A head for each wire, a diamond for each router.
    assert_eq!(svg.matches("class=\"tip\"").count(), 14 + 4);
    assert!(svg.contains("<title>Graph of 8 nodes</title>"));
    assert!(svg.contains("extract_field leads to validate."));
    assert!(svg.contains(" check_escalation leads by after_escalation_check to escalate or "));
}

#[test]
fn an_svg_escapes_what_names_hold() {
    let svg = rich().svg();
    assert!(svg.contains(">a &quot;b&quot; &lt;c&gt;</text>"));
    assert!(svg.contains(">what &amp; why</text>"));
    assert!(!svg.contains("<c>"));
}

#[tokio::test]
async fn the_nodes_and_wires_of_a_path_are_drawn_bold() {
    let mut trace = Trace::new();
    form().run(&mut Form { escalates: true, ..Form::default() }, &mut trace).await.unwrap();
    let svg = form().svg_with(trace.path());
    let bold: Vec<&str> = svg
        .lines()
        .filter(|line| line.starts_with("<g class=\"taken\">"))
        .filter_map(|line| line.split("</text>").next()?.rsplit_once("\">").map(|(_, name)| name))
        .collect();
    // The three wires end in no text of their own.
    assert_eq!(bold.len(), 3 + 4, "{bold:?}");
    for name in ["START", "check_escalation", "escalate", "END"] {
        assert!(bold.contains(&name), "{name}");
    }
    assert!(!form().svg().contains("\"taken\""));
}

#[test]
fn a_path_inside_a_subgraph_or_a_fork_is_bold_there_too() {
    let bold = |path: &[&str]| rich().svg_with(path.iter().copied()).matches("\"taken\"").count();
    // START, its wire, listen.
    let begun = 3;
    // The wire there, quote and its two branches; the wire on, the last node, the wire to END.
    let quote = ["listen", "quote", "quote/stock", "quote/price", "a \"b\" <c>"];
    assert_eq!(bold(&quote), begun + 1 + 3 + 4);
    // The wire there and address; inside, START, ask, end and END with the wires between them.
    let address = ["listen", "address", "address/ask", "address/end"];
    assert_eq!(bold(&address), begun + 2 + 4 + 3);
    // Entered again from outside, which is not the loop inside it; but the way back out is new.
    let again = [&address[..], &["a_b"], &address[..]].concat();
    assert_eq!(bold(&again), begun + 2 + 4 + 3 + 3);
}
