//! Orders and stock as operators list them.

use domain::{Order, OrderLine, OrderStatus, Stock};
use serde_json::{Value, json};

use super::doing::{act, asked, deed, lanes, made, ordered, perform, write_order};
use super::world::{World, one};
use crate::{OrderFilter, StockLevel};
use OrderStatus::{Cancelled, Confirmed, PendingConfirmation};

pub(super) async fn an_order_is_read_as_it_was_written(world: World) {
    let work = asked(&world).await;
    let line = |product: &str, quantity, price: &str| OrderLine {
        product: product.into(),
        title: "Almohada «ñ»".into(),
        quantity,
        unit_price: price.parse().unwrap(),
    };
    let data = json!({ "dirección": "Cra 1 # 2-3", "notas": ["timbre", 2] });
    let order = Order {
        lines: vec![line("alm-1", 2, "77900.10"), line("alm-2", 999, "0.000000000000000001")],
        total: "7922816251426433759354395.0335".parse().unwrap(),
        data: data.as_object().unwrap().clone(),
        ..ordered(&work, Confirmed, world.now())
    };
    let (_, step) = act(&world, &work, 0, write_order(order.clone())).await;
    let written = Order { id: made(&step.output, "order"), number: 1, ..order };
    let read = world.store.order(world.workspace(), 1).await.unwrap().expect("the order");
    assert_eq!(read, written);
    assert_eq!(read.total.to_string(), written.total.to_string(), "with its decimals");
    assert_eq!(world.store.order(world.workspace(), 2).await.unwrap(), None);
    let listed = world.store.orders(world.workspace(), &OrderFilter::newest(9)).await.unwrap();
    assert_eq!(one(listed), written);

    world.pass_ms(1_000);
    let other = lanes(&world, 1).await.remove(0);
    let changed = Order {
        id: written.id,
        number: 1,
        total: "1.50".parse().unwrap(),
        currency: "ARS".parse().unwrap(),
        data: serde_json::Map::new(),
        ..ordered(&other, Cancelled, world.now())
    };
    let put = deed!(|records, changed| {
        records.put_order(&changed).await?;
        let by_id = records.order(changed.id).await?;
        let by_number = records.order_numbered(1).await?;
        let of_contact = records.orders_of(changed.contact, 9).await?;
        Ok(json!([by_id, by_number, of_contact, records.order_numbered(2).await?]))
    });
    let seen = perform(&world, put).await.unwrap();
    assert_eq!(seen, json!([changed, changed, [changed], null]));
}

pub(super) async fn every_status_of_an_order_can_be_stored(world: World) {
    let work = asked(&world).await;
    for (n, status) in (0..).zip(OrderStatus::ALL) {
        act(&world, &work, n, write_order(ordered(&work, status, world.now()))).await;
        let read = world.store.order(world.workspace(), n + 1).await.unwrap().expect("the order");
        assert_eq!(read.status, status);
    }
}

