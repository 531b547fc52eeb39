//! Draws a graph as a Mermaid flowchart.

use std::collections::HashSet;
use std::fmt::Write;

use crate::graph::{Next, Way};
use crate::{END, Graph, START};

impl<N, R> Graph<N, R> {
    /// The graph as a Mermaid flowchart: edges solid, routes dotted with the router's name.
    pub fn mermaid(&self) -> String {
        let mut chart = Chart { text: "flowchart TD\n".to_owned(), ids: HashSet::new() };
        let start = chart.id(START);
        let end = chart.id(END);
        let ids: Vec<String> = self.nodes().map(|name| chart.id(name)).collect();
        chart.line(&format!("{start}([START])"));
        for (id, name) in ids.iter().zip(self.nodes()) {
            chart.line(&format!("{id}[\"{}\"]", escaped(name)));
        }
        chart.line(&format!("{end}([END])"));
        chart.line(&format!("{start} --> {}", ids[self.start]));
        let place = |next: &Next| match next {
            Next::Node(node) => &ids[*node],
            Next::End => &end,
        };
        for (id, node) in ids.iter().zip(&self.nodes) {
            match &node.way {
                Way::Edge(next) => chart.line(&format!("{id} --> {}", place(next))),
                Way::Route(route) => {
                    let router = escaped(&route.router);
                    for (_, next) in &route.targets {
                        chart.line(&format!("{id} -.->|\"{router}\"| {}", place(next)));
                    }
                }
            }
        }
        chart.text
    }
}

struct Chart {
    text: String,
    ids: HashSet<String>,
}

/// Words that Mermaid reads as its own even where an id is expected.
const RESERVED: &[&str] = &[
    "_blank",
    "_parent",
    "_self",
    "_top",
    "call",
    "class",
    "classDef",
    "click",
    "default",
    "direction",
    "end",
    "flowchart",
    "graph",
    "href",
    "interpolate",
    "linkStyle",
    "style",
    "subgraph",
];

impl Chart {
    /// An id that is still free, as near to the name as Mermaid allows.
    fn id(&mut self, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut id: String = name.chars().map(plain).collect();
        while RESERVED.contains(&&*id) || !self.ids.insert(id.clone()) {
            id.push('_');
        }
        id
    }

    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "    {line}");
    }
}

/// A label as Mermaid reads it between quotes.
fn escaped(label: &str) -> String {
    let mut text = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '\n' | '\r' => {
                let _ = write!(text, "#{};", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text
}
