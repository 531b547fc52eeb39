//! A customer's calls to the shop's tools, made on a real store beside the node that serves it.

use std::sync::Arc;

use domain::{Caller, ContactId, ConversationId, SessionId, Timestamp, WorkspaceId};
use serde_json::Value;
use store::{Deed, DeedError, Store};
use tools::{Class, Registry, Tool};
use uuid::Uuid;

use crate::support::{self, Site, Via};

pub(crate) const NOON: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(crate) struct Till {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) caller: Caller,
    registry: Registry,
    calls: u128,
}

/// A deed that asks for the tool, and whether it only reads.
pub(crate) fn deed(
    registry: &Registry,
    caller: &Caller,
    tool: &str,
    input: &Value,
) -> (Arc<dyn Deed>, bool) {
    let offered = registry.get(tool).expect(tool);
    offered.check(input).expect("an input that fits");
    let Tool::Local(local) = &offered.tool else { panic!("{tool} is not local") };
    (local.deed(caller, input).expect("a deed"), offered.spec().class == Class::Safe)
}

impl Till {
    /// Of a customer who has written once, so that contact and conversation are there.
    pub(crate) async fn of_a_customer(site: &Site) -> Self {
        let node = site.start().await;
        let mut customer = support::Caller::new(site, Via::Infobip, 0);
        customer.says("hola").await;
        let conversation = site.conversation(&customer.address).await;
        support::rest(&[&node]).await;
        let shown = site.desk(&["conv", "show", &conversation]).await;
        let contact = shown["conversation"]["contact"]["id"].as_str().expect("a contact");
        let caller = Caller {
            workspace: WorkspaceId::from_slug("demo"),
            conversation: conversation.parse::<ConversationId>().expect("an id"),
            contact: contact.parse::<ContactId>().expect("an id"),
            session: SessionId(Uuid::from_u128(7)),
            authority: domain::Authority::Person,
        };
        node.kill().await;
        Self { store: open(site).await, caller, registry: Registry::builtin(), calls: 0 }
    }

    pub(crate) async fn call(&mut self, tool: &str, input: &Value) -> Result<Value, String> {
        let (deed, reads) = deed(&self.registry, &self.caller, tool, input);
        self.calls += 1;
        let id = Uuid::from_u128(self.calls);
        let workspace = self.caller.workspace;
        let ended = match reads {
            true => self.store.consult(workspace, deed, NOON).await,
            false => self.store.perform(workspace, "ana", tool, tool, id, deed, NOON).await,
        };
        ended.map_err(|error| match error {
            DeedError::Refused(reason) => reason,
            DeedError::Store(error) => panic!("{tool} {input}: {error}"),
        })
    }
}

async fn open(site: &Site) -> Arc<dyn Store> {
    match &site.urls {
        None => {
            let path = site.database_file();
            let options = store_sqlite::Options { path, takes_over_lanes: false };
            Arc::new(store_sqlite::open(&options).expect("the database"))
        }
        Some(urls) => {
            let url = urls.app.clone();
            let options = store_postgres::Options {
                url,
                owner_url: None,
                pool_size: 4,
                patience: store_postgres::Patience::default(),
            };
            Arc::new(store_postgres::open(options).await.expect("the database"))
        }
    }
}
