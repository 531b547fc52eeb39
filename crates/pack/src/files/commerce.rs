//! The profile of a business: when it is open, where it is, how it is paid, where it delivers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a business is open, where it is, how it is paid, where it delivers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Commerce {
    /// The name of the business.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// Where it can be called.
    pub phone: String,
    /// The business, in a sentence.
    pub about: String,
    /// When it is open on each day of the week.
    pub hours: Hours,
    /// Days on which other hours hold.
    pub holidays: Vec<Holiday>,
    /// How it is paid.
    pub payment: Vec<PaymentWay>,
    /// Where it delivers.
    pub delivery: Delivery,
    /// Other promises of the business, by topic.
    pub policies: BTreeMap<String, String>,
}

/// When it is open on each day, as `9:00-13:00`; none is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hours {
    /// On Monday.
    pub lunes: Vec<Stretch>,
    /// On Tuesday.
    pub martes: Vec<Stretch>,
    /// On Wednesday.
    pub miercoles: Vec<Stretch>,
    /// On Thursday.
    pub jueves: Vec<Stretch>,
    /// On Friday.
    pub viernes: Vec<Stretch>,
    /// On Saturday.
    pub sabado: Vec<Stretch>,
    /// On Sunday.
    pub domingo: Vec<Stretch>,
}

impl Hours {
    /// From Monday on.
    pub fn days(&self) -> [&[Stretch]; 7] {
        [
            &self.lunes,
            &self.martes,
            &self.miercoles,
            &self.jueves,
            &self.viernes,
            &self.sabado,
            &self.domingo,
        ]
    }
}

/// From one time of day to another, in minutes after midnight; written as `9:00-20:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stretch {
    pub opens: u16,
    pub closes: u16,
}

impl TryFrom<String> for Stretch {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no stretch of a day: write it as 9:00-20:00");
        let (opens, closes) = text.split_once('-').ok_or_else(wrong)?;
        let minutes = |time: &str| {
            let (hour, minute) = time.trim().split_once(':')?;
            let (hour, minute) = (hour.parse::<u16>().ok()?, minute.parse::<u16>().ok()?);
            (minute < 60 && hour * 60 + minute <= 24 * 60).then_some(hour * 60 + minute)
        };
        let opens = minutes(opens).ok_or_else(wrong)?;
        let closes = minutes(closes).ok_or_else(wrong)?;
        if closes <= opens {
            return Err(format!("`{text}` ends before it begins: a night is two stretches"));
        }
        Ok(Self { opens, closes })
    }
}

impl From<Stretch> for String {
    fn from(stretch: Stretch) -> Self {
        let time = |minutes: u16| format!("{}:{:02}", minutes / 60, minutes % 60);
        format!("{}-{}", time(stretch.opens), time(stretch.closes))
    }
}

impl JsonSchema for Stretch {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stretch".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": r"^([01]?[0-9]|2[0-4]):[0-5][0-9]-([01]?[0-9]|2[0-4]):[0-5][0-9]$",
            "patternErrorMessage": "from one time to another, such as 9:00-20:00",
        })
    }
}

/// A day on which other hours hold.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Holiday {
    /// A day of every year, as 12-25, or of one, as 2026-12-31.
    #[schemars(
        regex(pattern = r"^([0-9]{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
        extend("patternErrorMessage" = "a day such as 12-25 or 2026-12-31")
    )]
    pub date: String,
    /// The day's name, as people say it.
    pub name: String,
    /// When it is open all the same.
    #[serde(default)]
    pub hours: Vec<Stretch>,
}

/// A way to pay.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentWay {
    /// The name of the way to pay, as people say it.
    pub name: String,
    /// A remark for the customer.
    #[serde(default)]
    pub note: String,
}

/// Where it delivers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Delivery {
    /// The parts of town.
    pub zones: Vec<Zone>,
    /// A remark for the customer.
    pub note: String,
}

/// A part of town, and what it costs to deliver there.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// The area's name, as people say it.
    pub name: String,
    /// The cost of delivery there.
    pub cost: f64,
    /// From this amount on it costs nothing.
    #[serde(default)]
    pub free_from: Option<f64>,
}
