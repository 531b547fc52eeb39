//! From one point to another: `del 3 al 7 de mayo`, `entre marzo y junio`, `de 10 a 12`, `5-6 p.m.`.

use jiff::civil::{Date, Time};

use super::Reader;
use super::calendar::{add, date, days_between, nearest_years};
use super::clock::Clock;
use super::fragment::Fragment;
use super::words::Unit;
use crate::extract::number;
use crate::extract::tokens::Class;

/// Hours from one to another, with each possible reading.
#[derive(Clone, Debug)]
pub(super) struct Hours {
    pub(super) spans: Vec<(String, String, Time, Time)>,
    pub(super) end: usize,
    /// Whether something besides two numbers says that these are hours.
    pub(super) certain: bool,
}

/// Either end of a range of days.
#[derive(Clone, Debug)]
enum End {
    /// A number that takes its month from the other end.
    Number(u32),
    Written {
        year: Option<i32>,
        month: i8,
        day: u32,
    },
    Fixed(Vec<Date>),
}

impl Reader<'_, '_> {
    /// Days from one to another.
    pub(super) fn range(&self, at: usize) -> Option<Fragment> {
        let opener =
            self.tokens.follow_any(at, &["entre", "desde", "de", "del", "between", "from"]);
        let first_at = self.skip_article(opener.unwrap_or(at));
        if opener.is_none() && self.tokens.is(at, Class::Digits) && self.touches_digits(at) {
            return None;
        }
        let (first, end) = self.range_end(first_at)?;
        let joints: &[&str] = match self.tokens.text(at) {
            "entre" | "between" => &["y", "~", "-", "hacia", "a", "and", "al"],
            _ if opener.is_some() => &["hasta", "a", "al", "-", "~", "to", "hacia"],
            _ => &["-", "a", "al", "hasta", "to"],
        };
        let joint = self.tokens.follow_any(end, joints)?;
        let (second, last) = self.range_end(self.skip_article(joint))?;
        // `lunes a viernes` without an opening word is as often a habit as a stretch.
        let habit = opener.is_none()
            && matches!(first, End::Fixed(_))
            && matches!(self.tokens.text(end), "a" | "al");
        if matches!(second, End::Number(_)) || habit {
            return None;
        }
        let runs_on =
            self.tokens.text(last) == "-" && self.tokens.glued(last) && self.tokens.glued(last + 1);
        if runs_on {
            return None;
        }
        let spans = self.pair(&first, &second)?;
        let (start, stop) = *spans.first()?;
        let timex = format!("({start},{stop},P{}D)", days_between(start, stop));
        Some(Fragment::days(at, last, &timex, &spans))
    }

    pub(super) fn skip_article(&self, at: usize) -> usize {
        self.tokens.follow_any(at, &["el dia", "el", "la", "los", "las"]).unwrap_or(at)
    }

    fn range_end(&self, at: usize) -> Option<(End, usize)> {
        if let Some(written) =
            self.written_here(at).filter(|written| !self.is_half_of_day(written.end))
        {
            let end = End::Written { year: written.year, month: written.month, day: written.day };
            return Some((end, written.end));
        }
        if let Some((day, next)) = self.day_number(at)
            && self.tokens.text(next) == "el"
            && let Some((month, year, end)) = self.month_and_year(next + 1)
        {
            return Some((End::Written { year, month, day }, end));
        }
        if let Some((month, year, end)) = self.month_and_year(at) {
            return Some((End::Written { year, month, day: 1 }, end));
        }
        if let Some(day) = self.day(at) {
            return Some((End::Fixed(day.dates), day.end));
        }
        if let Some(quarter) = self.coded_quarter_start(at) {
            return Some(quarter);
        }
        if let Some((year, end)) = self.year(at).filter(|_| self.tokens.is(at, Class::Digits)) {
            return Some((End::Fixed(vec![date(year, 1, 1)?]), end));
        }
        if matches!(self.tokens.text(at), "ahora" | "now") {
            return Some((End::Fixed(vec![self.now.date()]), at + 1));
        }
        let (number, end) = number::small_whole(self.tokens, at)?;
        (1..=31).contains(&number).then_some((End::Number(number), end))
    }

    fn coded_quarter_start(&self, at: usize) -> Option<(End, usize)> {
        let year =
            self.tokens.text(at).parse::<i32>().ok().filter(|_| self.tokens.text(at).len() == 4)?;
        let mark = at + 1 + usize::from(self.tokens.text(at + 1) == "-");
        let quarter: i8 =
            self.tokens.text(mark + 1).parse().ok().filter(|q| (1..=4).contains(q))?;
        (self.tokens.text(mark) == "t").then_some(())?;
        Some((End::Fixed(vec![date(year, (quarter - 1) * 3 + 1, 1)?]), mark + 2))
    }

