//! The profile of a business at a moment: whether it is open, and when it opens next.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::civil::{Date, DateTime};
use pack::files::{Commerce, Stretch};
use sentences::Hours;
use serde_json::{Value, json};

use super::spec::Spec;
use crate::form::say::join;

/// As far ahead as the next opening is looked for.
const DAYS_AHEAD: i64 = 14;

/// The profile of a business, its words for hours, and the facts of it that no moment changes.
pub(super) struct Business {
    profile: Commerce,
    own: Arc<Hours>,
    /// The word that joins the last two parts of a list.
    and: String,
    told: Value,
    week: Value,
}

impl Business {
    pub(super) fn new(profile: Commerce, own: Arc<Hours>, and: String) -> Self {
        let told = serde_json::to_value(&profile).unwrap_or_default();
        let business = Self { profile, own, and, told, week: Value::Null };
        Self { week: json!(business.week()), ..business }
    }

    fn is_open(&self, now: DateTime) -> bool {
        let minute = minute(now);
        let (stretches, _) = self.on(now.date());
        stretches.iter().any(|stretch| (stretch.opens..stretch.closes).contains(&minute))
    }

    /// The hours of a day, and the holiday it is.
    fn on(&self, date: Date) -> (&[Stretch], Option<&str>) {
        let (every, once) =
            (date.strftime("%m-%d").to_string(), date.strftime("%Y-%m-%d").to_string());
        let holidays = &self.profile.holidays;
        // A holiday of this year goes before the same day of every year.
        let holiday = holidays.iter().find(|day| day.date == once);
        match holiday.or_else(|| holidays.iter().find(|day| day.date == every)) {
            Some(holiday) => (&holiday.hours, Some(&holiday.name)),
            None => (self.profile.hours.days()[weekday(date)], None),
        }
    }

    /// A week, days with the same hours together: «de lunes a viernes de 9 a 20hs y sábados de 10 a
    /// 14hs».
    fn week(&self) -> String {
        let days = self.profile.hours.days();
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for day in 0..days.len() {
            match groups.last_mut() {
                Some((_, last)) if days[*last] == days[day] && *last + 1 == day => *last = day,
                _ => groups.push((day, day)),
            }
        }
        let open = groups.into_iter().filter(|(first, _)| !days[*first].is_empty());
        let said = open.map(|(first, last)| {
            let own = &self.own;
            let together = match last - first {
                0 => own.every(first),
                1 => own.two_days(&own.every(first), &own.every(last)),
                _ => own.span_of_days(&own.weekday(first), &own.weekday(last)),
            };
            own.days_with_hours(&together, &self.stretches(days[first]))
        });
        join(&said.collect::<Vec<_>>(), &self.and)
    }

    /// «de 9 a 13 y de 17 a 21hs».
    fn stretches(&self, stretches: &[Stretch]) -> String {
        let said = stretches
            .iter()
            .map(|stretch| self.own.stretch(&self.hour(stretch.opens), &self.hour(stretch.closes)));
        self.own.stretches(&join(&said.collect::<Vec<_>>(), &self.and))
    }

    fn hour(&self, minutes: u16) -> String {
        match minutes % 60 {
            0 => self.own.on_the_hour(&(minutes / 60).to_string()),
            rest => format!("{}:{rest:02}", minutes / 60),
        }
    }

    fn today(&self, date: Date) -> String {
        let (hours, holiday) = self.on(date);
        let day = holiday.map_or_else(|| self.own.today(), |name| self.own.holiday(name));
        match hours {
            [] => self.own.closed(&day),
            hours => self.own.open(&day, &self.stretches(hours)),
        }
    }

    /// When it opens next: «hoy a las 17», «mañana a las 9», «el lunes a las 9»; empty if it never
    /// does.
    fn opens_next(&self, now: DateTime) -> String {
        let minute = minute(now);
        for ahead in 0..DAYS_AHEAD {
            let Ok(date) = now.date().checked_add(jiff::Span::new().days(ahead)) else { break };
            let opens = self.on(date).0.iter().map(|stretch| stretch.opens);
            let next = opens.filter(|opens| ahead > 0 || *opens > minute).min();
            let Some(opens) = next else { continue };
            let (own, day) = (&self.own, self.own.weekday(weekday(date)));
            let day = match ahead {
                0 => own.today(),
                1 => own.tomorrow(),
                2..7 => own.this_week(&day),
                _ => own.next_week(&day),
            };
            let time = self.hour(opens);
            return match opens / 60 {
                1 => own.opens_at_one(&day, &time),
                _ => own.opens_at(&day, &time),
            };
        }
        String::new()
    }
}

/// The profile at a moment. Most turns ask for one fact or none, so each is made when it is asked for.
pub(super) struct Moment<'a> {
    business: Option<&'a Business>,
    now: DateTime,
}

impl<'a> Moment<'a> {
    pub(super) fn new(spec: &'a Spec, now: domain::Timestamp) -> Self {
        let now = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or_default();
        let now = now.to_zoned(spec.time_zone.clone()).datetime();
        Self { business: spec.business.as_ref(), now }
    }

    /// A fact of the moment; nothing is closed that says no hours.
    pub(super) fn fact(&self, name: &str) -> Option<Cow<'a, Value>> {
        let Some(business) = self.business else { return unknown(name) };
        Some(match name {
            "abierto" => Cow::Owned(json!(business.is_open(self.now))),
            "horario" => Cow::Borrowed(&business.week),
            "horario_hoy" => Cow::Owned(json!(business.today(self.now.date()))),
            "abre" => Cow::Owned(json!(business.opens_next(self.now))),
            "comercio" => Cow::Borrowed(&business.told),
            _ => return None,
        })
    }
}

