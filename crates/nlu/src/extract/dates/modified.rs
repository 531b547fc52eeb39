//! Words that open or shift a moment: `antes de`, `a partir de`, `cerca de`, `a finales de`, `o más tarde`.

use jiff::civil::{Date, Time};

use super::Reader;
use super::calendar::{add, add_seconds, days_between};
use super::fragment::Fragment;
use super::moment::{At, MomentKind, Point};
use super::words::Unit;
use crate::extract::phrases::Phrases;

const OPENERS: Phrases<&str> = Phrases::new(&[
    ("antes de las", "before"),
    ("antes de la", "before"),
    ("antes del", "before"),
    ("antes de", "before"),
    ("despues de las", "after"),
    ("despues de la", "after"),
    ("despues del", "after"),
    ("despues de", "after"),
    ("mas tarde de las", "after"),
    ("a partir de las", "since"),
    ("a partir de la", "since"),
    ("a partir del", "since"),
    ("a partir de", "since"),
    ("desde las", "since"),
    ("desde el", "since"),
    ("desde", "since"),
    ("hasta las", "until"),
    ("hasta el", "until"),
    ("hasta", "until"),
    ("tan tarde como", "until"),
    ("before", "before"),
    ("after", "after"),
]);

const NEAR: Phrases<()> = Phrases::new(&[
    ("cerca de las", ()),
    ("cerca de la", ()),
    ("cerca de", ()),
    ("alrededor de las", ()),
    ("alrededor de la", ()),
    ("alrededor de", ()),
    ("a eso de las", ()),
    ("around", ()),
]);

const EDGES: Phrases<&str> = Phrases::new(&[
    ("temprano en", "start"),
    ("mas tarde por", "end"),
    ("inicios de", "start"),
    ("principios de", "start"),
    ("comienzos de", "start"),
    ("principio de", "start"),
    ("inicio de", "start"),
    ("mas temprano de", "start"),
    ("mas temprano", "start"),
    ("mediados de", "mid"),
    ("medianos de", "mid"),
    ("finales de", "end"),
    ("final de", "end"),
    ("final del", "end"),
    ("fines de", "end"),
    ("fin de", "end"),
    ("mas tarde de", "end"),
    ("mas tarde en", "end"),
    ("mas tarde", "end"),
    ("fin del", "end"),
]);

impl Reader<'_, '_> {
    /// Reads opening or shifting words at an index. `plain` is the fragment there without them.
    pub(super) fn modified(&self, at: usize, plain: Option<&Fragment>) -> Option<Fragment> {
        self.opened(at)
            .or_else(|| self.near(at))
            .or_else(|| self.end_of_day(at))
            .or_else(|| self.edge(at))
            .or_else(|| self.and_later(at, plain?))
            .or_else(|| self.day_then_opened(at))
    }

    fn opener(&self, at: usize) -> Option<(usize, &'static str)> {
        OPENERS.first(self.tokens, at)
    }

    fn opened(&self, at: usize) -> Option<Fragment> {
        let (next, modifier) = self.opener(at)?;
        let cued = matches!(self.tokens.before(next), "las" | "la");
        let clock = cued.then(|| self.clock(next, true)).flatten();
        let inner = match clock {
            Some(clock) => Fragment::clock(next, &clock),
            None => {
                let next = next + usize::from(matches!(self.tokens.text(next), "el" | "los"));
                self.edge(next).or_else(|| self.plain(next))?
            }
        };
        let open_range = matches!(inner.kind, MomentKind::DateTimeRange | MomentKind::TimeRange)
            && inner.start > next;
        if open_range || inner.modifier == Some("before") {
            return None;
        }
        inner.open(at, modifier)
    }

    fn near(&self, at: usize) -> Option<Fragment> {
        let (next, ()) = NEAR.first(self.tokens, at)?;
        let cued = matches!(self.tokens.before(next), "las" | "la");
        let inner = match self.clock(next, cued) {
            Some(_) if cued => self.clock_first(next)?,
            _ => self.point(next)?,
        };
        Some(Fragment { start: at, modifier: Some("approx"), ..inner })
    }

    /// `martes antes de las dos de la tarde`: a day, and then a side of a time.
    fn day_then_opened(&self, at: usize) -> Option<Fragment> {
        let day = self.day(at)?;
        let (next, modifier) = self.opener(day.end)?;
        let cued = matches!(self.tokens.before(next), "las" | "la");
        let clock = self.clock(next, cued)?;
        Fragment::day_and_clock(at, clock.end, &day, &clock).open(at, modifier)
    }

    /// `1/1/2016 y después`, `2018 o más tarde`, `a las 3 pm o más tarde`.
    fn and_later(&self, at: usize, inner: &Fragment) -> Option<Fragment> {
        let end = self.tokens.follow_any(
            inner.end,
            &["o mas tarde", "y mas tarde", "y despues", "en adelante", "or later"],
        )?;
        if self.tokens.text(end) == "de" {
            return None;
        }
        let opened = inner.clone().open(at, "since")?;
        Some(Fragment { end, ..opened })
    }

