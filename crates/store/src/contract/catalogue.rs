//! The catalogue: products are read as they were put, and active variants are found, most bought
//! first.

use domain::{Item, Money, Order, OrderId, OrderLine, OrderStatus, Product, Variant};
use serde_json::{Value, json};

use super::doing::{asked, consult, deed, ordered, perform};
use super::world::World;
use crate::{LaneWork, Posting};

pub(super) async fn a_product_is_read_as_it_was_put(world: World) {
    let mut product = cola();
    product.brand = Some("Coca «ñ»".into());
    product.description = "La de siempre 🥤\n".into();
    product.aliases = vec!["coca".into(), "".into()];
    product.variants[0].data = json!({ "iva": "21", "n": [1] }).as_object().unwrap().clone();
    product.variants[0].price = money("2500.1000");
    product.variants[1].active = false;
    product.variants[1].aliases = vec!["grande".into()];
    put(&world, &product, &[]).await;
    let seen = see_product(&world, "cola").await;
    assert_eq!(seen, json!(product));
    assert_eq!(seen["variants"][0]["price"]["amount"], "2500.1000", "with its decimals");
    assert_eq!(see_product(&world, "col").await, json!(null));

    let bare = Product { brand: None, active: false, variants: Vec::new(), ..product };
    put(&world, &bare, &[]).await;
    assert_eq!(see_product(&world, "cola").await, json!(bare), "in the place of what was known");
}

pub(super) async fn products_are_paged_by_id(world: World) {
    for id in ["b", "Zeta", "a", "ñandú", "c"] {
        put(&world, &product(id, "x", &[&format!("{id}-1"), &format!("{id}-0")]), &[]).await;
    }
    let page = async |after: Option<&str>, limit: u32| {
        let after = after.map(str::to_owned);
        let deed = deed!(|records, after, limit| {
            let page = records.products((*after).as_deref(), *limit).await?;
            Ok(json!(page))
        });
        let page = consult(&world, deed).await.unwrap();
        let first = |product: &Value| {
            let skus = product["variants"].as_array().unwrap().iter().map(|one| one["sku"].clone());
            (product["id"].as_str().unwrap().to_owned(), skus.collect::<Vec<_>>())
        };
        page.as_array().unwrap().iter().map(first).collect::<Vec<_>>()
    };
    let ids =
        |page: Vec<(String, Vec<Value>)>| page.into_iter().map(|one| one.0).collect::<Vec<_>>();
    assert_eq!(page(None, 1).await, [("Zeta".into(), vec![json!("Zeta-1"), json!("Zeta-0")])]);
    assert_eq!(ids(page(None, 9).await), ["Zeta", "a", "b", "c", "ñandú"]);
    assert_eq!(ids(page(Some("a"), 2).await), ["b", "c"]);
    assert_eq!(ids(page(Some("c"), 9).await), ["ñandú"]);
    assert!(page(Some("ñandú"), 9).await.is_empty());
}

pub(super) async fn only_what_is_on_sale_is_found(world: World) {
    put(&world, &cola(), &cola_terms()).await;
    assert_eq!(found(&world).await, json!([["cola-1500", "cola-500"], 2, [["bebidas", 1]], 2]));
    let mut one = cola();
    one.variants[0].active = false;
    put(&world, &one, &cola_terms()).await;
    assert_eq!(found(&world).await, json!([["cola-1500"], 1, [["bebidas", 1]], 1]));
    put(&world, &Product { active: false, ..cola() }, &cola_terms()).await;
    assert_eq!(found(&world).await, json!([[], 0, [], 0]));
    put(&world, &cola(), &cola_terms()).await;
    assert_eq!(found(&world).await, json!([["cola-1500", "cola-500"], 2, [["bebidas", 1]], 2]));
}

