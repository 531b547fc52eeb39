//! The shop's own profile: hours, place, policies, payment, delivery, as its owner wrote them.

use async_trait::async_trait;
use pack::files::Commerce;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};

use crate::Request;

/// Where the profile is kept.
const KIND: &str = "commerce";
const ID: &str = "profile";

/// The fields that a profile may have.
const FIELDS: [&str; 9] = [
    "name",
    "about",
    "address",
    "phone",
    "hours",
    "holidays",
    "policies",
    "payment_methods",
    "delivery",
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Everything if left out.
    topic: Option<Topic>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Topic {
    Hours,
    Location,
    Policies,
    Delivery,
    All,
}

impl Topic {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Hours => &["name", "hours"],
            Self::Location => &["name", "address"],
            Self::Policies => &["name", "policies"],
            Self::Delivery => &["name", "delivery"],
            Self::All => &FIELDS,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentMethods {}

#[async_trait]
impl Deed for Request<Profile> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let topic = self.input.topic.unwrap_or(Topic::All);
        said(records, topic.fields()).await
    }
}

#[async_trait]
impl Deed for Request<PaymentMethods> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        said(records, &["payment_methods"]).await
    }
}

/// These fields of the profile. If the last, which was asked for, is missing, the call is refused,
/// so that nothing is made up.
async fn said(records: &mut dyn Records, fields: &[&str]) -> Result<Value, DeedError> {
    let profile = records.document(KIND, ID).await?.unwrap_or_default();
    let known: Map<_, _> = fields
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), profile.get(field)?.clone())))
        .collect();
    let asked = fields.last().copied().unwrap_or_default();
    if fields.len() <= 2 && !known.contains_key(asked) {
        return DeedError::refused(format!("the shop's profile does not say its `{asked}`"));
    }
    if known.is_empty() {
        return DeedError::refused("the shop has no profile");
    }
    Ok(Value::Object(known))
}

/// A pack's profile of its shop, as tools tell it.
pub fn profile(commerce: &Commerce) -> Value {
    json!({
        "name": commerce.name,
        "address": commerce.address,
        "phone": commerce.phone,
        "about": commerce.about,
        "hours": commerce.hours,
        "holidays": commerce.holidays,
        "payment_methods": commerce.payment,
        "delivery": commerce.delivery,
        "policies": commerce.policies,
    })
}

/// Writes the shop's profile down in the place of the one there was.
pub struct SetProfile(pub Value);

#[async_trait]
impl Deed for SetProfile {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Some(profile) = self.0.as_object() else {
            return DeedError::refused("a profile is an object");
        };
        if let Some(name) = profile.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            let known = FIELDS.join(", ");
            return DeedError::refused(format!("a profile says nothing of `{name}`, only {known}"));
        }
        let name = profile.get("name").and_then(Value::as_str);
        if name.is_none_or(|name| name.trim().is_empty()) {
            return DeedError::refused("a profile has the shop's `name`");
        }
        records.put_document(KIND, ID, Some(&self.0)).await?;
        Ok(json!({ "fields": profile.keys().collect::<Vec<_>>() }))
    }
}

/// The whole profile; null if there is none.
pub struct ShowProfile;

#[async_trait]
impl Deed for ShowProfile {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(records.document(KIND, ID).await?.unwrap_or_default())
    }
}
