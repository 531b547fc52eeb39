//! A shop whose agent makes one call of each kind in every turn.

use serde_json::json;

use super::{Clerk, OutsideScript, World};

pub(crate) struct Shop {
    pub(crate) world: World,
    /// Acts once however often it is called under one key.
    pub(crate) notify: OutsideScript,
    /// Acts whenever it is called.
    pub(crate) charge: OutsideScript,
}

impl Shop {
    /// A shop in `world`, whose agent takes a number, then notifies, then charges, and reports each
    /// result.
    pub(crate) fn within(world: World) -> Self {
        let calls = [
            ("turno.tomar", json!({"fila": "caja"})),
            ("avisar", json!({"a": "depósito"})),
            ("cobrar", json!({"pesos": 100})),
        ];
        let mut world = world.with_agent(Clerk::calling(&calls));
        let notify = OutsideScript::new("avisar", true, &world.faults);
        let charge = OutsideScript::new("cobrar", false, &world.faults);
        world.add_tool(notify.clone());
        world.add_tool(charge.clone());
        Self { world, notify, charge }
    }

    /// Every hit of a turn in which nothing goes wrong, in order.
    pub(crate) async fn hits_of_a_turn(beside: &World) -> Vec<String> {
        let Self { world, .. } = Self::within(beside.beside("todo va bien").await);
        world.hear("ana", "hola").await;
        world.faults.none();
        world.run().await;
        assert_eq!(world.phone.sent(), ["turno.tomar=1 avisar=ok cobrar=ok"]);
        let hits = world.faults.hits();
        assert!(hits.len() >= 20, "too few places for something to go wrong: {hits:?}");
        hits
    }
}