pub(super) async fn a_variant_left_out_is_gone_and_one_taken_over_has_moved(world: World) {
    put(&world, &cola(), &cola_terms()).await;
    let mut fewer = cola();
    fewer.variants.remove(0);
    put(&world, &fewer, &cola_terms()).await;
    assert_eq!(found(&world).await, json!([["cola-1500"], 1, [["bebidas", 1]], 1]));

    let thief = product("mayorista", "cajas", &["cola-1500", "caja"]);
    put(&world, &thief, &[posting("caja", "cola-1500", 3)]).await;
    let bare = Product { variants: Vec::new(), ..cola() };
    assert_eq!(see_product(&world, "cola").await, json!(bare));
    assert_eq!(see_product(&world, "mayorista").await, json!(thief));
    assert_eq!(found(&world).await, json!([["cola-1500"], 0, [["cajas", 1]], 0]));
    assert_eq!(postings(&world, &["caja"], 9).await, [("caja".into(), "cola-1500".into(), 3)]);
    put(&world, &fewer, &cola_terms()).await;
    let left = Product { variants: vec![thief.variants[1].clone()], ..thief };
    assert_eq!(see_product(&world, "mayorista").await, json!(left), "and back");
}

pub(super) async fn an_item_shows_its_product_stock_and_sales(world: World) {
    let work = asked(&world).await;
    put(&world, &Product { brand: Some("Marca".into()), ..cola() }, &[]).await;
    let receive = deed!(|records| {
        let stock = domain::Stock { available: 7, reserved: 2, ..domain::Stock::none("cola-500") };
        records.put_stock(&stock).await?;
        Ok(json!(null))
    });
    perform(&world, receive).await.unwrap();
    buy(&world, &work, 1, OrderStatus::Confirmed, &[("cola-500", 3), ("cola-500", 2)]).await;
    let item = |sku: &str, label: &str, price: &str, available, popularity| Item {
        sku: sku.into(),
        product: "cola".into(),
        name: "Cola".into(),
        label: label.into(),
        category: "bebidas".into(),
        brand: Some("Marca".into()),
        price: money(price),
        available,
        popularity,
    };
    let skus = ["cola-500", "nada", "cola-1500", "cola-500"].map(str::to_owned);
    let see = deed!(|records, skus| Ok(json!(records.items(&skus[..]).await?)));
    let seen = consult(&world, see).await.unwrap();
    let (small, large) =
        (item("cola-500", "500 ml", "900", 7, 5), item("cola-1500", "1,5 L", "2500", 0, 0));
    assert_eq!(seen, json!([large, small]));
    let see = deed!(|records| Ok(json!(records.in_category("bebidas", 9).await?)));
    assert_eq!(consult(&world, see).await.unwrap(), json!([small, large]), "most bought first");
}

