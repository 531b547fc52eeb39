//! The records in memory are like those in the database: the same deeds, the same answers.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Cart, CartLine, Contact, Money, Payment, PaymentId, Product, SessionId, Stock, Variant,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::shelf::{Dice, Shelf};
use super::world::World;
use crate::{Deed, DeedError, MemoryRecords, Posting, Records};

const SHELF: Shelf = Shelf { skus: 14, orders: 20 };
const ACTS: u32 = 1_200;
/// Steps between two comparisons of everything.
const LOOK_EVERY: u32 = 40;
const TERMS: [&str; 4] = ["cola", "1500ml", "~col", "ñandú"];
const CATEGORIES: [&str; 3] = ["bebidas", "Almacén", "z"];

pub(super) async fn memory_answers_as_the_database_does(world: World) {
    let mut memory = MemoryRecords::at(world.now());
    let mut dice = Dice::seeded(5);
    let (mut done, mut refused) = (0, 0);
    for n in 0..ACTS {
        let now = world.now();
        memory.set_now(now);
        let act = act(&mut dice, n);
        let stored = perform(&world, Arc::clone(&act)).await;
        let before = memory.clone();
        let remembered = told(act.run(&mut memory).await);
        if remembered.is_err() {
            memory = before;
        }
        assert_eq!(stored, remembered, "the {n}th");
        match stored {
            Ok(_) => done += 1,
            Err(_) => refused += 1,
        }
        assert_eq!(look(&world, &mut memory, Arc::new(SHELF)).await, json!([]), "the {n}th");
        if n % LOOK_EVERY == 0 || n + 1 == ACTS {
            look(&world, &mut memory, Arc::new(Everything)).await;
        }
        world.pass_ms(i64::from(n % 3));
    }
    assert!(done > ACTS / 2 && refused > ACTS / 20, "{done} done, {refused} refused");
}

async fn perform(world: &World, deed: Arc<dyn Deed>) -> Result<Value, String> {
    told(super::doing::perform(world, deed).await)
}

/// A failure of the database is no answer, and fails the test.
fn told(result: Result<Value, DeedError>) -> Result<Value, String> {
    result.map_err(|error| match error {
        DeedError::Refused(reason) => reason,
        DeedError::Store(error) => panic!("{error}"),
    })
}

/// The answer of a deed that only reads, which must be the same in both.
async fn look(world: &World, memory: &mut MemoryRecords, deed: Arc<dyn Deed>) -> Value {
    let remembered = told(deed.run(memory).await).expect("seen");
    let stored = told(super::doing::consult(world, deed).await).expect("seen");
    assert_eq!(stored, remembered);
    stored
}

fn act(dice: &mut Dice, n: u32) -> Arc<dyn Deed> {
    match dice.below(20) {
        0..=11 => Arc::new(SHELF.act(dice)),
        12..=14 => Arc::new(product(dice)),
        15 => Arc::new(PutCart { session: session(dice.below(5)), cart: cart(dice) }),
        16 => Arc::new(Pay(payment(dice, n))),
        17..=18 => Arc::new(document(dice)),
        _ => Arc::new(Note { contact: dice.below(12), said: n }),
    }
}

struct PutProduct(Product, Vec<Posting>);

/// A product, of eight, with some of the shelf's skus, which so move from product to product.
fn product(dice: &mut Dice) -> PutProduct {
    let id = dice.below(8);
    let mut numbers: Vec<_> = (0..dice.below(4)).map(|_| dice.below(SHELF.skus)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut variant = |n: &u32| Variant {
        sku: Shelf::sku(*n),
        label: format!("talle {n}"),
        price: money(dice),
        aliases: vec![format!("alias {n}")],
        active: dice.below(5) > 0,
        data: Map::new(),
    };
    let variants: Vec<Variant> = numbers.iter().rev().map(&mut variant).collect();
    let mut terms = Vec::new();
    for Variant { sku, .. } in &variants {
        for term in TERMS {
            // Fewer than half of the terms get a weight.
            if let weight @ 1.. = dice.below(18).saturating_sub(8) {
                terms.push(Posting { term: term.to_owned(), sku: sku.clone(), weight });
            }
        }
    }
    let product = Product {
        id: format!("p{id}"),
        name: format!("Producto {id}"),
        category: CATEGORIES[dice.below(3) as usize].to_owned(),
        brand: (dice.below(2) == 0).then(|| "Marca".to_owned()),
        description: String::new(),
        aliases: Vec::new(),
        active: dice.below(5) > 0,
        variants,
    };
    PutProduct(product, terms)
}

#[async_trait]
impl Deed for PutProduct {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Self(product, terms) = self;
        let before = records.product(&product.id).await?;
        records.put_product(product, terms).await?;
        // Some deeds refuse after they have written, so that undoing is compared too.
        if product.variants.len() == 3 && !product.active {
            return DeedError::refused(format!("{} had better stay", product.id));
        }
        Ok(json!([before, records.product(&product.id).await?]))
    }
}

struct PutCart {
    session: SessionId,
    cart: Cart,
}

