//! A call that needs the customer's yes is done after it alone, exactly as it was shown, and once.

use domain::{Authority, Consent, Pii, Proposal, Standing, Terms, TurnId};
use serde_json::{Value, json};
use store::Records;
use tools::{Prepared, Registry};
use uuid::Uuid;

use crate::kit::{NOON, Shop, money, product, variant, wait};

const SHOWN: TurnId = TurnId(Uuid::from_u128(100));
const NOW: TurnId = TurnId(Uuid::from_u128(101));

fn yes() -> Authority {
    Authority::Agreed(Consent { shown_in: SHOWN, given_in: NOW })
}

impl Shop {
    /// Calls a tool as the engine does, by this authority.
    fn by(&mut self, authority: Authority, tool: &str, input: &Value) -> Result<Value, String> {
        let caller = domain::Caller { authority, ..self.caller };
        match Registry::builtin().prepare(&caller, tool, input) {
            Ok(Prepared::Local { deed, .. }) => self.perform(&*deed),
            Ok(_) => panic!("{tool} does not act here"),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    /// The terms the customer would agree to; none needs no yes.
    fn terms(&mut self, tool: &str, input: &Value) -> Option<Terms> {
        let deed = Registry::builtin().propose(&self.caller, tool, input).unwrap();
        serde_json::from_value(self.perform(&*deed).unwrap()).unwrap()
    }

    /// Shows the customer what a call comes to.
    fn shows(&mut self, tool: &str, input: &Value) {
        let proposal = Proposal {
            turn: SHOWN,
            shown_at: NOON,
            epoch: 0,
            tool: tool.to_owned(),
            input: input.clone(),
            terms: self.terms(tool, input).expect("it needs a yes"),
            said: Pii::default(),
            messages: Vec::new(),
            standing: Standing::Open,
        };
        wait(self.records.put_proposal(self.caller.session, &proposal)).unwrap();
    }

    /// With an order of two, and one more in the cart.
    fn ordered(mut self) -> Self {
        self.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
        self.done("confirm_order", json!({}));
        self.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 1 }));
        self
    }

    fn orders(&self) -> Vec<String> {
        let line = |order: &domain::Order| format!("{:?} {}", order.status, order.total);
        self.records.all_orders().into_iter().map(line).collect()
    }
}

/// Every tool that needs a yes, with an input for which it would work.
fn calls() -> [(&'static str, Value); 3] {
    [
        ("confirm_order", json!({})),
        ("cancel_order", json!({})),
        ("modify_order", json!({ "lines": [{ "sku": "coca-500", "quantity": 5 }] })),
    ]
}

#[test]
fn nothing_that_needs_a_yes_is_done_without_one() {
    for (tool, input) in calls() {
        let mut shop = Shop::open().ordered();
        let before = shop.orders();
        let refused = shop.by(Authority::Turn, tool, &input).unwrap_err();
        assert!(refused.starts_with("needs_yes:"), "{tool}: {refused}");
        let refused = shop.by(yes(), tool, &input).unwrap_err();
        assert!(refused.starts_with("needs_yes:"), "{tool}, nothing was shown: {refused}");
        assert_eq!(shop.orders(), before, "{tool}");
    }
}

#[test]
fn a_yes_to_what_was_shown_is_good_once() {
    for (tool, input) in calls() {
        let mut shop = Shop::open().ordered();
        shop.shows(tool, &input);
        let refused = shop.by(Authority::Turn, tool, &input).unwrap_err();
        assert!(refused.starts_with("needs_yes:"), "shown, and nobody said yes: {tool}");
        shop.by(yes(), tool, &input).unwrap_or_else(|error| panic!("{tool}: {error}"));
        let after = shop.orders();
        shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 1 }));
        assert!(shop.by(yes(), tool, &input).is_err(), "{tool} a second time");
        assert_eq!(shop.orders(), after);
    }
}

