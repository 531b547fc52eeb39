//! The shop's own profile: hours, place, policies, payment, delivery, as its owner wrote them.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};

use super::asked::Asked;

/// Where the profile is kept.
const KIND: &str = "commerce";
const ID: &str = "profile";

/// What a profile may say.
const FIELDS: [&str; 6] = ["name", "address", "hours", "policies", "payment_methods", "delivery"];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
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
pub(super) struct PaymentMethods {}

#[async_trait]
impl Deed for Asked<Profile> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let topic = self.input.topic.unwrap_or(Topic::All);
        said(records, topic.fields()).await
    }
}

#[async_trait]
impl Deed for Asked<PaymentMethods> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        said(records, &["payment_methods"]).await
    }
}

/// What the profile says of these. If it says nothing of the last, which is what was asked for,
/// that is a refusal, so that nothing is made up.
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

/// What the profile says, or nothing if there is none.
pub struct ShowProfile;

#[async_trait]
impl Deed for ShowProfile {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(records.document(KIND, ID).await?.unwrap_or_default())
    }
}
