//! Draws a graph as a Mermaid flowchart.

use std::collections::HashSet;
use std::fmt::Write;

use crate::graph::Next;
use crate::outline::{Inside, Outline, OutlinedNode};
use crate::{END, Family, Graph, START};

impl<F: Family> Graph<F> {
    /// The graph as a Mermaid flowchart: edges solid, routes dotted with the router's name.
    pub fn mermaid(&self) -> String {
        let mut chart = Chart { text: "flowchart TD\n".to_owned(), depth: 1, ids: HashSet::new() };
        chart.graph("", &self.outline());
        chart.text
    }
}

struct Chart {
    text: String,
    depth: usize,
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
    /// Draws a graph whose ids begin with `scope`: that of the node it is inside.
    fn graph(&mut self, scope: &str, outline: &Outline) {
        let start = self.id(scope, START);
        let end = self.id(scope, END);
        let ids: Vec<String> =
            outline.nodes.iter().map(|node| self.id(scope, &node.name)).collect();
        self.line(&format!("{start}([START])"));
        for (id, node) in ids.iter().zip(&outline.nodes) {
            self.node(id, node);
        }
        self.line(&format!("{end}([END])"));
        self.line(&format!("{start} --> {}", ids[outline.start]));
        for (id, node) in ids.iter().zip(&outline.nodes) {
            let arrow = match &node.router {
                None => "-->".to_owned(),
                Some(router) => format!("-.->|\"{}\"|", escaped(router)),
            };
            for target in &node.targets {
                let target = match target {
                    Next::Node(node) => &ids[*node],
                    Next::End => &end,
                };
                self.line(&format!("{id} {arrow} {target}"));
            }
        }
    }

    fn node(&mut self, id: &str, node: &OutlinedNode) {
        let label = escaped(&node.name);
        match &node.inside {
            Inside::Nothing => self.line(&format!("{id}[\"{label}\"]")),
            Inside::Branches(branches) => self.inside(id, &label, |chart| {
                let (fork, join) = (chart.id(id, "fork"), chart.id(id, "join"));
                chart.line(&format!("{fork}((fork))"));
                chart.line(&format!("{join}((join))"));
                for name in branches {
                    let branch = chart.id(id, name);
                    let label = escaped(name);
                    chart.line(&format!("{fork} --> {branch}[\"{label}\"] --> {join}"));
                }
            }),
            Inside::Graph(outline) => self.inside(id, &label, |chart| chart.graph(id, outline)),
        }
    }

    fn inside(&mut self, id: &str, label: &str, draw: impl FnOnce(&mut Self)) {
        self.line(&format!("subgraph {id}[\"{label}\"]"));
        self.depth += 1;
        self.line("direction TB");
        draw(self);
        self.depth -= 1;
        self.line("end");
    }

    /// An id that is still free, as near to the name as Mermaid allows.
    fn id(&mut self, scope: &str, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = name.chars().map(plain).collect();
        let mut id = if scope.is_empty() { name } else { format!("{scope}_{name}") };
        while RESERVED.contains(&&*id) || !self.ids.insert(id.clone()) {
            id.push('_');
        }
        id
    }

    fn line(&mut self, line: &str) {
        let indent = 4 * self.depth;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:indent$}{line}", "");
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