    fn pair(&self, first: &End, second: &End) -> Option<Vec<(Date, Date)>> {
        let lasts = self.dates_of(second)?;
        let firsts = match (first, second) {
            (End::Number(day), End::Written { year, month, .. }) => {
                self.dates_of(&End::Written { year: *year, month: *month, day: *day })?
            }
            (End::Written { year: None, month, day }, End::Written { year: Some(year), .. }) => {
                let same = date(*year, *month, *day)?;
                vec![if same < *lasts.first()? { same } else { add(same, -1, Unit::Year)? }]
            }
            (End::Number(_), _) => return None,
            _ => self.dates_of(first)?,
        };
        let pairs: Vec<_> = match (firsts.as_slice(), lasts.as_slice()) {
            ([start], lasts) => lasts
                .iter()
                .find(|end| *end > start)
                .map(|end| (*start, *end))
                .into_iter()
                .collect(),
            (firsts, [end]) => firsts
                .iter()
                .rev()
                .find(|start| *start < end)
                .map(|start| (*start, *end))
                .into_iter()
                .collect(),
            (firsts, lasts) => firsts
                .iter()
                .copied()
                .zip(lasts.iter().copied())
                .filter(|(start, end)| start < end)
                .collect(),
        };
        if pairs.is_empty() {
            let (start, end) = (*firsts.first()?, *lasts.last()?);
            return (start < end).then(|| vec![(start, end)]);
        }
        Some(pairs)
    }

    fn dates_of(&self, end: &End) -> Option<Vec<Date>> {
        let dates = match end {
            End::Number(_) => return None,
            End::Written { year: Some(year), month, day } => vec![date(*year, *month, *day)?],
            End::Written { year: None, month, day } => nearest_years(self.now, *month, *day),
            End::Fixed(dates) => dates.clone(),
        };
        (!dates.is_empty()).then_some(dates)
    }

    /// Hours from one to another: `de 10 a 12`, `entre las 5 y las 6 de la tarde`, `5-6 p.m.`.
    pub(super) fn hours(&self, at: usize) -> Option<Hours> {
        const OPENERS: [&str; 12] = [
            "entre las",
            "entre la",
            "entre",
            "desde las",
            "desde la",
            "desde",
            "de las",
            "de la",
            "de",
            "between",
            "from",
            "las",
        ];
        const JOINTS: [&str; 14] = [
            "y las",
            "y la",
            "hasta las",
            "hasta la",
            "a las",
            "a la",
            "hasta",
            "y",
            "a",
            "-",
            "~",
            "to",
            "and",
            "al",
        ];
        let opener = self.tokens.follow_any(at, &OPENERS);
        // `el 15 a las 10` is a day and a time.
        if opener.is_none() && self.tokens.before(at) == "el" {
            return None;
        }
        let first_at = opener.unwrap_or(at);
        let first = self.bare_hour(first_at)?;
        let joint = self.tokens.follow_any(first.end, &JOINTS)?;
        let weak_joint = matches!(self.tokens.text(first.end), "y")
            && !self.tokens.text(at).starts_with("entre")
            && self.tokens.text(at) != "between";
        let second = self.bare_hour(joint).filter(|_| !weak_joint)?;
        let article = |at: usize| matches!(self.tokens.before(at), "las" | "la");
        let numbers =
            self.tokens.is(first_at, Class::Digits) || self.tokens.is(joint, Class::Digits);
        let certain = article(first_at) || article(joint) || !first.bare || !second.bare;
        if !certain && (!numbers || first.hour > 24 || second.hour > 24) {
            return None;
        }
        let spans = hour_spans(&first, &second);
        (!spans.is_empty()).then_some(Hours { spans, end: second.end, certain })
    }
}

/// Each first hour with the nearest last hour after it; if only one of the two is ambiguous, only
/// the nearest pair.
fn hour_spans(first: &Clock, second: &Clock) -> Vec<(String, String, Time, Time)> {
    let lasts = second.readings();
    let mut spans: Vec<_> = first
        .readings()
        .into_iter()
        .filter_map(|(timex, start)| {
            let (last, end) =
                lasts.iter().filter(|(_, end)| *end > start).min_by_key(|(_, end)| *end)?;
            Some((timex, last.clone(), start, *end))
        })
        .collect();
    if !second.ambiguous && spans.len() > 1 {
        // Both spans end at the same time, so the later start is the shorter stretch.
        spans.sort_by_key(|(_, _, start, _)| *start);
        spans.drain(..spans.len() - 1);
    }
    spans
}