pub(super) async fn sales_count_what_was_said_yes_to_and_not_cancelled(world: World) {
    let work = asked(&world).await;
    let skus: Vec<_> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let goods = product("varios", "todo", &["a", "b", "c", "d"]);
    let terms: Vec<_> = skus.iter().map(|sku| posting("cosa", sku, 1)).collect();
    put(&world, &goods, &terms).await;
    let order = |number, status, lines: &[(&str, u32)]| buy_deed(&work, number, status, lines);
    let sales = async || {
        let skus = skus.clone();
        let see = deed!(|records, skus| {
            let items = records.items(&skus).await?;
            let shelf = records.in_category("todo", 9).await?;
            let found = records.postings(&["cosa".to_owned()], 9).await?;
            let count = |items: &[Item]| {
                items.iter().map(|item| (item.sku.clone(), item.popularity)).collect::<Vec<_>>()
            };
            let order: Vec<_> = found.into_iter().map(|posting| posting.sku).collect();
            Ok(json!([count(&items), count(&shelf), order]))
        });
        consult(&world, see).await.unwrap()
    };
    for (what, counts, order_of) in [
        (
            order(1, OrderStatus::PendingConfirmation, &[("a", 9)]),
            [0, 0, 0, 0],
            ["a", "b", "c", "d"],
        ),
        (order(1, OrderStatus::Confirmed, &[("a", 9)]), [9, 0, 0, 0], ["a", "b", "c", "d"]),
        (
            order(2, OrderStatus::Confirmed, &[("d", 9), ("b", 2)]),
            [9, 2, 0, 9],
            ["a", "d", "b", "c"],
        ),
        (order(2, OrderStatus::Shipped, &[("d", 9), ("b", 2)]), [9, 2, 0, 9], ["a", "d", "b", "c"]),
        (
            order(2, OrderStatus::Shipped, &[("d", 10), ("c", 3)]),
            [9, 0, 3, 10],
            ["d", "a", "c", "b"],
        ),
        (order(1, OrderStatus::Cancelled, &[("a", 9)]), [0, 0, 3, 10], ["d", "c", "a", "b"]),
        (
            order(2, OrderStatus::Completed, &[("d", 10), ("c", 3)]),
            [0, 0, 3, 10],
            ["d", "c", "a", "b"],
        ),
    ] {
        perform(&world, what).await.unwrap();
        let by_sku: Vec<_> = skus.iter().cloned().zip(counts).collect();
        let count = |sku: &&str| by_sku.iter().find(|one| one.0 == **sku).cloned().unwrap();
        let shelf: Vec<_> = order_of.iter().map(count).collect();
        assert_eq!(sales().await, json!([by_sku, shelf, order_of]));
    }
    let before = sales().await;
    let gone = Product { variants: goods.variants[..1].to_vec(), ..goods.clone() };
    put(&world, &gone, &terms).await;
    perform(&world, order(3, OrderStatus::Confirmed, &[("c", 1)])).await.unwrap();
    perform(&world, order(3, OrderStatus::Cancelled, &[("c", 1)])).await.unwrap();
    put(&world, &goods, &terms).await;
    assert_eq!(sales().await, before, "a variant that comes back is as popular as it was");
}

pub(super) async fn terms_lead_to_the_most_bought_first_and_no_more_than_asked(world: World) {
    let work = asked(&world).await;
    let goods = product("varios", "todo", &["a", "b", "c"]);
    let terms: Vec<_> = [("x", "a", 1), ("x", "b", 2), ("x", "c", 3), ("y", "b", 4), ("y", "b", 5)]
        .map(|(term, sku, weight)| posting(term, sku, weight))
        .to_vec();
    put(&world, &goods, &terms).await;
    buy(&world, &work, 1, OrderStatus::Confirmed, &[("c", 1)]).await;
    let row = |term: &str, sku: &str, weight: u32| (term.to_owned(), sku.to_owned(), weight);
    let all = postings(&world, &["y", "x", "z", "x"], 9).await;
    assert_eq!(all, [row("x", "c", 3), row("x", "a", 1), row("x", "b", 2), row("y", "b", 5)]);
    let two = postings(&world, &["x", "y"], 1).await;
    assert_eq!(two, [row("x", "c", 3), row("y", "b", 5)]);
    let best = deed!(|records| Ok(json!(records.in_category("todo", 1).await?[0].sku)));
    assert_eq!(consult(&world, best).await.unwrap(), json!("c"));
    put(&world, &goods, &terms[..1]).await;
    assert_eq!(postings(&world, &["x", "y"], 9).await, [row("x", "a", 1)], "replaced whole");
}

pub(super) async fn categories_count_products_that_have_something_on_sale(world: World) {
    put(&world, &product("a", "bebidas", &["a-1", "a-2"]), &[]).await;
    put(&world, &product("b", "bebidas", &["b-1"]), &[]).await;
    put(&world, &product("c", "Almacén", &["c-1"]), &[]).await;
    put(&world, &product("d", "vacía", &[]), &[]).await;
    put(&world, &Product { active: false, ..product("e", "cerrada", &["e-1"]) }, &[]).await;
    let see = || deed!(|records| Ok(json!(records.categories().await?)));
    assert_eq!(consult(&world, see()).await.unwrap(), json!([["Almacén", 1], ["bebidas", 2]]));
    put(&world, &product("b", "Almacén", &["b-1"]), &[]).await;
    assert_eq!(consult(&world, see()).await.unwrap(), json!([["Almacén", 2], ["bebidas", 1]]));
}