fn unknown(name: &str) -> Option<Cow<'static, Value>> {
    Some(Cow::Owned(match name {
        "abierto" => json!(true),
        "horario" | "horario_hoy" | "abre" => json!(""),
        "comercio" => json!({}),
        _ => return None,
    }))
}

fn minute(at: DateTime) -> u16 {
    u16::from(at.hour().unsigned_abs()) * 60 + u16::from(at.minute().unsigned_abs())
}

/// The day of the week, counted from Monday.
fn weekday(date: Date) -> usize {
    usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pack::files::{self, Holiday};

    fn shop() -> Commerce {
        let stretch = |text: &str| Stretch::try_from(text.to_owned()).unwrap();
        let all_day = || vec![stretch("9:00-20:00")];
        Commerce {
            hours: files::Hours {
                lunes: all_day(),
                martes: all_day(),
                miercoles: all_day(),
                jueves: all_day(),
                viernes: all_day(),
                sabado: vec![stretch("10:00-14:00")],
                domingo: Vec::new(),
            },
            holidays: vec![
                Holiday { date: "12-25".into(), name: "Navidad".into(), hours: Vec::new() },
                Holiday {
                    date: "2026-12-24".into(),
                    name: "Nochebuena".into(),
                    hours: vec![stretch("9:30-13:00")],
                },
            ],
            ..Commerce::default()
        }
    }

    fn business(profile: Commerce, locale: &str) -> Business {
        let and = if locale.starts_with("en") { "and" } else { "y" };
        Business::new(profile, Arc::new(Hours::of(locale)), and.to_owned())
    }

    #[test]
    fn a_moment_is_open_or_closed_by_the_day_its_hours_and_holidays() {
        for (at, open, today_is, next) in [
            ("2026-11-17T08:59", false, "hoy de 9 a 20hs", "hoy a las 9"),
            ("2026-11-17T09:00", true, "hoy de 9 a 20hs", "mañana a las 9"),
            ("2026-11-17T19:59", true, "hoy de 9 a 20hs", "mañana a las 9"),
            ("2026-11-17T20:00", false, "hoy de 9 a 20hs", "mañana a las 9"),
            ("2026-11-21T14:30", false, "hoy de 10 a 14hs", "el lunes a las 9"),
            ("2026-11-22T12:00", false, "hoy cerrado", "mañana a las 9"),
            ("2026-12-24T13:00", false, "hoy, Nochebuena, de 9:30 a 13hs", "el sábado a las 10"),
            ("2026-12-25T12:00", false, "hoy, Navidad, cerrado", "mañana a las 10"),
            ("2027-12-24T12:00", true, "hoy de 9 a 20hs", "el lunes a las 9"),
        ] {
            let now: DateTime = at.parse().unwrap();
            let shop = business(shop(), "es-AR");
            let told = (shop.is_open(now), shop.today(now.date()), shop.opens_next(now));
            assert_eq!(told, (open, today_is.to_owned(), next.to_owned()), "{at}");
        }
        let never = business(Commerce::default(), "es-AR");
        assert_eq!(never.opens_next("2026-11-17T08:59".parse().unwrap()), "");
    }

    #[test]
    fn a_shop_says_when_it_opens_in_its_own_language() {
        for (locale, at, today, next) in [
            (
                "en-US",
                "2026-12-24T13:00",
                "today, Nochebuena, from 9:30 to 13:00",
                "on Saturday at 10:00",
            ),
            ("en-US", "2026-11-22T12:00", "today closed", "tomorrow at 9:00"),
            ("es-CO", "2026-11-21T14:30", "hoy de 10 a 14 h", "el lunes a las 9"),
        ] {
            let (shop, now) = (business(shop(), locale), at.parse::<DateTime>().unwrap());
            let told = (shop.today(now.date()), shop.opens_next(now));
            assert_eq!(told, (today.to_owned(), next.to_owned()), "{locale} {at}");
        }
        let mut rare = Commerce::default();
        rare.hours.lunes = vec![Stretch::try_from("1:30-2:00".to_owned()).unwrap()];
        for (locale, next) in [
            ("es-AR", "el lunes de la otra semana a la 1:30"),
            ("es-CO", "el lunes de la próxima semana a la 1:30"),
            ("en-US", "on Monday of next week at 1:30"),
        ] {
            let told =
                business(rare.clone(), locale).opens_next("2026-11-16T02:00".parse().unwrap());
            assert_eq!(told, next, "{locale}");
        }
    }

    #[test]
    fn a_week_is_told_with_equal_days_together() {
        for (locale, said) in [
            ("es-AR", "de lunes a viernes de 9 a 20hs y sábados de 10 a 14hs"),
            ("es-CO", "de lunes a viernes de 9 a 20 h y sábados de 10 a 14 h"),
            ("en-US", "Monday to Friday from 9:00 to 20:00 and Saturdays from 10:00 to 14:00"),
        ] {
            assert_eq!(business(shop(), locale).week(), said);
        }
        let mut split = shop();
        let stretch = |text: &str| Stretch::try_from(text.to_owned()).unwrap();
        split.hours.lunes = vec![stretch("9:00-13:00"), stretch("17:00-21:30")];
        split.hours.martes = split.hours.lunes.clone();
        split.hours.sabado.clear();
        let said =
            "lunes y martes de 9 a 13 y de 17 a 21:30hs y de miércoles a viernes de 9 a 20hs";
        assert_eq!(business(split, "es-AR").week(), said);
        assert_eq!(business(Commerce::default(), "es-AR").week(), "");
    }
}
