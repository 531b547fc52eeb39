//! The engine's tools as packs know them, one row each: a test holds them against the registry.

use crate::page::Language;

/// A tool that every pack has.
pub struct EngineTool {
    pub name: &'static str,
    /// For a tool that is called only after the customer's yes: the inputs it cannot be called without
    /// and no model may give.
    pub after_a_yes: Option<&'static [&'static str]>,
    /// The tool's act, in Spanish and in English.
    does: [&'static str; 2],
}

impl EngineTool {
    /// The tool's act, as a sentence about the agent goes on.
    pub(crate) fn does(&self, language: Language) -> &'static str {
        self.does[language as usize]
    }
}

const fn tool(name: &'static str, does: [&'static str; 2]) -> EngineTool {
    EngineTool { name, after_a_yes: None, does }
}

const fn after_a_yes(
    name: &'static str,
    given: &'static [&'static str],
    does: [&'static str; 2],
) -> EngineTool {
    EngineTool { name, after_a_yes: Some(given), does }
}

/// Every tool of the engine.
#[rustfmt::skip]
pub static ENGINE_TOOLS: &[EngineTool] = &[
    tool("crm.contact.create", ["abre una ficha de cliente", "opens a customer's record"]),
    tool("crm.contact.update", ["guarda los datos en la ficha del cliente", "keeps the data in the customer's record"]),
    after_a_yes("crm.order.create", &["lineas", "moneda"], ["anota el pedido", "writes the order down"]),
    after_a_yes("crm.order.update", &[], ["cambia el estado del pedido", "changes the order's status"]),
    tool("whatsapp.message.send", ["manda un mensaje de WhatsApp", "sends a WhatsApp message"]),
    tool("whatsapp.template.send", ["manda una plantilla aprobada", "sends an approved template"]),
    tool("turno.tomar", ["toma un turno", "takes an appointment"]),
    tool("avisar", ["avisa al equipo", "tells the team"]),
    tool("get_customer_info", ["mira la ficha del cliente", "looks at the customer's record"]),
    tool("update_customer_info", ["guarda los datos en la ficha del cliente", "keeps the data in the customer's record"]),
    tool("get_customer_debt", ["mira cuánto debe el cliente", "looks at what the customer owes"]),
    tool("get_order_history", ["mira los pedidos anteriores", "looks at earlier orders"]),
    tool("search_products", ["busca productos", "looks for products"]),
    tool("get_product_details", ["mira un producto", "looks at a product"]),
    tool("get_categories", ["mira qué rubros hay", "looks at the categories"]),
    tool("get_catalog", ["mira el catálogo", "looks at the catalogue"]),
    tool("add_to_cart", ["pone algo en el carrito", "puts something into the cart"]),
    tool("update_cart_item", ["cambia cuánto hay de algo en el carrito", "changes how much of something is in the cart"]),
    tool("remove_from_cart", ["saca algo del carrito", "takes something out of the cart"]),
    after_a_yes("clear_cart", &[], ["vacía el carrito", "empties the cart"]),
    tool("get_cart", ["mira el carrito", "looks at the cart"]),
    tool("set_cart_notes", ["anota un comentario del cliente", "notes a remark of the customer"]),
    tool("repeat_last_order", ["pone en el carrito lo del último pedido", "puts the last order into the cart"]),
    after_a_yes("confirm_order", &[], ["confirma el pedido", "confirms the order"]),
    after_a_yes("cancel_order", &[], ["cancela el pedido", "cancels the order"]),
    after_a_yes("modify_order", &[], ["cambia el pedido", "changes the order"]),
    tool("get_order_details", ["mira el último pedido", "looks at the last order"]),
    tool("get_commerce_profile", ["mira los datos del local", "looks at the profile of the business"]),
    tool("get_payment_methods", ["mira las formas de pago", "looks at the ways to pay"]),
    tool("request_handoff", ["pide que siga una persona", "asks for a person to take over"]),
];

/// The engine's tool of this name.
pub fn engine_tool(name: &str) -> Option<&'static EngineTool> {
    ENGINE_TOOLS.iter().find(|tool| tool.name == name)
}

/// The engine's tools that are called only after the customer's yes, each with the inputs it cannot be
/// called without and no model may give.
pub fn need_yes() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    ENGINE_TOOLS.iter().filter_map(|tool| Some((tool.name, tool.after_a_yes?)))
}