#[test]
fn a_yes_to_one_thing_is_none_to_another() {
    for (shown, input) in calls() {
        for (tool, other) in calls().into_iter().filter(|(tool, _)| *tool != shown) {
            let mut shop = Shop::open().ordered();
            shop.shows(shown, &input);
            let before = shop.orders();
            assert!(shop.by(yes(), tool, &other).is_err(), "{shown} was shown, not {tool}");
            assert_eq!(shop.orders(), before);
        }
    }
    let mut shop = Shop::open().ordered();
    shop.shows("modify_order", &calls()[2].1);
    let more = json!({ "lines": [{ "sku": "coca-500", "quantity": 6 }] });
    assert!(shop.by(yes(), "modify_order", &more).is_err(), "six are not five");
}

#[test]
fn a_yes_falls_with_any_change_of_what_was_shown() {
    type Change = fn(&mut Shop);
    let changes: [(&str, Change); 5] = [
        ("more goods", |shop| {
            shop.done("add_to_cart", json!({ "sku": "fanta-500", "quantity": 1 }));
        }),
        ("another quantity", |shop| {
            shop.done("update_cart_item", json!({ "sku": "coca-500", "quantity": 3 }));
        }),
        ("a note", |shop| {
            shop.done("set_cart_notes", json!({ "notes": "sin bolsa" }));
        }),
        ("another name", |shop| {
            shop.done("update_customer_info", json!({ "first_name": "Beto" }));
        }),
        ("another price", |shop| {
            let dearer = variant("coca-500", "500 ml", money("1251", "ARS"));
            shop.put(&product("coca", "Coca-Cola", "Gaseosas", vec![dearer]));
        }),
    ];
    for (what, change) in changes {
        let mut shop = Shop::open();
        shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
        shop.shows("confirm_order", &json!({}));
        change(&mut shop);
        let refused = shop.by(yes(), "confirm_order", &json!({})).unwrap_err();
        assert!(refused.starts_with("needs_yes:"), "{what}: {refused}");
        assert_eq!(shop.orders(), Vec::<String>::new(), "{what}");
    }
}

#[test]
fn where_an_order_goes_is_part_of_what_is_agreed_to() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
    let shown = json!({ "delivery": "delivery", "shipping_address": "Mitre 450" });
    shop.shows("confirm_order", &shown);
    let elsewhere = json!({ "delivery": "delivery", "shipping_address": "Mitre 451" });
    assert!(shop.by(yes(), "confirm_order", &elsewhere).is_err());
    assert!(shop.by(yes(), "confirm_order", &shown).is_ok());
}

#[test]
fn a_yes_to_an_older_summary_is_none_to_the_newest() {
    let mut shop = Shop::open();
    shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
    shop.shows("confirm_order", &json!({}));
    let older = Consent { shown_in: TurnId(Uuid::from_u128(99)), given_in: NOW };
    assert!(shop.by(Authority::Agreed(older), "confirm_order", &json!({})).is_err());
    assert!(shop.by(yes(), "confirm_order", &json!({})).is_ok());
}

#[test]
fn a_cart_that_was_summed_up_is_not_emptied_without_a_yes() {
    let empty = json!({});
    let mut shop = Shop::open();
    shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
    assert_eq!(shop.terms("clear_cart", &empty), None);
    shop.shows("confirm_order", &empty);
    assert!(shop.by(Authority::Turn, "clear_cart", &empty).is_err());
    assert!(shop.by(yes(), "clear_cart", &empty).is_err(), "the yes was to the order");
    let mut fallen = wait(shop.records.proposal(shop.caller.session)).unwrap().unwrap();
    fallen.standing = Standing::Fallen;
    wait(shop.records.put_proposal(shop.caller.session, &fallen)).unwrap();
    assert!(shop.by(Authority::Turn, "clear_cart", &empty).is_err(), "nor once it has fallen");
    shop.done("add_to_cart", json!({ "sku": "fanta-500", "quantity": 2 }));
    assert!(shop.by(Authority::Turn, "clear_cart", &empty).is_err(), "nor with something added");
    shop.shows("clear_cart", &empty);
    shop.by(yes(), "clear_cart", &empty).unwrap();
    shop.done("add_to_cart", json!({ "sku": "fanta-500", "quantity": 2 }));
    shop.by(Authority::Turn, "clear_cart", &empty).expect("this one was never summed up");
}

