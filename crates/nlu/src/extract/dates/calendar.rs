//! Arithmetic of dates that the readers share: weeks, months, the nearest day before and after now.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Weekday};

use super::words::Unit;

/// Adds a number of units; `None` if the calendar ends before that.
pub(super) fn add(date: Date, amount: i64, unit: Unit) -> Option<Date> {
    let amount = i32::try_from(amount).ok()?;
    // Larger spans lie outside the calendar, and jiff refuses them with a panic.
    let within = |most: i32| (-most..=most).contains(&amount);
    let span = match unit {
        Unit::Year if within(9_000) => amount.years(),
        Unit::HalfYear if within(9_000) => (6 * amount).months(),
        Unit::Quarter if within(9_000) => (3 * amount).months(),
        Unit::Month if within(100_000) => amount.months(),
        Unit::Week | Unit::Weekend if within(400_000) => amount.weeks(),
        Unit::Day | Unit::BusinessDay if within(3_000_000) => amount.days(),
        _ => return None,
    };
    date.checked_add(span).ok()
}

pub(super) fn add_seconds(at: DateTime, seconds: i64) -> Option<DateTime> {
    const MOST: i64 = 300_000_000_000;
    if !(-MOST..=MOST).contains(&seconds) {
        return None;
    }
    at.checked_add(seconds.seconds()).ok()
}

pub(super) fn date(year: i32, month: i8, day: u32) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?).ok()
}

pub(super) fn monday(date: Date) -> Option<Date> {
    let back = i64::from(date.weekday().to_monday_zero_offset());
    add(date, -back, Unit::Day)
}

/// The weekday of the week that is `weeks` from this week.
pub(super) fn weekday_of_week(today: Date, weekday: Weekday, weeks: i64) -> Option<Date> {
    let start = add(monday(today)?, weeks, Unit::Week)?;
    add(start, weekday.to_monday_zero_offset().into(), Unit::Day)
}

/// The last such weekday before today, and the next one, which may be today.
pub(super) fn nearest_weekdays(today: Date, weekday: Weekday) -> Vec<Date> {
    let Some(this) = weekday_of_week(today, weekday, 0) else { return Vec::new() };
    let (past, next) = if this < today { (0, 7) } else { (-7, 0) };
    [past, next].into_iter().filter_map(|days| add(this, days, Unit::Day)).collect()
}

/// The last such date before now, and the next one.
pub(super) fn nearest_years(now: DateTime, month: i8, day: u32) -> Vec<Date> {
    let year = i32::from(now.year());
    let over = |date: Date| date.to_datetime(jiff::civil::Time::midnight()) < now;
    let past = (0..8).filter_map(|back| date(year - back, month, day)).find(|d| over(*d));
    let next = (0..8).filter_map(|ahead| date(year + ahead, month, day)).find(|d| !over(*d));
    past.into_iter().chain(next).collect()
}

/// The last such day of a month before now, and the next one.
pub(super) fn nearest_months(now: DateTime, day: u32, fits: impl Fn(Date) -> bool) -> Vec<Date> {
    let first = now.date().first_of_month();
    let in_month = |months: i64| {
        let first = add(first, months, Unit::Month)?;
        date(first.year().into(), first.month(), day).filter(|date| fits(*date))
    };
    let over = |date: &Date| date.to_datetime(jiff::civil::Time::midnight()) < now;
    let past = (0..14).filter_map(|back| in_month(-back)).find(over);
    let next = (0..14).filter_map(in_month).find(|date| !over(date));
    past.into_iter().chain(next).collect()
}

pub(super) fn week_timex(date: Date) -> String {
    let week = date.iso_week_date();
    format!("{:04}-W{:02}", week.year(), week.week())
}

pub(super) fn days_between(start: Date, end: Date) -> i64 {
    start.until(end).map_or(0, |span| i64::from(span.get_days()))
}
