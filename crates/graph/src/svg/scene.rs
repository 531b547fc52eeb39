//! A graph as boxes with sizes and places, joined by wires; a box may hold a scene of its own.

use std::collections::HashSet;

use super::layers::layers;
use super::order::Rows;
use super::place;
use super::wire::{Ground, Wire, lane_at};
use crate::graph::Next;
use crate::outline::{Inside, Outline, OutlinedNode};
use crate::{END, START};

pub(super) const TITLE: f64 = 34.0;
pub(super) const ROUTER: f64 = 18.0;
pub(super) const PAD: f64 = 14.0;
const BETWEEN_ROWS: f64 = 54.0;

pub(super) struct Scene {
    pub(super) cells: Vec<Cell>,
    pub(super) wires: Vec<(Wire, Taken)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A path that was executed; a subgraph has one for each time it was entered.
pub(super) type Run<'p> = Vec<&'p str>;

/// Whether an executed path goes through it.
pub(super) type Taken = bool;

pub(super) struct Cell {
    pub(super) name: String,
    pub(super) router: Option<String>,
    pub(super) body: Body,
    pub(super) taken: Taken,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) enum Body {
    /// The start or the end.
    Point,
    Plain,
    Branches(Vec<Branch>),
    Scene(Scene),
}

pub(super) struct Branch {
    pub(super) name: String,
    pub(super) taken: Taken,
    pub(super) width: f64,
}

impl Scene {
    pub(super) fn new(outline: &Outline, runs: &[Run<'_>]) -> Self {
        let count = outline.nodes.len();
        let (start, end) = (count, count + 1);
        let mut cells: Vec<Cell> = outline.nodes.iter().map(|node| Cell::new(node, runs)).collect();
        cells.extend([START, END].map(|name| Cell::point(name, !runs.is_empty())));
        let vertex = |next: &Next| if let Next::Node(node) = next { *node } else { end };
        let mut edges = vec![(start, outline.start)];
        for (index, node) in outline.nodes.iter().enumerate() {
            edges.extend(node.targets.iter().map(|target| (index, vertex(target))));
        }
        let taken = taken(outline, runs, &edges);
        cells[end].taken = edges.iter().any(|edge| edge.1 == end && taken.contains(edge));
        let mut scene = Self { cells, wires: Vec::new(), width: 0.0, height: 0.0 };
        scene.lay_out(&edges, &taken);
        scene
    }

    fn lay_out(&mut self, edges: &[(usize, usize)], taken: &HashSet<(usize, usize)>) {
        let boxes = self.cells.len();
        let layers = layers(boxes, edges, boxes - 2, boxes - 1);
        let rows = Rows::new(&layers.row, edges, &layers.back);
        let widths: Vec<f64> = self.cells.iter().map(|cell| cell.width).collect();
        let middles = place::middles(&rows, &widths);
        let rows_at = self.place(&layers.row, &middles);
        let extents: Vec<_> =
            self.cells.iter().map(|cell| (cell.top, cell.top + cell.height, cell.width)).collect();
        let ground =
            Ground { rows: &rows_at, middles: &middles, row: &layers.row, boxes: &extents };
        let bends = middles.iter().copied();
        let sides = self.cells.iter().map(|cell| cell.left + cell.width);
        let right = bends.chain(sides).fold(0.0, f64::max);
        let mut lanes: Vec<(usize, usize)> =
            edges.iter().zip(&layers.back).filter(|edge| *edge.1).map(|edge| *edge.0).collect();
        // The shorter way up takes the inner lane, so that it crosses no longer one.
        lanes.sort_by_key(|(from, to)| layers.row[*from] - layers.row[*to]);
        for (edge, chain) in edges.iter().zip(&rows.chains) {
            let wire = match lanes.iter().position(|up| up == edge) {
                Some(lane) => ground.up(*edge, lane, right),
                None => ground.down(chain),
            };
            self.wires.push((wire, taken.contains(edge)));
        }
        self.width = lanes.len().checked_sub(1).map_or(right, |outer| lane_at(outer, right) + 1.0);
        self.height = rows_at.last().map_or(0.0, |row| row.1);
    }

    /// Gives every box its place, in the middle of its row, and returns the rows' tops and bottoms.
    fn place(&mut self, row: &[usize], middles: &[f64]) -> Vec<(f64, f64)> {
        let mut heights = vec![0.0; row.iter().max().map_or(0, |last| last + 1)];
        for (cell, row) in self.cells.iter().zip(row) {
            heights[*row] = cell.height.max(heights[*row]);
        }
        let mut top = 0.0;
        let mut rows = Vec::with_capacity(heights.len());
        for height in heights {
            rows.push((top, top + height));
            top += height + BETWEEN_ROWS;
        }
        for ((cell, row), middle) in self.cells.iter_mut().zip(row).zip(middles) {
            let (top, bottom) = rows[*row];
            cell.left = middle - cell.width / 2.0;
            cell.top = (top + bottom - cell.height) / 2.0;
        }
        rows
    }
}

impl Cell {
    fn point(name: &str, taken: Taken) -> Self {
        let (width, height) = (text_width(name, 13.0) + 28.0, 26.0);
        let (router, body) = (None, Body::Point);
        Self { name: name.to_owned(), router, body, taken, left: 0.0, top: 0.0, width, height }
    }

