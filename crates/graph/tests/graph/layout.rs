//! Nothing in a drawing lies on top of anything: boxes keep apart, and wires pass between them.

use graph::END;

use crate::drawing::{Plain, rich};

/// Left, top, right, bottom.
type Place = [f64; 4];
type Point = (f64, f64);

/// The boxes and wires of the outermost graph, read back from the drawing.
struct Drawn {
    boxes: Vec<Place>,
    wires: Vec<Vec<Point>>,
    view: Point,
}

fn read(svg: &str) -> Drawn {
    let (width, height) = between(svg, "viewBox=\"0 0 ", "\"").split_once(' ').unwrap();
    let view = (width.parse().unwrap(), height.parse().unwrap());
    let mut drawn = Drawn { boxes: Vec::new(), wires: Vec::new(), view };
    let mut depth = 0;
    for line in svg.lines() {
        match line {
            "</g>" => depth -= 1,
            _ if line.starts_with("<g transform") => depth += 1,
            // What lies inside a box has its own drawing, or its place between two bars.
            _ if depth != 1 || line.contains("\"branch\"") => {}
            _ if line.contains("<rect") => drawn.boxes.push(place(line)),
            _ if line.contains("\"wire\"") => {
                drawn.wires.push(points(between(line, " d=\"", "\"")));
            }
            _ => {}
        }
    }
    drawn
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

fn place(rect: &str) -> Place {
    let number =
        |name: &str| -> f64 { between(rect, &format!(" {name}=\""), "\"").parse().unwrap() };
    let (x, y) = (number("x"), number("y"));
    [x, y, x + number("width"), y + number("height")]
}

/// Points along a path, close to each other.
fn points(path: &str) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let starts = path.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(at, _)| at);
    let starts: Vec<usize> = starts.chain([path.len()]).collect();
    for part in starts.windows(2).map(|ends| &path[ends[0]..ends[1]]) {
        let numbers: Vec<f64> =
            part[1..].split(' ').map(|number| number.parse().unwrap()).collect();
        let from = points.last().copied().unwrap_or_default();
        let controls = match (&part[..1], numbers.as_slice()) {
            ("M", [x, y]) => vec![(*x, *y)],
            ("V", [y]) => vec![from, (from.0, *y)],
            ("H", [x]) => vec![from, (*x, from.1)],
            ("Q" | "C", pairs) => {
                [from].into_iter().chain(pairs.chunks(2).map(|pair| (pair[0], pair[1]))).collect()
            }
            _ => panic!("{part}"),
        };
        points.extend((0..=50).map(|step| bezier(&controls, f64::from(step) / 50.0)));
    }
    points
}

fn bezier(controls: &[Point], at: f64) -> Point {
    let mut points = controls.to_vec();
    while points.len() > 1 {
        let mix = |pair: &[Point]| {
            let along = |from: f64, to: f64| from + (to - from) * at;
            (along(pair[0].0, pair[1].0), along(pair[0].1, pair[1].1))
        };
        points = points.windows(2).map(mix).collect();
    }
    points[0]
}

/// A graph of many nodes with edges that skip ahead and lead back, by a seed.
fn tangle(seed: usize) -> Plain {
    let names: Vec<String> = (0..6 + seed % 9).map(|index| format!("node_{index}")).collect();
    let mut graph = Plain::builder().start("node_0");
    for (index, name) in names.iter().enumerate() {
        let ahead =
            (1..=5).filter(|skip| *skip == 1 || (index * 7 + seed * skip).is_multiple_of(3));
        let mut targets: Vec<&str> =
            ahead.filter_map(|skip| names.get(index + skip)).map(String::as_str).collect();
        if (index + seed) % 4 == 3 {
            targets.push(&names[index / 2]);
        }
        if index + 1 == names.len() || (index * seed) % 5 == 4 {
            targets.push(END);
        }
        graph = graph.sync(name, |()| ()).route(name, "pick", &targets, |()| END);
    }
    graph.build().unwrap()
}

fn drawings() -> impl Iterator<Item = String> {
    (0..18).map(tangle).chain([rich()]).map(|graph| graph.svg())
}

#[test]
fn no_box_lies_on_another_nor_outside_the_drawing() {
    for svg in drawings() {
        let Drawn { boxes, view, .. } = read(&svg);
        for (index, [left, top, right, bottom]) in boxes.iter().enumerate() {
            assert!(*left >= 0.0 && *top >= 0.0 && *right < view.0 && *bottom < view.1, "{svg}");
            for other in &boxes[index + 1..] {
                let beside = right + 10.0 < other[0] || other[2] + 10.0 < *left;
                let above = bottom + 10.0 < other[1] || other[3] + 10.0 < *top;
                assert!(beside || above, "{svg}");
            }
        }
    }
}

#[test]
fn no_wire_passes_through_a_box_nor_leaves_the_drawing() {
    for svg in drawings() {
        let Drawn { boxes, wires, view } = read(&svg);
        assert!(wires.len() >= boxes.len() - 1);
        for (x, y) in wires.into_iter().flatten() {
            assert!(x >= 0.0 && y >= 0.0 && x < view.0 && y < view.1, "{svg}");
            let inside = |[left, top, right, bottom]: &Place| {
                x > left + 0.2 && x < right - 0.2 && y > top + 0.2 && y < bottom - 0.2
            };
            assert!(!boxes.iter().any(inside), "{x} {y}\n{svg}");
        }
    }
}

#[test]
fn a_wire_ends_on_top_of_a_box_or_its_arrow_would_point_at_nothing() {
    for svg in drawings() {
        let Drawn { boxes, wires, .. } = read(&svg);
        for wire in wires {
            let (x, y) = *wire.last().unwrap();
            let on =
                |[left, top, right, _]: &Place| (y - top).abs() < 0.2 && x > *left && x < *right;
            assert!(boxes.iter().any(on), "{x} {y}\n{svg}");
        }
    }
}
