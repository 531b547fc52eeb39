//! Many conversations under way when the process ends or freezes: all of them go on at once.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::support::{Caller, Fault, Kind, Shop, Via, Wire, model_of, until};

crate::on_both_stores!(
    conversations_under_way_when_the_process_is_killed_go_on_at_once_however_often,
    a_process_that_freezes_for_longer_than_its_lease_asks_no_model_again,
);

/// Fewer than the shop may ask its model for at once.
const CALLERS: usize = 40;

/// So many callers, each in the middle of a turn.
async fn callers(shop: &Shop) -> Vec<Caller<'_>> {
    let mut callers: Vec<_> =
        (0..CALLERS).map(|place| Caller::new(&shop.site, Via::Web, place)).collect();
    for caller in &mut callers {
        caller.says("quiero comprar").await;
    }
    callers
}

/// Acts of the model over the next question of each caller.
fn next(shop: &Shop, fault: Fault) {
    shop.oracle.fault(&model_of(Wire::OpenAi, "prueba"), fault, CALLERS as u32);
}

/// Waits until the model was asked so many questions, to none of which it has said a word.
async fn asked(shop: &Shop, count: usize) {
    let look = async || match shop.oracle.asked(&model_of(Wire::OpenAi, "prueba")).len() {
        asked if asked == count => Ok(()),
        asked => Err(format!("{asked} of {count} were")),
    };
    until("the questions to be asked at once", look).await;
}

/// Waits until the last lease is over that somebody holds.
#[expect(clippy::disallowed_methods, reason = "the clock is the frozen process's own")]
async fn leases_are_over(shop: &Shop) {
    const LAST: &str = "SELECT max(wake_at) FROM lanes WHERE holder IS NOT NULL";
    let look = async || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        match shop.site.sql_number(LAST).await {
            last if i128::from(last) < now as i128 => Ok(()),
            last => Err(format!("{last} is to come")),
        }
    };
    until("the leases to be over", look).await;
}

async fn conversations_under_way_when_the_process_is_killed_go_on_at_once_however_often(
    kind: Kind,
) {
    let shop = Shop::open(kind, Wire::OpenAi).await;
    next(&shop, Fault::Silent);
    let mut node = shop.site.start().await;
    let callers = callers(&shop).await;
    asked(&shop, CALLERS).await;
    // From the third process on they are suspect, and still wait for the model together.
    for process in 2..=4 {
        next(&shop, Fault::Silent);
        node.kill().await;
        node = shop.site.start().await;
        asked(&shop, process * CALLERS).await;
    }
    node.kill().await;
    let _node = shop.site.start().await;
    for caller in &callers {
        caller.hears(1).await;
    }
    assert!(shop.site.quarantine().await.is_empty(), "nobody is to blame");
}

async fn a_process_that_freezes_for_longer_than_its_lease_asks_no_model_again(kind: Kind) {
    let shop = Shop::with_leases(kind, Wire::OpenAi, 1_000).await;
    next(&shop, Fault::Wait);
    let node = shop.site.start().await;
    let callers = callers(&shop).await;
    asked(&shop, CALLERS).await;
    node.pause();
    leases_are_over(&shop).await;
    node.resume();
    // Somebody new, so that the node claims lanes once more.
    let mut late = Caller::new(&shop.site, Via::Web, CALLERS);
    late.says("quiero comprar").await;
    late.hears(1).await;
    shop.oracle.goes_on();
    for caller in &callers {
        caller.hears(1).await;
    }
    // Each turn asks twice: for the sale, and for its last word.
    asked(&shop, 2 * (CALLERS + 1)).await;
}
