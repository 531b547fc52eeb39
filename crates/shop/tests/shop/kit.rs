//! A small shop with two customers, whose books are balanced after every deed.

use std::collections::BTreeMap;

use domain::{
    Caller, Contact, ContactId, ConversationId, Money, Order, Product, SessionId, Stock, Timestamp,
    Variant, WorkspaceId,
};
use serde_json::{Map, Value, json};
use shop::search::index_terms;
use store::{Deed, DeedError, MemoryRecords, Records};
use tools::{Registry, Tool};
use uuid::Uuid;

pub(crate) const NOON: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(crate) struct Shop {
    pub(crate) records: MemoryRecords,
    pub(crate) caller: Caller,
    registry: Registry,
}

pub(crate) fn money(amount: &str, code: &str) -> Money {
    Money::new(amount.parse().unwrap(), code.parse().unwrap())
}

pub(crate) fn variant(sku: &str, label: &str, price: Money) -> Variant {
    Variant {
        sku: sku.to_owned(),
        label: label.to_owned(),
        price,
        aliases: Vec::new(),
        active: true,
        data: Map::new(),
    }
}

pub(crate) fn product(id: &str, name: &str, category: &str, variants: Vec<Variant>) -> Product {
    Product {
        id: id.to_owned(),
        name: name.to_owned(),
        category: category.to_owned(),
        brand: None,
        description: String::new(),
        aliases: Vec::new(),
        active: true,
        variants,
    }
}

fn goods() -> Vec<(Product, Vec<u32>)> {
    let ars = |amount| money(amount, "ARS");
    let mut gone = variant("tab-500", "500 ml", ars("900"));
    gone.active = false;
    let coca = vec![
        variant("coca-500", "500 ml", ars("1250.50")),
        variant("coca-1500", "1,5 L", ars("2500")),
        gone,
    ];
    vec![
        (product("coca", "Coca-Cola", "Gaseosas", coca), vec![10, 3, 5]),
        (
            product("fanta", "Fanta", "Gaseosas", vec![variant("fanta-500", "", ars("0.10"))]),
            vec![1000],
        ),
        (product("pan", "Pan", "Panadería", vec![variant("pan", "", ars("800"))]), vec![0]),
        (
            product("vino", "Vino", "Importados", vec![variant("vino", "", money("20", "USD"))]),
            vec![4],
        ),
    ]
}

impl Shop {
    pub(crate) fn open() -> Self {
        let caller = Caller {
            workspace: WorkspaceId::from_slug("almacen"),
            conversation: ConversationId(Uuid::from_u128(1)),
            contact: ContactId(Uuid::from_u128(2)),
            session: SessionId(Uuid::from_u128(3)),
            authority: domain::Authority::Person,
        };
        let records = MemoryRecords::at(NOON);
        let mut shop = Self { records, caller, registry: Registry::builtin() };
        for (product, levels) in goods() {
            shop.put(&product);
            for (variant, available) in product.variants.iter().zip(levels) {
                shop.stock(&Stock { available, ..Stock::none(&variant.sku) });
            }
        }
        for id in [2, 20] {
            let data = json!({ "dni": "30123456", "first_name": "Ana" });
            let data = data.as_object().unwrap().clone();
            let id = ContactId(Uuid::from_u128(id));
            shop.contact(&Contact { id, name: None, phone: None, data });
        }
        shop
    }

    pub(crate) fn put(&mut self, product: &Product) {
        wait(self.records.put_product(product, &index_terms(product))).unwrap();
    }

    pub(crate) fn stock(&mut self, stock: &Stock) {
        wait(self.records.put_stock(stock)).unwrap();
    }

    pub(crate) fn contact(&mut self, contact: &Contact) {
        wait(self.records.put_contact(contact)).unwrap();
    }

    /// From now on another customer writes.
    pub(crate) fn other_customer(&mut self) {
        self.caller.contact = ContactId(Uuid::from_u128(20));
        self.caller.session = SessionId(Uuid::from_u128(30));
    }

