//! Kills the process at random moments under load.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::sleep;

use crate::load::{customers, everyone_goes_on, talk};
use crate::support::{Kind, Random, Site, check, until};

const SEED: u64 = 20_261_115;
const CONVERSATIONS: usize = 40;
const KILLS: usize = 12;
/// With forty conversations, 200 messages a second.
const PACE: Duration = Duration::from_millis(200);

crate::on_both_stores!(kills_at_random_moments_lose_and_double_nothing,);

async fn kills_at_random_moments_lose_and_double_nothing(kind: Kind) {
    let site = Site::new(kind).await;
    let mut customers = customers(&site, CONVERSATIONS);
    let over = Cell::new(false);
    let mut random = Random(SEED);
    let killing = async {
        for kill in 0..KILLS {
            if kill % 3 == 2 {
                // In its first moments, while it takes up what the last one left.
                let starting = site.start().await;
                sleep(Duration::from_millis(random.between(0, 40))).await;
                starting.kill().await;
                continue;
            }
            let node = site.start().await;
            everyone_goes_on(&site, CONVERSATIONS).await;
            sleep(Duration::from_millis(random.between(0, 400))).await;
            node.kill().await;
        }
        let node = site.start().await;
        everyone_goes_on(&site, CONVERSATIONS).await;
        let load = async || match site.answered(200) as usize {
            few if few <= CONVERSATIONS * KILLS => Err(format!("only {few}")),
            _ => Ok(()),
        };
        until("messages enough to be a load", load).await;
        over.set(true);
        node
    };
    let (node, ()) = tokio::join!(killing, talk(&mut customers, PACE, &over));
    let findings = check(&site, &[&node], &customers.iter().collect::<Vec<_>>()).await;

    let acknowledged: usize = customers.iter().map(|customer| customer.said.len()).sum();
    let open = findings.open.len();
    println!("{acknowledged} messages, {KILLS} kills, {open} left to a person, seed {SEED}");
    assert!(findings.quarantined.is_empty(), "{:?}", findings.quarantined);
    // A kill leaves at most one send and one call per conversation ambiguous.
    assert!(open <= 2 * KILLS * CONVERSATIONS, "{open} open");
}
