//! Dates and times relative to now: days, times, both, stretches, lengths and repetitions.

mod calendar;
mod clock;
mod day;
mod duration;
mod fragment;
mod modified;
mod moment;
mod nth;
mod period;
mod ranges;
mod words;
mod written;

use jiff::civil::DateTime;

pub use self::moment::{At, Moment, MomentKind, Point, Reading};

use self::clock::{Clock, half_of};
use self::day::Day;
use self::fragment::Fragment;
use self::words::{part, pointer};
use super::candidate::{Candidate, rank};
use super::country::Country;
use super::number;
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::Value;

/// The tokens and settings that every reader of this module needs.
struct Reader<'r, 't> {
    tokens: &'r Tokens<'t>,
    now: DateTime,
    month_first: bool,
    comma: bool,
}

pub(super) fn find(
    tokens: &Tokens<'_>,
    now: DateTime,
    country: Country,
    found: &mut Vec<Candidate>,
) {
    let reader = Reader {
        tokens,
        now,
        month_first: country.writes_month_first(),
        comma: country.writes_decimal_comma(),
    };
    let mut from = 0;
    while let Some(at) = tokens.seek(from, Marks::MOMENT) {
        match reader.longest(at) {
            Some(fragment) => {
                from = fragment.end.max(at + 1);
                let span = tokens.span(fragment.start, fragment.end);
                let rank = if fragment.weak { rank::WEAK } else { rank::DATE };
                let moment = fragment.into_moment(now);
                if !moment.readings.is_empty() {
                    found.push(Candidate::new(span, Value::Moment(moment), rank));
                }
            }
            None => from = at + 1,
        }
    }
}

/// Whether a moment may begin at an index that has these other marks. A word that only links begins
/// a moment if the word after it does.
pub(super) fn leads(tokens: &Tokens<'_>, at: usize, marks: Marks) -> bool {
    let word = tokens.text(at);
    if words::links(word) && !is_one(tokens, at) {
        return tokens.is_marked(at + 1, Marks::MOMENT);
    }
    marks.meets(Marks::NUMBER | Marks::PLACE) || words::tells(word)
}

/// Whether an article counts, as an hour or a day or as part of a longer number.
fn is_one(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.text(at), "a" | "un" | "una")
        && (matches!(tokens.before(at), "el" | "la" | "las" | "at")
            || number::goes_on(tokens, at + 1))
}

impl Reader<'_, '_> {
    /// The longest fragment at an index; of equals the first.
    fn longest(&self, at: usize) -> Option<Fragment> {
        // Most words that may lead to a moment begin none, and asking every reader about them would
        // cost most.
        let word = self.tokens.text(at);
        let numeral = || {
            number::small_whole(self.tokens, at).is_some() || word == "mil" || word == "primeros"
        };
        if !(self.tokens.is(at, Class::Digits)
            || words::begins(word)
            || numeral()
            || self.nth(at).is_some())
        {
            return None;
        }
        let plain = self.plain(at);
        let modified = self.modified(at, plain.as_ref());
        let fragments = [self.repetition(at), plain, modified];
        let mut best: Option<Fragment> = None;
        for fragment in fragments.into_iter().flatten() {
            if best.as_ref().is_none_or(|best| fragment.end > best.end) {
                best = Some(fragment);
            }
        }
        best
    }

    /// The longest fragment at an index without words that open or shift it.
    fn plain(&self, at: usize) -> Option<Fragment> {
        let fragments = [
            self.point(at),
            self.hours_alone(at),
            self.range(at),
            self.away(at),
            self.period(at),
            self.duration(at),
            self.part_alone(at),
        ];
        let mut best: Option<Fragment> = None;
        for fragment in fragments.into_iter().flatten() {
            if best.as_ref().is_none_or(|best| fragment.end > best.end) {
                best = Some(fragment);
            }
        }
        best
    }

    /// A day, a time, or a day with a time, hours or a part of it.
    fn point(&self, at: usize) -> Option<Fragment> {
        self.today_part(at)
            .or_else(|| self.present(at))
            .or_else(|| self.day_first(at))
            .or_else(|| self.clock_first(at))
            .or_else(|| self.part_first(at))
    }