    pub(crate) fn first_customer(&mut self) {
        self.caller.contact = ContactId(Uuid::from_u128(2));
        self.caller.session = SessionId(Uuid::from_u128(3));
    }

    /// Calls a tool, its checks included.
    pub(crate) fn call(&mut self, tool: &str, input: Value) -> Result<Value, String> {
        let offered = self.registry.get(tool).unwrap();
        offered.check(&input).map_err(|error| error.to_string())?;
        let Tool::Local(local) = &offered.tool else { panic!("{tool} is not local") };
        let deed = local.deed(&self.caller, &input).map_err(|error| error.to_string())?;
        let before = self.records.clone();
        let done = self.perform(&*deed);
        if offered.spec().class == tools::Class::Safe {
            assert!(self.records == before, "{tool} only reads");
        }
        done
    }

    /// The answer of the tool.
    pub(crate) fn done(&mut self, tool: &str, input: Value) -> Value {
        self.call(tool, input.clone()).unwrap_or_else(|error| panic!("{tool} {input}: {error}"))
    }

    /// Why the tool does nothing.
    pub(crate) fn refused(&mut self, tool: &str, input: Value) -> String {
        match self.call(tool, input.clone()) {
            Ok(done) => panic!("{tool} {input}: {done}"),
            Err(reason) => reason,
        }
    }

    /// Runs a deed. A deed that refuses has written nothing before: that is cheaper than to undo it.
    pub(crate) fn perform(&mut self, deed: &dyn Deed) -> Result<Value, String> {
        let before = self.books();
        let ended = wait(deed.run(&mut self.records));
        self.balance();
        ended.map_err(|error| match error {
            DeedError::Refused(reason) => {
                assert_eq!(self.books(), before, "{reason}");
                reason
            }
            DeedError::Store(error) => panic!("{error}"),
        })
    }

    fn books(&mut self) -> String {
        let cart = wait(self.records.cart(self.caller.session)).unwrap();
        let contact = wait(self.records.contact(self.caller.contact)).unwrap();
        let stock: Vec<_> = self.records.stock_levels().collect();
        let (orders, paid) = (self.records.all_orders(), self.records.payments());
        format!("{cart:?} {contact:?} {stock:?} {orders:?} {paid:?}")
    }

    /// The reserved units are those that orders hold, and only orders that hold stock hold any.
    fn balance(&self) {
        let mut held: BTreeMap<String, u32> = BTreeMap::new();
        for (id, reservation) in self.records.all_reservations() {
            let order = self.records.all_orders().into_iter().find(|order| order.id == id);
            assert!(order.is_some_and(|order| order.status.holds_stock()));
            *held.entry(reservation.sku.clone()).or_default() += reservation.quantity;
        }
        for stock in self.records.stock_levels() {
            let reserved = held.remove(&stock.sku).unwrap_or_default();
            assert_eq!(stock.reserved, reserved, "{}", stock.sku);
        }
        assert!(held.is_empty(), "{held:?}");
    }

    /// Units for sale, promised, and gone.
    pub(crate) fn level(&self, sku: &str) -> (u32, u32, u32) {
        let stock = self.records.stock_levels().find(|stock| stock.sku == sku).unwrap();
        (stock.available, stock.reserved, stock.sold)
    }

    pub(crate) fn order(&self, number: u32) -> Order {
        let orders = self.records.all_orders();
        orders.into_iter().find(|order| order.number == number).unwrap().clone()
    }

    /// Puts these into the cart and confirms the order; its number.
    pub(crate) fn buy(&mut self, lines: &[(&str, u32)]) -> u32 {
        for (sku, quantity) in lines {
            self.done("add_to_cart", json!({ "sku": sku, "quantity": quantity }));
        }
        let order = self.done("confirm_order", json!({}));
        u32::try_from(order["number"].as_u64().unwrap()).unwrap()
    }
}

/// Waits for records in memory, which are there at once.
pub(crate) fn wait<F: Future>(work: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(work)
}
