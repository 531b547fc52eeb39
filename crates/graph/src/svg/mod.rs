//! Draws a graph as an SVG of its own, which needs no script and no font of its own.

mod layers;
mod order;
mod paint;
mod place;
mod scene;
mod straighten;
mod wire;

use crate::{Family, Graph};
use scene::{Run, Scene};

impl<F: Family> Graph<F> {
    /// The graph as an SVG, from the start at the top to the end at the bottom.
    pub fn svg(&self) -> String {
        self.svg_with([])
    }

    /// The same, with the nodes of an executed path drawn bold; give it
    /// [`Trace::path`](crate::Trace::path).
    pub fn svg_with<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> String {
        let outline = self.outline();
        let path: Run<'_> = path.into_iter().collect();
        let runs = if path.is_empty() { vec![] } else { vec![path] };
        paint::document(&outline, &Scene::new(&outline, &runs))
    }
}