    fn present(&self, at: usize) -> Option<Fragment> {
        let end = self.tokens.follow_any(at, &["ahora mismo", "ya mismo", "right now"])?;
        let now = At::Point(Point::DateTime(self.now));
        Some(Fragment::new(at, end, MomentKind::DateTime, vec![("PRESENT_REF".to_owned(), now)]))
    }

    /// `esta tarde`, `esta noche a las 9`.
    fn today_part(&self, at: usize) -> Option<Fragment> {
        let (part, end) = match self.tokens.text(at) {
            "tonight" => (part("tonight")?, at + 1),
            word => {
                pointer(word).filter(|away| *away == 0)?;
                (part(self.tokens.text(at + 1))?, at + 2)
            }
        };
        let today = Day::on(self.now.date(), end);
        if let Some(clock) = self.clock_after(end) {
            let clock = clock.in_half(half_of(part));
            return Some(Fragment::day_and_clock(at, clock.end, &today, &clock));
        }
        Some(Fragment::day_and_part(at, end, &today, part))
    }

    /// The time that follows a day: `a las 5`, `, 10:30`, `11.00 a.m.`.
    fn clock_after(&self, end: usize) -> Option<Clock> {
        const CUES: [&str; 12] = [
            "a las",
            "a la",
            ", a las",
            ", a la",
            "alrededor de las",
            "sobre las",
            "a eso de las",
            "tipo",
            "at",
            "las",
            "- a las",
            "tipo las",
        ];
        if let Some(next) = self.tokens.follow_any(end, &CUES)
            && let Some(clock) = self.clock(next, true)
        {
            return Some(clock);
        }
        let next = self.tokens.follow_any(end, &["al", ", al", ",", "-", "t"]).unwrap_or(end);
        self.clock(next, false)
    }

    fn day_first(&self, at: usize) -> Option<Fragment> {
        let day = self.day(at)?;
        let hours_at = self.tokens.follow_any(day.end, &[",", "-"]).unwrap_or(day.end);
        if let Some(hours) = self.hours(hours_at) {
            let end = self.part_of_day(hours.end).map_or(hours.end, |(_, end)| end);
            return Some(Fragment::day_and_hours(at, end, &day, &hours.spans));
        }
        if let Some((part, end)) = self.part_of_day(day.end) {
            if let Some(clock) = self.clock_after(end) {
                let clock = clock.in_half(half_of(part));
                return Some(Fragment::day_and_clock(at, clock.end, &day, &clock));
            }
            let week = self.tokens.follow_any(end, &["de la", "la", "de"]).unwrap_or(end);
            if let (Some((weeks, end)), [first, ..]) =
                (self.pointed_week(week), day.dates.as_slice())
            {
                let date = calendar::weekday_of_week(self.now.date(), first.weekday(), weeks)?;
                return Some(Fragment::day_and_part(at, end, &Day::on(date, end), part));
            }
            return Some(Fragment::day_and_part(at, end, &day, part));
        }
        let night = part("noche").filter(|_| self.tokens.text(at) == "anoche");
        if let Some(clock) = self.clock_after(day.end) {
            let clock = night.map_or(clock.clone(), |night| clock.in_half(half_of(night)));
            return Some(self.with_late_year(at, &day, &clock));
        }
        Some(match night {
            Some(night) => Fragment::day_and_part(at, day.end, &day, night),
            None => Fragment::day(at, &day),
        })
    }

    /// `Mié 26 de octubre 15:50:06 2016`: the year after the time.
    fn with_late_year(&self, at: usize, day: &Day, clock: &Clock) -> Fragment {
        if let (Some((year, end)), [date, ..]) = (self.year(clock.end), day.dates.as_slice())
            && day.timex.starts_with("XXXX")
            && let Some(date) =
                calendar::date(year, date.month(), u32::from(date.day().unsigned_abs()))
        {
            return Fragment::day_and_clock(at, end, &Day::on(date, end), clock);
        }
        Fragment::day_and_clock(at, clock.end, day, clock)
    }

