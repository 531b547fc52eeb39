//! The scenario around packs: a node keeps what its agents are made from before it serves.

use super::{Crash, go_on, talk};
use crate::support::{Customer, Kind, Site, check};

/// A channel whose agent is made from the pack that ships.
const CHANNEL: &str =
    "\x20 - { id: formulario, kind: webchat, workspace: demo, agent: registro }\n";

/// A pack is there whole or not at all; kept again at the next start it is still one.
pub(crate) async fn keeping_a_pack(kind: Kind, crash: Crash) {
    const KEPT: &str = "SELECT count(*) FROM pack_versions";
    let site = Site::new(kind).await;
    let mut configuration = std::fs::read_to_string(site.config()).expect("the configuration");
    configuration.push_str(CHANNEL);
    std::fs::write(site.config(), configuration).expect("a configuration");

    let dying = site.start_to_die(&crash.to_string()).await;
    dying.died(&crash.to_string()).await;
    assert_eq!(site.sql_number(KEPT).await, i64::from(crash.did_it()), "{crash}");
    let node = site.start().await;
    assert_eq!(site.sql_number(KEPT).await, 1, "{crash}");
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    talk(&mut ana, &mut beto).await;
    go_on(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
}