#[test]
fn a_cart_that_was_summed_up_is_not_emptied_piece_by_piece_either() {
    let out = |tool: &str, sku: &str| match tool {
        "remove_from_cart" => json!({ "sku": sku }),
        _ => json!({ "sku": sku, "quantity": 0 }),
    };
    for tool in ["remove_from_cart", "update_cart_item"] {
        let mut shop = Shop::open();
        shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
        shop.done("add_to_cart", json!({ "sku": "fanta-500", "quantity": 1 }));
        shop.shows("confirm_order", &json!({}));
        shop.by(Authority::Turn, tool, &out(tool, "coca-500")).expect("something is left");
        for authority in [Authority::Turn, yes()] {
            let refused = shop.by(authority, tool, &out(tool, "fanta-500")).unwrap_err();
            assert!(refused.starts_with("needs_yes:"), "{tool}: {refused}");
        }
        assert_eq!(shop.done("get_cart", json!({}))["units"], 1, "{tool}");
        // Nor by way of something that no summary has shown.
        shop.done("add_to_cart", json!({ "sku": "coca-1500", "quantity": 1 }));
        shop.by(Authority::Turn, tool, &out(tool, "fanta-500")).expect("something is left");
        assert!(shop.by(Authority::Turn, tool, &out(tool, "coca-1500")).is_err(), "{tool}");
        shop.done("add_to_cart", json!({ "sku": "fanta-500", "quantity": 1 }));
        shop.by(Authority::Turn, tool, &out(tool, "coca-1500")).expect("something is left");
        shop.by(Authority::Person, tool, &out(tool, "fanta-500")).expect("a person needs no yes");

        // The thing agreed to has left the cart; the next one was never shown.
        let mut shop = Shop::open();
        shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 2 }));
        shop.shows("confirm_order", &json!({}));
        shop.by(yes(), "confirm_order", &json!({})).unwrap();
        shop.done("add_to_cart", json!({ "sku": "coca-500", "quantity": 1 }));
        shop.by(Authority::Turn, tool, &out(tool, "coca-500")).expect("never summed up");
    }
}

#[test]
fn an_order_written_down_as_confirmed_needs_a_yes_and_one_that_waits_for_it_does_not() {
    let wanted = |status: &str| {
        json!({ "lineas": [{ "producto": "2x", "cantidad": 1, "precio": 100 }], "moneda": "COP",
                "estado": status })
    };
    let mut shop = Shop::open();
    let tool = "crm.order.create";
    assert!(shop.by(Authority::Turn, tool, &wanted("confirmed")).is_err());
    let pending = shop.by(Authority::Turn, tool, &wanted("pending_confirmation")).unwrap();
    let settle = |status: &str| json!({ "pedido": pending["order"], "estado": status });
    let tool = "crm.order.update";
    assert!(shop.by(Authority::Turn, tool, &settle("confirmed")).is_err());
    shop.shows(tool, &settle("confirmed"));
    shop.by(yes(), tool, &settle("confirmed")).unwrap();
    assert!(shop.by(yes(), tool, &settle("cancelled")).is_err(), "that yes is used");
    assert!(shop.by(Authority::Turn, tool, &settle("cancelled")).is_err(), "it was agreed to");
    let waiting = shop.by(Authority::Turn, "crm.order.create", &wanted("pending_confirmation"));
    let drop = json!({ "pedido": waiting.unwrap()["order"], "estado": "cancelled" });
    shop.by(Authority::Turn, tool, &drop).expect("nobody has agreed to it yet");
}

#[test]
fn a_person_needs_no_yes() {
    for (tool, input) in calls() {
        let mut shop = Shop::open().ordered();
        shop.by(Authority::Person, tool, &input).unwrap_or_else(|error| panic!("{tool}: {error}"));
    }
}

#[test]
fn no_model_is_shown_a_price_a_total_or_an_address_to_fill_in() {
    let registry = Registry::builtin();
    for (tool, hidden) in [
        ("confirm_order", &["delivery", "shipping_address", "total"][..]),
        ("crm.order.create", &["lineas", "moneda", "estado", "datos"]),
    ] {
        let shown = registry.get(tool).unwrap().spec().for_model();
        for name in hidden {
            assert!(!shown.takes(name), "{tool} {name}");
            assert!(!shown.input["required"].to_string().contains(name), "{tool} {name}");
        }
    }
}
