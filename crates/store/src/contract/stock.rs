//! Stock: it adds up at every commit, however many take from it at once.

use std::sync::Arc;

use domain::{Reservation, Stock};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::doing::{consult, deed, perform, refusal};
use super::shelf::{Dice, Move, Shelf};
use super::world::World;
use crate::{DeedError, StoreError};

pub(super) async fn stock_is_read_as_it_was_put_and_by_sku(world: World) {
    let level = |sku: &str, n: u32| Stock {
        sku: sku.into(),
        available: n,
        reserved: n + 1,
        sold: u32::MAX - n,
    };
    let levels = [level("b", 1), level("Z", 2), level("á", 3), level("b", 4)];
    let put = deed!(|records, levels| {
        for stock in levels.iter() {
            records.put_stock(stock).await?;
        }
        Ok(json!(null))
    });
    perform(&world, put).await.unwrap();
    let see = || {
        let asked = ["á", "b", "b", "nada", "Z"].map(str::to_owned);
        deed!(|records, asked| Ok(json!(records.stock(&asked[..]).await?)))
    };
    let expected = json!([level("Z", 2), level("b", 4), Stock::none("nada"), level("á", 3)]);
    assert_eq!(consult(&world, see()).await.unwrap(), expected);
    assert_eq!(perform(&world, see()).await.unwrap(), expected, "locked, the same");
}

pub(super) async fn what_an_order_holds_is_replaced_whole(world: World) {
    let orders = [world.id(), world.id::<domain::OrderId>()];
    let held = |sku: &str, quantity| Reservation { sku: sku.into(), quantity };
    let put = |n: usize, held: Vec<Reservation>| {
        let order = orders[n];
        let deed = deed!(|records, order, held| {
            records.put_reservations(*order, &held).await?;
            Ok(json!(null))
        });
        perform(&world, deed)
    };
    let see = async |n: usize| {
        let order = orders[n];
        let deed = deed!(|records, order| Ok(json!(records.reservations(*order).await?)));
        consult(&world, deed).await.unwrap()
    };
    put(0, vec![held("b", 2), held("a", 1)]).await.unwrap();
    put(1, vec![held("a", 9)]).await.unwrap();
    assert_eq!(see(0).await, json!([held("a", 1), held("b", 2)]));
    put(0, vec![held("c", 5)]).await.unwrap();
    assert_eq!(see(0).await, json!([held("c", 5)]));
    let none = put(0, vec![held("a", 1), held("b", 0)]).await;
    assert!(matches!(none, Err(DeedError::Store(StoreError::Unusable(_)))), "{none:?}");
    assert_eq!(see(0).await, json!([held("c", 5)]), "no units are no reservation");
    put(0, Vec::new()).await.unwrap();
    assert_eq!((see(0).await, see(1).await), (json!([]), json!([held("a", 9)])));
}

pub(super) async fn of_two_who_want_the_last_unit_one_gets_it(world: World) {
    let shelf = Shelf { skus: 2, orders: 40 };
    let other = world.another_node().await;
    for round in 0..10 {
        let receive = Move::Receive { sku: Shelf::sku(0), units: 1 };
        perform(&world, Arc::new(receive)).await.unwrap();
        let mut racing = JoinSet::new();
        for n in 0..4 {
            let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
            let (workspace, id, now) = (world.workspace(), world.id(), world.now());
            let lines = vec![(Shelf::sku(0), 1)];
            let deed = Arc::new(Move::Confirm { order: round * 4 + n + 1, lines });
            racing.spawn(async move {
                node.perform(workspace, "web", "confirm", "order", id, deed, now).await
            });
        }
        let ended = racing.join_all().await;
        assert_eq!(ended.iter().filter(|done| done.is_ok()).count(), 1, "{ended:?}");
        for lost in ended.into_iter().filter(Result::is_err) {
            assert_eq!(refusal(lost), "there are only 0 of sku-0000");
        }
    }
    assert_eq!(consult(&world, Arc::new(shelf)).await.unwrap(), json!([]));
}

pub(super) async fn two_who_first_bring_a_variant_both_count(world: World) {
    let other = world.another_node().await;
    for sku in 0..8 {
        let mut racing = JoinSet::new();
        for n in 0..4 {
            let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
            let (workspace, id, now) = (world.workspace(), world.id(), world.now());
            let deed = Arc::new(Move::Receive { sku: Shelf::sku(sku), units: 5 });
            racing.spawn(async move {
                node.perform(workspace, "marta", "receive", "sku", id, deed, now).await.unwrap()
            });
        }
        racing.join_all().await;
        let skus = vec![Shelf::sku(sku)];
        let see = deed!(|records, skus| Ok(json!(records.stock(&skus).await?[0].available)));
        assert_eq!(consult(&world, see).await.unwrap(), json!(20));
    }
}

pub(super) async fn stock_adds_up_at_every_commit_whoever_comes(world: World) {
    const TASKS: u32 = 16;
    const ACTS: u32 = 30;
    let shelf = Shelf { skus: 6, orders: 12 };
    let other = world.another_node().await;
    let mut racing = JoinSet::new();
    for task in 0..TASKS {
        let node = Arc::clone(if task % 2 == 0 { &world.store } else { &other });
        let (workspace, now) = (world.workspace(), world.now());
        let ids: Vec<_> = (0..ACTS).map(|_| world.id()).collect();
        racing.spawn(async move {
            let mut dice = Dice::seeded(u64::from(task));
            let mut done = 0;
            for id in ids {
                let act = Arc::new(shelf.act(&mut dice));
                match node.perform(workspace, "web", "act", "shelf", id, act, now).await {
                    Ok(_) => done += 1,
                    Err(DeedError::Refused(_)) => {}
                    Err(error) => panic!("{error}"),
                }
                let wrong = node.consult(workspace, Arc::new(shelf), now).await.unwrap();
                assert_eq!(wrong, Value::Array(Vec::new()));
            }
            done
        });
    }
    let done: u32 = racing.join_all().await.into_iter().sum();
    assert!(done > TASKS * ACTS / 5, "too little was done to prove anything: {done}");
}