fn cart(dice: &mut Dice) -> Cart {
    let line = |dice: &mut Dice| CartLine {
        sku: Shelf::sku(dice.below(SHELF.skus)),
        name: "Cola".into(),
        label: "1,5 L".into(),
        quantity: dice.below(9) + 1,
        unit_price: money(dice),
    };
    let lines = (0..dice.below(3)).map(|_| line(dice)).collect();
    let notes = if dice.below(2) == 0 { "sin bolsa" } else { "" };
    Cart { lines, notes: notes.into() }
}

#[async_trait]
impl Deed for PutCart {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let before = records.cart(self.session).await?;
        records.put_cart(self.session, &self.cart).await?;
        Ok(json!([before, records.cart(self.session).await?]))
    }
}

struct Pay(Payment);

fn payment(dice: &mut Dice, n: u32) -> Payment {
    let order = dice.below(SHELF.orders) + 1;
    Payment {
        id: PaymentId(Uuid::from_u128(u128::from(n))),
        order: Shelf::order(order),
        contact: Shelf::contact(order),
        amount: money(dice),
        method: "efectivo".into(),
        at: domain::Timestamp::from_millis(i64::from(n)),
    }
}

#[async_trait]
impl Deed for Pay {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Self(payment) = self;
        if records.order(payment.order).await?.is_none() {
            return DeedError::refused("there is no such order");
        }
        records.add_payment(payment).await?;
        Ok(json!(records.accounts(payment.contact).await?))
    }
}

struct PutDocument {
    kind: &'static str,
    id: String,
    document: Option<Value>,
}

fn document(dice: &mut Dice) -> PutDocument {
    PutDocument {
        kind: if dice.below(2) == 0 { "perfil" } else { "zona" },
        id: format!("d{}", dice.below(5)),
        document: (dice.below(3) > 0).then(|| json!({ "n": dice.below(99), "ñ": ["a", null] })),
    }
}

#[async_trait]
impl Deed for PutDocument {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let before = records.document(self.kind, &self.id).await?;
        records.put_document(self.kind, &self.id, self.document.as_ref()).await?;
        Ok(json!([before, records.documents(self.kind).await?]))
    }
}

/// Notes something about a contact, and counts it.
struct Note {
    contact: u32,
    said: u32,
}

#[async_trait]
impl Deed for Note {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let id = Shelf::contact(self.contact);
        let number = records.take_number(&format!("notas/{}", self.contact % 3)).await?;
        let known = records.contact(id).await?;
        let mut contact =
            known.unwrap_or_else(|| Contact { id, name: None, phone: None, data: Map::new() });
        if contact.data.len() > 6 {
            return DeedError::refused("enough is known");
        }
        contact.name = self.said.is_multiple_of(2).then(|| format!("Ana {}", self.said).into());
        contact.data.insert(format!("nota {}", self.said), json!(number));
        records.put_contact(&contact).await?;
        Ok(json!([number, records.contact(id).await?]))
    }
}

fn session(n: u32) -> SessionId {
    SessionId(Uuid::from_u128(0x5e55_0000 + u128::from(n)))
}

fn money(dice: &mut Dice) -> Money {
    let currency = if dice.below(4) == 0 { "USD" } else { "ARS" };
    let amount = rust_decimal::Decimal::new(i64::from(dice.below(100_000)), dice.below(3));
    Money::new(amount, currency.parse().expect("a currency"))
}

/// Reads all that can be read.
struct Everything;

#[async_trait]
impl Deed for Everything {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let skus: Vec<_> = (0..SHELF.skus).map(Shelf::sku).collect();
        let terms = TERMS.map(str::to_owned);
        let mut seen = vec![
            json!(records.products(None, 99).await?),
            json!(records.products(Some("p3"), 2).await?),
            json!(records.items(&skus).await?),
            json!(records.categories().await?),
            json!(records.stock(&skus).await?.iter().map(on_hand).collect::<Vec<_>>()),
            json!(records.documents("perfil").await?),
            json!(records.documents("zona").await?),
        ];
        for limit in [2, 99] {
            for category in CATEGORIES {
                seen.push(json!(records.in_category(category, limit).await?));
            }
            let found = records.postings(&terms, limit).await?;
            let row = |posting: Posting| json!([posting.term, posting.sku, posting.weight]);
            seen.push(found.into_iter().map(row).collect());
        }
        for n in 0..12 {
            let contact = Shelf::contact(n);
            seen.push(json!(records.contact(contact).await?));
            seen.push(json!(records.orders_of(contact, n).await?));
            seen.push(json!(records.accounts(contact).await?));
            seen.push(json!(records.cart(session(n)).await?));
        }
        for n in 0..=SHELF.orders {
            seen.push(json!(records.order(Shelf::order(n)).await?));
            seen.push(json!(records.order_numbered(n).await?));
            seen.push(json!(records.reservations(Shelf::order(n)).await?));
        }
        Ok(json!(seen))
    }
}

fn on_hand(stock: &Stock) -> (Stock, u64) {
    (stock.clone(), stock.on_hand())
}
