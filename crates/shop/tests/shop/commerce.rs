//! The shop's profile: said as it was written, and nothing made up.

use serde_json::json;
use shop::SetProfile;

use crate::kit::Shop;

#[test]
fn the_shop_is_asked_about_itself() {
    let mut shop = Shop::open();
    assert_eq!(shop.refused("get_commerce_profile", json!({})), "the shop has no profile");
    let profile = json!({
        "name": "Almacén Don Tito", "address": "Av. San Martín 1234",
        "hours": { "lunes a viernes": "9 a 20" }, "policies": ["Cambios en 48 hs"],
        "payment_methods": ["efectivo", "Mercado Pago"],
    });
    shop.perform(&SetProfile(profile.clone())).unwrap();
    let name = &profile["name"];
    for (topic, expected) in [
        ("hours", json!({ "name": name, "hours": profile["hours"] })),
        ("location", json!({ "name": name, "address": profile["address"] })),
        ("policies", json!({ "name": name, "policies": profile["policies"] })),
        ("all", profile.clone()),
    ] {
        assert_eq!(shop.done("get_commerce_profile", json!({ "topic": topic })), expected);
    }
    assert_eq!(shop.done("get_commerce_profile", json!({})), profile);
    let methods = json!({ "payment_methods": ["efectivo", "Mercado Pago"] });
    assert_eq!(shop.done("get_payment_methods", json!({})), methods);
    assert_eq!(
        shop.refused("get_commerce_profile", json!({ "topic": "delivery" })),
        "the shop's profile does not say its `delivery`"
    );
    shop.perform(&SetProfile(json!({ "name": "Otro" }))).unwrap();
    assert_eq!(
        shop.refused("get_payment_methods", json!({})),
        "the shop's profile does not say its `payment_methods`"
    );
    assert_eq!(shop.done("get_commerce_profile", json!({})), json!({ "name": "Otro" }));
}

#[test]
fn a_profile_that_makes_no_sense_is_refused() {
    for (profile, told) in [
        (json!("Don Tito"), "a profile is an object"),
        (json!({ "hours": "9 a 20" }), "a profile has the shop's `name`"),
        (json!({ "name": " " }), "a profile has the shop's `name`"),
        (
            json!({ "name": "Don Tito", "horarios": "9 a 20" }),
            "a profile says nothing of `horarios`, only name, about, address, phone, hours, \
             holidays, policies, payment_methods, delivery",
        ),
    ] {
        assert_eq!(Shop::open().perform(&SetProfile(profile)), Err(told.to_owned()));
    }
}