pub(super) fn cola() -> Product {
    let mut cola = product("cola", "bebidas", &["cola-500", "cola-1500"]);
    cola.name = "Cola".into();
    (cola.variants[0].label, cola.variants[0].price) = ("500 ml".into(), money("900"));
    (cola.variants[1].label, cola.variants[1].price) = ("1,5 L".into(), money("2500"));
    cola
}

pub(super) fn cola_terms() -> Vec<Posting> {
    vec![posting("cola", "cola-500", 2), posting("cola", "cola-1500", 2)]
}

fn product(id: &str, category: &str, skus: &[&str]) -> Product {
    let variant = |sku: &&str| Variant {
        sku: (*sku).to_owned(),
        label: String::new(),
        price: money("100"),
        aliases: Vec::new(),
        active: true,
        data: serde_json::Map::new(),
    };
    Product {
        id: id.into(),
        name: id.into(),
        category: category.into(),
        brand: None,
        description: String::new(),
        aliases: Vec::new(),
        active: true,
        variants: skus.iter().map(variant).collect(),
    }
}

fn posting(term: &str, sku: &str, weight: u32) -> Posting {
    Posting { term: term.into(), sku: sku.into(), weight }
}

fn money(amount: &str) -> Money {
    Money::new(amount.parse().expect("an amount"), "ARS".parse().expect("a currency"))
}

async fn put(world: &World, product: &Product, terms: &[Posting]) {
    let (product, terms) = (product.clone(), terms.to_vec());
    let deed = deed!(|records, product, terms| {
        records.put_product(&product, &terms).await?;
        Ok(json!(null))
    });
    perform(world, deed).await.unwrap();
}

async fn see_product(world: &World, id: &str) -> Value {
    let id = id.to_owned();
    consult(world, deed!(|records, id| Ok(json!(records.product(&id).await?)))).await.unwrap()
}

/// The ways to find the colas: as items, in their category, by category and by their term.
async fn found(world: &World) -> Value {
    let skus = ["cola-500", "cola-1500"].map(str::to_owned);
    let see = deed!(|records, skus| {
        let items = records.items(&skus[..]).await?;
        Ok(json!([
            items.iter().map(|item| item.sku.as_str()).collect::<Vec<_>>(),
            records.in_category("bebidas", 9).await?.len(),
            records.categories().await?,
            records.postings(&["cola".to_owned()], 9).await?.len(),
        ]))
    });
    consult(world, see).await.unwrap()
}

async fn postings(world: &World, terms: &[&str], limit: u32) -> Vec<(String, String, u32)> {
    let terms: Vec<_> = terms.iter().map(|term| (*term).to_owned()).collect();
    let see = deed!(|records, terms, limit| {
        let found = records.postings(&terms, *limit).await?;
        let row = |posting: Posting| json!([posting.term, posting.sku, posting.weight]);
        Ok(found.into_iter().map(row).collect())
    });
    serde_json::from_value(consult(world, see).await.unwrap()).unwrap()
}

async fn buy(
    world: &World,
    work: &LaneWork,
    number: u32,
    status: OrderStatus,
    lines: &[(&str, u32)],
) {
    perform(world, buy_deed(work, number, status, lines)).await.unwrap();
}

/// An order under its number's own id, so that putting it again changes it.
fn buy_deed(
    work: &LaneWork,
    number: u32,
    status: OrderStatus,
    lines: &[(&str, u32)],
) -> std::sync::Arc<dyn crate::Deed> {
    let line = |(sku, quantity): &(&str, u32)| OrderLine {
        product: (*sku).to_owned(),
        title: (*sku).to_owned(),
        quantity: *quantity,
        unit_price: 1.into(),
    };
    let order = Order {
        id: OrderId(uuid::Uuid::from_u128(number.into())),
        number,
        lines: lines.iter().map(line).collect(),
        ..ordered(work, status, work.events[0].at)
    };
    deed!(|records, order| {
        records.put_order(&order).await?;
        Ok(json!(null))
    })
}
