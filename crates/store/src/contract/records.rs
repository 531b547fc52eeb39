//! Further records of tools: carts, accounts, payments, documents, numbers.

use std::sync::Arc;

use domain::{
    Cart, CartLine, ContactId, Money, Order, OrderId, OrderStatus, Payment, PaymentId, SessionId,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::doing::{asked, consult, deed, ordered, perform};
use super::world::World;

pub(super) async fn a_cart_is_read_as_it_was_put_until_it_is_emptied(world: World) {
    let sessions: [SessionId; 2] = [world.id(), world.id()];
    let line = |sku: &str, quantity| CartLine {
        sku: sku.into(),
        name: "Coca «ñ»".into(),
        label: "1,5 L".into(),
        quantity,
        unit_price: money("2500.10", "ARS"),
    };
    let put = async |n: usize, cart: Cart| {
        let session = sessions[n];
        let deed = deed!(|records, session, cart| {
            records.put_cart(*session, &cart).await?;
            Ok(json!(records.cart(*session).await?))
        });
        perform(&world, deed).await.unwrap()
    };
    let see = async |n: usize| {
        let session = sessions[n];
        consult(&world, deed!(|records, session| Ok(json!(records.cart(*session).await?)))).await
    };
    assert_eq!(see(0).await.unwrap(), json!(Cart::default()));
    let first = Cart { lines: vec![line("b", 1), line("a", 999)], notes: String::new() };
    assert_eq!(put(0, first.clone()).await, json!(first), "in its own order");
    let second = Cart { lines: Vec::new(), notes: "sin bolsa".into() };
    assert_eq!(put(1, second.clone()).await, json!(second));
    let third = Cart { lines: vec![line("c", 2)], notes: "timbre".into() };
    put(0, third.clone()).await;
    assert_eq!((see(0).await.unwrap(), see(1).await.unwrap()), (json!(third), json!(second)));
    put(0, Cart::default()).await;
    assert_eq!(see(0).await.unwrap(), json!(Cart::default()));
    assert_eq!(see(1).await.unwrap(), json!(second));
}

pub(super) async fn an_account_is_what_was_said_yes_to_and_what_was_paid(world: World) {
    let work = asked(&world).await;
    let contact = work.conversation.contact.id;
    let totals = [
        (OrderStatus::PendingConfirmation, "1000000", "ARS"),
        (OrderStatus::Confirmed, "0.1", "ARS"),
        (OrderStatus::Completed, "0.2", "ARS"),
        (OrderStatus::Cancelled, "5000000", "ARS"),
        (OrderStatus::Delivered, "7922816251426433759.0335", "COP"),
        (OrderStatus::Processing, "3", "ARS"),
        (OrderStatus::Shipped, "4", "ARS"),
    ];
    let now = world.now();
    let mut orders: Vec<Order> = Vec::new();
    for (number, (status, total, currency)) in (1..).zip(totals) {
        let money = money(total, currency);
        let (id, total, currency) = (world.id(), money.amount, money.currency);
        orders.push(Order { id, number, total, currency, ..ordered(&work, status, now) });
    }
    let stranger: ContactId = world.id();
    orders.push(Order { id: world.id(), number: 99, contact: stranger, ..orders[1].clone() });
    let paid = |contact, amount: &str, currency: &str| Payment {
        id: world.id::<PaymentId>(),
        order: orders[1].id,
        contact,
        amount: money(amount, currency),
        method: "efectivo".into(),
        at: now,
    };
    let payments = vec![
        paid(contact, "0.05", "ARS"),
        paid(contact, "7.1", "ARS"),
        paid(contact, "12.50", "USD"),
        paid(stranger, "900", "ARS"),
    ];
    let put = deed!(|records, orders, payments| {
        for order in orders.iter() {
            records.put_order(order).await?;
        }
        for payment in payments.iter() {
            records.add_payment(payment).await?;
        }
        Ok(json!(null))
    });
    perform(&world, put).await.unwrap();
    let see = deed!(|records, contact| Ok(json!(records.accounts(*contact).await?)));
    let expected = json!([
        { "currency": "ARS", "orders": 4, "spent": "7.3", "paid": "7.15" },
        { "currency": "COP", "orders": 1, "spent": "7922816251426433759.0335", "paid": "0" },
        { "currency": "USD", "orders": 0, "spent": "0", "paid": "12.50" },
    ]);
    assert_eq!(consult(&world, see).await.unwrap(), expected);
    let nobody: ContactId = world.id();
    let see = deed!(|records, nobody| Ok(json!(records.accounts(*nobody).await?)));
    assert_eq!(consult(&world, see).await.unwrap(), json!([]));
}

pub(super) async fn a_document_is_kept_by_kind_and_id_until_it_is_forgotten(world: World) {
    let shapes = [
        ("perfil", "tienda", json!({ "ñ": [1, 2.5, null, true], "horas": { "lunes": "9-18" } })),
        ("perfil", "Zona", json!("solo texto")),
        ("perfil", "ábaco", json!([])),
        ("otro", "tienda", json!(7)),
        ("otro", "Zona", json!(8)),
        ("perfil", "nulo", json!(null)),
    ];
    let put = deed!(|records, shapes| {
        for (kind, id, document) in shapes.iter() {
            records.put_document(kind, id, Some(document)).await?;
        }
        Ok(json!(null))
    });
    perform(&world, put).await.unwrap();
    let see = || {
        consult(
            &world,
            deed!(|records| Ok(json!([
                records.documents("perfil").await?,
                records.document("perfil", "tienda").await?,
                records.document("otro", "tienda").await?,
                records.document("otro", "Zona").await?,
            ]))),
        )
    };
    let [tienda, zona, abaco, ..] = &shapes;
    let all = json!([["Zona", zona.2], ["nulo", null], ["tienda", tienda.2], ["ábaco", abaco.2]]);
    assert_eq!(see().await.unwrap(), json!([all, tienda.2, 7, 8]));
    let change = deed!(|records| {
        records.put_document("perfil", "tienda", Some(&json!({ "a": 1 }))).await?;
        records.put_document("perfil", "Zona", None).await?;
        records.put_document("perfil", "nulo", None).await?;
        records.put_document("perfil", "nunca", None).await?;
        Ok(json!(null))
    });
    perform(&world, change).await.unwrap();
    let all = json!([["tienda", { "a": 1 }], ["ábaco", []]]);
    assert_eq!(see().await.unwrap(), json!([all, { "a": 1 }, 7, 8]));
}

/// The name is locked, because a document or cart that does not exist yet has no row to lock.
pub(super) async fn two_who_first_put_a_document_or_a_cart_both_count(world: World) {
    let other = world.another_node().await;
    for round in 0..6 {
        let (name, session): (String, SessionId) = (format!("visitas {round}"), world.id());
        let mut racing = JoinSet::new();
        for n in 0..4 {
            let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
            let (workspace, id, now) = (world.workspace(), world.id(), world.now());
            let visit = deed!(|records, name, session| {
                let before = records.document("cuenta", &name).await?;
                let count = before.as_ref().and_then(Value::as_i64).unwrap_or_default();
                records.put_document("cuenta", &name, Some(&json!(count + 1))).await?;
                let cart = records.cart(*session).await?;
                let notes = format!("{}x", cart.notes);
                records.put_cart(*session, &Cart { notes, ..cart }).await?;
                Ok(json!(null))
            });
            racing.spawn(async move {
                node.perform(workspace, "web", "visit", "page", id, visit, now).await.unwrap()
            });
        }
        racing.join_all().await;
        let see = deed!(|records, name, session| Ok(json!([
            records.document("cuenta", &name).await?,
            records.cart(*session).await?.notes,
        ])));
        assert_eq!(consult(&world, see).await.unwrap(), json!([4, "xxxx"]));
    }
}

pub(super) async fn a_workspace_has_records_of_its_own(world: World) {
    let theirs = world.add_channel("otra", "whatsapp").await.workspace;
    let (order, session): (OrderId, SessionId) = (world.id(), world.id());
    let contact = asked(&world).await.conversation.contact.id;
    let put = deed!(|records, order, session| {
        records.put_document("perfil", "tienda", Some(&json!(1))).await?;
        records.put_cart(*session, &Cart { notes: "a".into(), ..Cart::default() }).await?;
        records.put_stock(&domain::Stock { available: 3, ..domain::Stock::none("a") }).await?;
        let held = [domain::Reservation { sku: "a".into(), quantity: 1 }];
        records.put_reservations(*order, &held).await?;
        records.put_product(&super::catalogue::cola(), &super::catalogue::cola_terms()).await?;
        Ok(json!(records.take_number("caja").await?))
    });
    assert_eq!(perform(&world, put.clone()).await.unwrap(), json!(1));
    let see = deed!(|records, order, session, contact| Ok(json!([
        records.documents("perfil").await?,
        records.cart(*session).await?,
        records.stock(&["a".to_owned()]).await?,
        records.reservations(*order).await?,
        records.product("cola").await?,
        records.items(&["cola-500".to_owned()]).await?.len(),
        records.in_category("bebidas", 9).await?.len(),
        records.categories().await?,
        records.postings(&["cola".to_owned()], 9).await?.len(),
        records.contact(*contact).await?,
    ])));
    let empty =
        json!([[], Cart::default(), [domain::Stock::none("a")], [], null, 0, 0, [], 0, null]);
    let seen = world.store.consult(theirs, Arc::clone(&see), world.now()).await.unwrap();
    assert_eq!(seen, empty);
    let ours = consult(&world, Arc::clone(&see)).await.unwrap();
    // The other workspace's writes beside ours, and its deletions, change nothing of ours.
    let id = world.id();
    world.store.perform(theirs, "eva", "a", "b", id, put, world.now()).await.unwrap();
    let forget = deed!(|records, order, session| {
        records.put_document("perfil", "tienda", None).await?;
        records.put_cart(*session, &Cart::default()).await?;
        records.put_stock(&domain::Stock::none("a")).await?;
        records.put_reservations(*order, &[]).await?;
        let bare = domain::Product { variants: Vec::new(), ..super::catalogue::cola() };
        records.put_product(&bare, &[]).await?;
        Ok(json!(null))
    });
    let id = world.id();
    world.store.perform(theirs, "eva", "a", "b", id, forget, world.now()).await.unwrap();
    assert_eq!(consult(&world, see).await.unwrap(), ours);
}

fn money(amount: &str, currency: &str) -> Money {
    Money::new(amount.parse().expect("an amount"), currency.parse().expect("a currency"))
}