    /// `al final de mañana`, `fin de día`: the last second of the day.
    fn end_of_day(&self, at: usize) -> Option<Fragment> {
        let next = self.tokens.follow_any(
            at,
            &["al final de", "al final del", "al fin de", "fin de", "fin del", "final del"],
        )?;
        let day = match self.tokens.text(next) {
            "dia" => super::day::Day::on(self.now.date(), next + 1),
            _ => self.day(next)?,
        };
        let last = Time::constant(23, 59, 59, 0);
        let readings = day.dates.iter().map(|date| {
            let at = At::Point(Point::DateTime(date.to_datetime(last)));
            (format!("{}T23:59:59", day.timex), at)
        });
        Some(Fragment::new(at, day.end, MomentKind::DateTime, readings.collect()))
    }

    /// The beginning, the middle or the end of a stretch.
    fn edge(&self, at: usize) -> Option<Fragment> {
        let (next, modifier) = EDGES.first(self.tokens, at)?;
        if let Some(fragment) = self.edge_of_part(at, next, modifier) {
            return Some(fragment);
        }
        // `fin de semana` is a unit of its own.
        if self.tokens.text(next) == "semana" && self.tokens.text(next - 2).starts_with("fin") {
            return None;
        }
        let article = usize::from(matches!(self.tokens.text(next), "la" | "el"));
        let inner = self
            .period(next)
            .or_else(|| self.period(next + article))
            .or_else(|| self.unit_named(next + article))?;
        let cut = |(timex, at): &(String, At)| {
            let At::Between { start: Some(Point::Date(start)), end: Some(Point::Date(end)) } = at
            else {
                return None;
            };
            let (start, end) = self.cut(*start, *end, modifier)?;
            let at = At::Between { start: Some(Point::Date(start)), end: Some(Point::Date(end)) };
            Some((timex.clone(), at))
        };
        let readings: Option<Vec<_>> = inner.readings.iter().map(cut).collect();
        let fragment = Fragment::new(at, inner.end, MomentKind::DateRange, readings?);
        Some(Fragment { modifier: Some(modifier), ..fragment })
    }

    /// `más tarde por la mañana`, `fin de esta mañana`: the first or last two hours of the part.
    fn edge_of_part(&self, at: usize, next: usize, modifier: &'static str) -> Option<Fragment> {
        let whole = match self.part_of_day(next) {
            Some((part, end)) if self.tokens.text(next) == "la" => Fragment::part(at, end, part),
            _ => self.point(next).filter(|fragment| fragment.kind == MomentKind::DateTimeRange)?,
        };
        let cut = |(timex, at): &(String, At)| {
            let At::Between { start: Some(start), end: Some(end) } = at else { return None };
            let (start, end) = match modifier {
                "start" => (*start, later(*start, 2)?),
                _ => (later(*end, -2)?, *end),
            };
            Some((timex.clone(), At::Between { start: Some(start), end: Some(end) }))
        };
        let readings: Option<Vec<_>> = whole.readings.iter().map(cut).collect();
        let fragment = Fragment::new(at, whole.end, whole.kind, readings?);
        Some(Fragment { modifier: Some(modifier), ..fragment })
    }

    /// `año`, `mes` right after `final de`.
    fn unit_named(&self, at: usize) -> Option<Fragment> {
        let (start, end) = match self.tokens.text(at) {
            "ano" => {
                let first = self.now.date().first_of_year();
                (first, add(first, 1, Unit::Year)?)
            }
            "mes" => {
                let first = self.now.date().first_of_month();
                (first, add(first, 1, Unit::Month)?)
            }
            "semana" => {
                let first = super::calendar::monday(self.now.date())?;
                (first, add(first, 1, Unit::Week)?)
            }
            _ => return None,
        };
        Some(Fragment::days(at, at + 1, &start.to_string(), &[(start, end)]))
    }

    fn cut(&self, start: Date, end: Date, modifier: &str) -> Option<(Date, Date)> {
        let days = days_between(start, end);
        Some(match (modifier, days) {
            ("start", 7) => (start, add(start, 3, Unit::Day)?),
            ("end", 7) => (add(start, 3, Unit::Day)?, end),
            ("start", 28..=31) => (start, add(start, 15, Unit::Day)?),
            ("end", 28..=31) => (add(start, 15, Unit::Day)?, end),
            ("mid", 28..=31) => (add(start, 9, Unit::Day)?, add(start, 20, Unit::Day)?),
            ("start", 365 | 366) => (start, add(start, 6, Unit::Month)?),
            ("mid", 365 | 366) => (add(start, 4, Unit::Month)?, add(start, 8, Unit::Month)?),
            ("end", 365 | 366) => (add(start, 6, Unit::Month)?, end),
            _ => return None,
        })
    }
}

fn later(point: Point, hours: i64) -> Option<Point> {
    match point {
        Point::Time(time) => {
            let at = add_seconds(Date::constant(2000, 1, 2).to_datetime(time), hours * 3_600)?;
            Some(Point::Time(at.time()))
        }
        Point::DateTime(at) => add_seconds(at, hours * 3_600).map(Point::DateTime),
        Point::Date(_) => None,
    }
}
