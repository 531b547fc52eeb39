//! The cart of a session: what it holds, at today's prices.

mod change;
mod repeat;
mod review;

pub(super) use change::{Add, Clear, Remove, SetNotes, Update};
pub(super) use repeat::RepeatLastOrder;
pub(super) use review::{Reviewed, shortage};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Deed, DeedError, Records};

use super::asked::Asked;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Get {}

#[async_trait]
impl Deed for Asked<Get> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Reviewed::read(records, self.caller.session).await?.view()
    }
}