    /// Whether the words before an index make a bare number an hour: `a las`, `son las`.
    fn is_cued(&self, at: usize) -> bool {
        let article = self.tokens.before(at);
        let before = at.checked_sub(2).map_or("", |at| self.tokens.text(at));
        let hour = matches!(article, "las") || article == "la" && self.tokens.text(at) == "una";
        hour && matches!(
            before,
            "a" | "son" | "es" | "sobre" | "desde" | "hasta" | "para" | "tipo" | "de" | ""
        ) || article == "at"
    }

    fn clock_first(&self, at: usize) -> Option<Fragment> {
        let cued = self.is_cued(at);
        let clock = self.clock(at, cued)?;
        let joined = self.tokens.follow_any(
            clock.end,
            &[
                "de el", "del dia", "de", "del", ", el dia", ", el", ", del", ",", "el dia", "el",
                "on",
            ],
        );
        let of_the_day = self
            .tokens
            .follow_any(clock.end, &["del", "del dia", "el"])
            .and_then(|next| Some((self.day_number(next)?, next)))
            .filter(|((_, end), _)| !self.tokens.glued(*end))
            .and_then(|((number, end), _)| self.nth_of_month(number, end));
        let next = joined.unwrap_or(clock.end);
        if let Some(day) = self.day(next).or_else(|| self.day(clock.end)).or(of_the_day) {
            return Some(match self.part_of_day(day.end) {
                Some((part, end)) => {
                    Fragment::day_and_clock(at, end, &day, &clock.in_half(half_of(part)))
                }
                None => Fragment::day_and_clock(at, day.end, &day, &clock),
            });
        }
        if let Some(part) = part(self.tokens.text(clock.end + 1))
            .filter(|_| pointer(self.tokens.text(clock.end)) == Some(0))
        {
            let end = clock.end + 2;
            let clock = clock.in_half(half_of(part));
            return Some(Fragment::day_and_clock(at, end, &Day::on(self.now.date(), end), &clock));
        }
        Some(Fragment::clock(at, &clock))
    }

    /// `por la mañana a las 7`, `noche de 4 Mar`.
    fn part_first(&self, at: usize) -> Option<Fragment> {
        if let Some((part, end)) = self.part_of_day(at)
            && let Some(clock) = self
                .tokens
                .follow_any(end, &["a las", "a la"])
                .and_then(|next| self.clock(next, true))
        {
            return Some(Fragment::clock(at, &clock.in_half(half_of(part))));
        }
        let part = part(self.tokens.text(at))?;
        let next = self.tokens.follow_any(at + 1, &["del", "de el", "de"])?;
        let day = self.day(next)?;
        Some(Fragment::day_and_part(at, day.end, &day, part))
    }

    /// `la mañana`, without the word that leads it in.
    fn part_alone(&self, at: usize) -> Option<Fragment> {
        let led = matches!(self.tokens.before(at), "por" | "en" | "a" | "durante" | "de");
        if self.tokens.text(at) != "la" || !led {
            return None;
        }
        let part = part(self.tokens.text(at + 1))?;
        Some(Fragment::part(at, at + 2, part))
    }

    fn hours_alone(&self, at: usize) -> Option<Fragment> {
        let hours = self.hours(at)?;
        let next = self
            .tokens
            .follow_any(hours.end, &["de el", "del", "de", "el", ", el", ","])
            .unwrap_or(hours.end);
        if let Some(day) = self.day(next) {
            let end = self.part_of_day(day.end).map_or(day.end, |(_, end)| end);
            return Some(Fragment::day_and_hours(at, end, &day, &hours.spans));
        }
        if !hours.certain {
            return None;
        }
        let readings = hours.spans.iter().map(|(first, last, start, end)| {
            let between =
                At::Between { start: Some(Point::Time(*start)), end: Some(Point::Time(*end)) };
            (format!("({first},{last})"), between)
        });
        Some(Fragment::new(at, hours.end, MomentKind::TimeRange, readings.collect()))
    }
}
