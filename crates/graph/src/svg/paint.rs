//! A scene as SVG text. Ink is the colour of the text around it, so it suits light and dark alike.

use std::fmt::Write;

use super::scene::{Body, Branch, Cell, PAD, ROUTER, Scene, TITLE};
use crate::graph::Next;
use crate::outline::Outline;
use crate::{END, START};

const MARGIN: f64 = 16.0;

const STYLE: &str = "\
.graph-drawing{color:#1f2328;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,\
'DejaVu Sans Mono',monospace}\
@media(prefers-color-scheme:dark){.graph-drawing{color:#e6edf3}}\
.graph-drawing text{fill:currentColor;text-anchor:middle}\
.graph-drawing .box{fill:currentColor;fill-opacity:.06;stroke:currentColor;stroke-opacity:.6}\
.graph-drawing .router{font-size:10.5px;font-style:italic;opacity:.8}\
.graph-drawing .branch{font-size:12px}\
.graph-drawing .wire{fill:none;stroke:currentColor;stroke-opacity:.55}\
.graph-drawing .tip{fill:currentColor;fill-opacity:.75}\
.graph-drawing .bar{stroke:currentColor;stroke-width:4;stroke-opacity:.7}\
.graph-drawing .taken>.box{stroke-width:2.5;stroke-opacity:1;fill-opacity:.14}\
.graph-drawing .taken>text{font-weight:700}\
.graph-drawing .taken>.wire{stroke-width:2.5;stroke-opacity:1}\
.graph-drawing .taken>.tip{fill-opacity:1}";

pub(super) fn document(outline: &Outline, scene: &Scene) -> String {
    let (width, height) = (scene.width + 2.0 * MARGIN, scene.height + 2.0 * MARGIN);
    let mut svg = Svg(String::new());
    svg.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph-drawing\" role=\"img\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n",
        title(outline),
        escaped(&described(outline)),
    ));
    svg.scene(scene, MARGIN, MARGIN);
    svg.put(format_args!("</svg>\n"));
    svg.0
}

struct Svg(String);

impl Svg {
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(text);
    }

    fn scene(&mut self, scene: &Scene, x: f64, y: f64) {
        self.put(format_args!("<g transform=\"translate({x:.1} {y:.1})\">\n"));
        for (wire, taken) in &scene.wires {
            let (x, y) = wire.tip;
            self.put(format_args!(
                "<g{}><path class=\"wire\" d=\"{}\"/>\
                 <path class=\"tip\" d=\"M{x:.1} {y:.1}l-4.5 -8h9z\"/></g>\n",
                class(*taken),
                wire.path,
            ));
        }
        for cell in &scene.cells {
            self.cell(cell);
        }
        self.put(format_args!("</g>\n"));
    }

    fn cell(&mut self, cell: &Cell) {
        let Cell { left, top, width, height, .. } = cell;
        let radius = if let Body::Point = cell.body { height / 2.0 } else { 7.0 };
        let title = if let Body::Point = cell.body { *height } else { TITLE };
        let middle = left + width / 2.0;
        self.put(format_args!(
            "<g{}><rect class=\"box\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" rx=\"{radius:.1}\"/>",
            class(cell.taken),
        ));
        self.text("", middle, top + title / 2.0 + 4.5, &cell.name);
        if let Some(router) = &cell.router {
            self.router(router, middle, top + height - ROUTER / 2.0);
        }
        self.put(format_args!("</g>\n"));
        match &cell.body {
            Body::Point | Body::Plain => {}
            Body::Branches(branches) => self.branches(branches, cell),
            Body::Scene(scene) => {
                self.scene(scene, left + (width - scene.width) / 2.0, top + TITLE);
            }
        }
    }

    /// A small diamond with the router's name, at the foot of the box it leads on from.
    fn router(&mut self, name: &str, middle: f64, y: f64) {
        let y = y - 2.0;
        let left = middle - super::scene::text_width(name, 10.5) / 2.0 - 4.0;
        self.put(format_args!("<path class=\"tip\" d=\"M{left:.1} {y:.1}l-4 -4l-4 4l4 4z\"/>"));
        self.text(" class=\"router\"", middle + 4.0, y + 3.5, name);
    }

    /// Branches side by side between two bars: all begin at the first, all are awaited at the last.
    fn branches(&mut self, branches: &[Branch], cell: &Cell) {
        let gaps = PAD * (branches.len() - 1) as f64;
        let width = branches.iter().map(|branch| branch.width).sum::<f64>() + gaps;
        let mut left = cell.left + (cell.width - width) / 2.0;
        let (top, bottom) = (cell.top + TITLE, cell.top + TITLE + 64.0);
        for bar in [top, bottom] {
            let right = left + width;
            self.put(format_args!("<path class=\"bar\" d=\"M{left:.1} {bar:.1}H{right:.1}\"/>\n"));
        }
        for Branch { name, taken, width } in branches {
            let middle = left + width / 2.0;
            self.put(format_args!(
                "<g{}><path class=\"wire\" d=\"M{middle:.1} {top:.1}v18m0 28v18\"/>\
                 <rect class=\"box\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
                 height=\"28\" rx=\"5\"/>",
                class(*taken),
                top + 18.0,
            ));
            self.text(" class=\"branch\"", middle, top + 36.0, name);
            self.put(format_args!("</g>\n"));
            left += width + PAD;
        }
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let text = escaped(text);
        self.put(format_args!("<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"));
    }
}

fn class(taken: bool) -> &'static str {
    if taken { " class=\"taken\"" } else { "" }
}

fn title(outline: &Outline) -> String {
    match outline.nodes.len() {
        1 => "Graph of one node".to_owned(),
        count => format!("Graph of {count} nodes"),
    }
}

/// The graph in sentences, for who cannot see it.
fn described(outline: &Outline) -> String {
    let mut text = format!("{START} leads to {}.", outline.nodes[outline.start].name);
    for node in &outline.nodes {
        let targets: Vec<&str> = node
            .targets
            .iter()
            .map(|target| match target {
                Next::Node(node) => outline.nodes[*node].name.as_str(),
                Next::End => END,
            })
            .collect();
        let by = node.router.as_ref().map_or(String::new(), |router| format!(" by {router}"));
        let _ = write!(text, " {} leads{by} to {}.", node.name, targets.join(" or "));
    }
    text
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML has no way to write the other control characters.
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