    fn new(node: &OutlinedNode, runs: &[Run<'_>]) -> Self {
        let inner = inner(&node.name, runs);
        let (body, inner_width, inner_height) = body(&node.inside, &inner);
        let router_width = node.router.as_ref().map_or(0.0, |name| text_width(name, 10.5) + 14.0);
        let title_width = text_width(&node.name, 13.0);
        Self {
            name: node.name.clone(),
            router: node.router.clone(),
            body,
            taken: !inner.is_empty(),
            left: 0.0,
            top: 0.0,
            width: title_width.max(router_width).max(inner_width) + 2.0 * PAD,
            height: TITLE + inner_height + node.router.as_ref().map_or(0.0, |_| ROUTER),
        }
    }
}

/// What ran inside a node, each time it was entered.
fn inner<'p>(node: &str, runs: &[Run<'p>]) -> Vec<Run<'p>> {
    let mut inner: Vec<Run<'p>> = Vec::new();
    for name in runs.iter().flatten() {
        match (name.strip_prefix(node), inner.last_mut()) {
            (Some(""), _) => inner.push(Vec::new()),
            (Some(rest), Some(run)) => run.extend(rest.strip_prefix('/')),
            _ => {}
        }
    }
    inner
}

/// What a box holds under its title, with its width and height.
fn body(inside: &Inside, runs: &[Run<'_>]) -> (Body, f64, f64) {
    match inside {
        Inside::Nothing => (Body::Plain, 0.0, 0.0),
        Inside::Branches(names) => {
            let branches: Vec<Branch> = names
                .iter()
                .map(|name| Branch {
                    name: name.clone(),
                    taken: runs.iter().any(|run| run.contains(&&**name)),
                    width: text_width(name, 12.0) + 2.0 * PAD,
                })
                .collect();
            let gaps = PAD * (branches.len() - 1) as f64;
            let width = branches.iter().map(|branch| branch.width).sum::<f64>() + gaps;
            (Body::Branches(branches), width, 64.0 + PAD)
        }
        Inside::Graph(outline) => {
            let scene = Scene::new(outline, runs);
            let (width, height) = (scene.width, scene.height + PAD);
            (Body::Scene(scene), width, height)
        }
    }
}

/// The edges between nodes that follow each other in the path. A path whose last node may lead to
/// the end is taken to have ended.
fn taken(outline: &Outline, runs: &[Run<'_>], edges: &[(usize, usize)]) -> HashSet<(usize, usize)> {
    let (start, end) = (outline.nodes.len(), outline.nodes.len() + 1);
    let index = |name: &&str| outline.nodes.iter().position(|node| node.name == *name);
    let mut taken = HashSet::new();
    for run in runs {
        let visited = run.iter().filter_map(index);
        let points: Vec<usize> = [start].into_iter().chain(visited).chain([end]).collect();
        taken.extend(points.windows(2).map(|pair| (pair[0], pair[1])));
    }
    taken.retain(|pair| edges.contains(pair));
    taken
}

/// How wide a text is in a font whose letters all have the same width.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.605
}
