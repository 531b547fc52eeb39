//! A graph as it was declared, by name, and the search for all that is wrong with it.

use std::collections::{HashMap, HashSet};

use crate::nearest::nearest;
use crate::problem::nameable;
use crate::{END, Problem, START};

#[derive(Default)]
pub(crate) struct Plan {
    /// The names of the nodes.
    pub(crate) nodes: Vec<String>,
    pub(crate) starts: Vec<String>,
    pub(crate) ways: Vec<PlannedWay>,
}

pub(crate) struct PlannedWay {
    pub(crate) from: String,
    /// The name of what chooses between the targets; an edge has none, and one target.
    pub(crate) router: Option<String>,
    pub(crate) targets: Vec<String>,
}

impl Plan {
    /// All problems, those of names before those of the ways between them.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut problems = self.naming();
        problems.extend(self.starting());
        problems.extend(self.ways.iter().flat_map(|way| self.leading(way)));
        problems.extend(self.counting());
        problems.extend(self.reaching());
        problems
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(String::as_str)
    }

    fn has(&self, name: &str) -> bool {
        self.names().any(|node| node == name)
    }

    fn nearest(&self, name: &str) -> Option<String> {
        nearest(name, self.names().chain([END])).map(str::to_owned)
    }

    fn naming(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut seen = HashSet::new();
        for name in &self.nodes {
            if !nameable(name) {
                problems.push(Problem::BadName { node: name.clone() });
            }
            if !seen.insert(name) {
                problems.push(Problem::DuplicateNode { node: name.clone() });
            }
        }
        problems
    }

    fn starting(&self) -> Option<Problem> {
        match self.starts.as_slice() {
            [] => Some(Problem::NoStart),
            [start] if self.has(start) => None,
            [start] => Some(Problem::UnknownTarget {
                node: START.to_owned(),
                target: start.clone(),
                nearest: self.nearest(start),
            }),
            _ => Some(Problem::SecondWayOn { node: START.to_owned() }),
        }
    }

    fn leading(&self, PlannedWay { from, router, targets }: &PlannedWay) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !self.has(from) {
            let nearest = self.nearest(from).filter(|name| name != END);
            problems.push(Problem::UnknownSource { node: from.clone(), nearest });
        }
        for (index, target) in targets.iter().enumerate() {
            let (node, target) = (from.clone(), target.clone());
            if target != END && !self.has(&target) {
                let nearest = self.nearest(&target);
                problems.push(Problem::UnknownTarget { node, target, nearest });
            } else if let Some(router) = router.clone()
                && targets[..index].contains(&target)
            {
                problems.push(Problem::RepeatedTarget { node, router, target });
            }
        }
        if let Some(router) = router.clone()
            && targets.is_empty()
        {
            problems.push(Problem::NoTargets { node: from.clone(), router });
        }
        problems
    }

    fn counting(&self) -> Vec<Problem> {
        let ways = |name: &str| self.ways.iter().filter(|way| way.from == name).count();
        let counted = self.names().map(|name| (name, ways(name)));
        counted
            .filter_map(|(name, ways)| match ways {
                0 => Some(Problem::NoWayOn { node: name.to_owned() }),
                1 => None,
                _ => Some(Problem::SecondWayOn { node: name.to_owned() }),
            })
            .collect()
    }

    fn reaching(&self) -> Vec<Problem> {
        // Without a start, that nothing can be reached from it is no news.
        let started = self.starts.iter().any(|start| self.has(start));
        let forward = self.links(|from, to| (from, to));
        let reached = closure(self.starts.iter().map(String::as_str).collect(), &forward);
        let backward = self.links(|from, to| (to, from));
        let ending = closure(self.ends(), &backward);
        let mut problems = Vec::new();
        for name in self.names() {
            let node = name.to_owned();
            if started && !reached.contains(name) {
                problems.push(Problem::Unreachable { node });
            } else if !ending.contains(name) {
                problems.push(Problem::NoWayToEnd { node });
            }
        }
        problems
    }

    /// The end, and every node whose way on is broken: that is a problem already, and the nodes
    /// before it are not to blame for it.
    fn ends(&self) -> Vec<&str> {
        let leads = |name: &str| {
            let mut ways = self.ways.iter().filter(|way| way.from == name).peekable();
            ways.peek().is_some()
                && ways.all(|way| {
                    let known = |target: &String| target == END || self.has(target);
                    !way.targets.is_empty() && way.targets.iter().all(known)
                })
        };
        self.names().filter(|name| !leads(name)).chain([END]).collect()
    }

    fn links<'p>(&'p self, pair: Pair<'p>) -> HashMap<&'p str, Vec<&'p str>> {
        let mut links: HashMap<&str, Vec<&str>> = HashMap::new();
        for way in &self.ways {
            for target in &way.targets {
                let (key, linked) = pair(&way.from, target);
                links.entry(key).or_default().push(linked);
            }
        }
        links
    }
}

type Pair<'p> = fn(&'p str, &'p str) -> (&'p str, &'p str);

/// All that can be come to from these by following links.
fn closure<'p>(mut open: Vec<&'p str>, links: &HashMap<&'p str, Vec<&'p str>>) -> HashSet<&'p str> {
    let mut found: HashSet<&str> = open.iter().copied().collect();
    while let Some(name) = open.pop() {
        for linked in links.get(name).into_iter().flatten() {
            if found.insert(linked) {
                open.push(linked);
            }
        }
    }
    found
}