pub(super) async fn orders_are_listed_newest_first_by_all_that_is_asked(world: World) {
    let works = lanes(&world, 2).await;
    let wanted = [
        (0, Confirmed),
        (1, Confirmed),
        (0, Cancelled),
        (0, Confirmed),
        (1, PendingConfirmation),
        (0, Confirmed),
    ];
    for (n, (lane, status)) in (0..).zip(wanted) {
        let work = &works[lane];
        act(&world, work, n, write_order(ordered(work, status, world.now()))).await;
    }
    let (conversation, contact) = (works[0].conversation.id, works[1].conversation.contact.id);
    let all = OrderFilter::newest(99);
    let of_first = OrderFilter::of_conversation(conversation);
    let of_second = OrderFilter { contact: Some(contact), ..all };
    let confirmed = Some(Confirmed);
    for (filter, numbers) in [
        (all, vec![6, 5, 4, 3, 2, 1]),
        (OrderFilter { limit: 2, ..all }, vec![6, 5]),
        (OrderFilter { limit: 2, before: Some(5), ..all }, vec![4, 3]),
        (OrderFilter { before: Some(1), ..all }, vec![]),
        (OrderFilter { status: confirmed, ..all }, vec![6, 4, 2, 1]),
        (OrderFilter { status: confirmed, before: Some(4), limit: 1, ..all }, vec![2]),
        (of_first, vec![6, 4, 3, 1]),
        (OrderFilter { before: Some(6), limit: 2, ..of_first }, vec![4, 3]),
        (OrderFilter { status: confirmed, ..of_first }, vec![6, 4, 1]),
        (of_second, vec![5, 2]),
        (OrderFilter { before: Some(5), ..of_second }, vec![2]),
        (OrderFilter { status: confirmed, ..of_second }, vec![2]),
        (OrderFilter { contact: Some(contact), ..of_first }, vec![]),
        (
            OrderFilter { contact: Some(works[0].conversation.contact.id), ..of_first },
            vec![6, 4, 3, 1],
        ),
        (
            OrderFilter {
                contact: Some(works[0].conversation.contact.id),
                status: Some(Cancelled),
                ..of_first
            },
            vec![3],
        ),
    ] {
        let found = world.store.orders(world.workspace(), &filter).await.unwrap();
        let found: Vec<_> = found.iter().map(|order| order.number).collect();
        assert_eq!(found, numbers, "{filter:?}");
    }
}

pub(super) async fn a_contacts_own_orders_come_newest_first(world: World) {
    let works = lanes(&world, 2).await;
    // The last two orders are of the same moment.
    for (n, lane, pass) in [(0, 0, 1_000), (1, 1, 0), (2, 0, 0), (3, 0, 0)] {
        let work = &works[lane];
        act(&world, work, n, write_order(ordered(work, Confirmed, world.now()))).await;
        world.pass_ms(pass);
    }
    let contact = works[0].conversation.contact.id;
    for (limit, expected) in [(9, vec![4, 3, 1]), (2, vec![4, 3]), (0, vec![])] {
        let see = deed!(|records, contact, limit| {
            let own = records.orders_of(*contact, *limit).await?;
            Ok(json!(own.iter().map(|order| order.number).collect::<Vec<_>>()))
        });
        let workspace = world.workspace();
        let numbers = world.store.consult(workspace, see, world.now()).await.unwrap();
        assert_eq!(numbers, json!(expected));
    }
}

pub(super) async fn stock_is_listed_with_what_it_is_called(world: World) {
    let fill = deed!(|records| {
        records.put_product(&super::catalogue::cola(), &[]).await?;
        for (sku, available) in [("cola-500", 3), ("a-granel", 9), ("zapatillas", 1)] {
            records.put_stock(&Stock { available, ..Stock::none(sku) }).await?;
        }
        Ok(Value::Null)
    });
    perform(&world, fill).await.unwrap();
    let level = |sku: &str, available, title: Option<&str>| StockLevel {
        stock: Stock { available, ..Stock::none(sku) },
        title: title.map(str::to_owned),
    };
    let all = [
        level("a-granel", 9, None),
        level("cola-1500", 0, Some("Cola 1,5 L")),
        level("cola-500", 3, Some("Cola 500 ml")),
        level("zapatillas", 1, None),
    ];
    for (after, limit, expected) in [
        (None, 99, &all[..]),
        (None, 2, &all[..2]),
        (Some("cola-1500"), 1, &all[2..3]),
        (Some("cola-500"), 9, &all[3..]),
        (Some("zapatillas"), 9, &[]),
    ] {
        let levels = world.store.stock_levels(world.workspace(), after, limit).await.unwrap();
        assert_eq!(levels, expected, "{after:?} {limit}");
    }
    let theirs = world.add_channel("otra", "whatsapp").await.workspace;
    assert!(world.store.stock_levels(theirs, None, 9).await.unwrap().is_empty());
}
