//! `recado stock` and `recado order`: what an operator sees and does.

use serde_json::{Value, json};

use crate::support::{Kind, Site};
use crate::till::Till;
use crate::{run, told};

crate::on_both_stores!(stock_is_seen_and_moved, orders_are_seen_and_moved_on,);

const FILE: &str = "product,name,category,sku,label,price,currency,stock\n\
                    coca,Coca-Cola,Gaseosas,coca-500,500 ml,1250.50,ARS,10\n\
                    pan,Pan,Panes,pan,,800,ARS,\n";

async fn fill(site: &Site) {
    let path = site.folder().join("catalogo.csv");
    std::fs::write(&path, FILE).expect("a file");
    told(site, &["catalog", "import", &path.display().to_string()]).await;
}

fn levels(answer: &Value) -> Vec<(String, [u64; 3])> {
    let level = |one: &Value| {
        let units = ["available", "reserved", "sold"].map(|name| one[name].as_u64().unwrap());
        (one["sku"].as_str().unwrap().to_owned(), units)
    };
    answer.as_array().unwrap().iter().map(level).collect()
}

async fn stock_is_seen_and_moved(kind: Kind) {
    let site = Site::new(kind).await;
    let empty = run(&site, &["stock", "list"]).await;
    assert!(empty.out.starts_with("No stock to show"), "{}", empty.out);
    fill(&site).await;
    let text = run(&site, &["stock", "receive", "pan", "5"]).await.out;
    assert_eq!(text, "pan: 5 for sale, 0 promised to orders\n");
    told(&site, &["stock", "write-off", "pan", "2"]).await;
    told(&site, &["stock", "count", "coca-500", "7"]).await;
    let all = [("coca-500".to_owned(), [7, 0, 0]), ("pan".to_owned(), [3, 0, 0])];
    assert_eq!(levels(&told(&site, &["stock", "list"]).await), all);
    assert_eq!(levels(&told(&site, &["stock", "list", "--below", "4"]).await), all[1..]);
    assert_eq!(
        run(&site, &["stock", "list"]).await.out,
        "SKU       TITLE             FOR SALE  PROMISED  SOLD\n\
         coca-500  Coca-Cola 500 ml  7         0         0\n\
         pan       Pan               3         0         0\n"
    );
    for (arguments, code, said) in [
        (["stock", "receive", "pam", "5"], 5, "recado: there is no `pam` in the catalogue\n"),
        (
            ["stock", "write-off", "pan", "4"],
            5,
            "recado: only 3 of `pan` can be written off: 0 are promised to orders\n",
        ),
        (["stock", "receive", "pan", "-5"], 2, "error: unexpected argument"),
    ] {
        let ended = run(&site, &arguments).await;
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.err);
        assert!(ended.err.starts_with(said), "{}", ended.err);
    }
}

async fn orders_are_seen_and_moved_on(kind: Kind) {
    let site = Site::new(kind).await;
    fill(&site).await;
    let mut till = Till::of_a_customer(&site).await;
    assert_eq!(run(&site, &["order", "list"]).await.out, "No orders.\n");
    for (tool, input) in [
        ("update_customer_info", json!({ "dni": "30123456", "first_name": "Ana" })),
        ("add_to_cart", json!({ "sku": "coca-500", "quantity": 4 })),
        ("confirm_order", json!({ "shipping_address": "Lavalle 1" })),
    ] {
        till.call(tool, &input).await.expect(tool);
    }
    let listed = told(&site, &["order", "list", "--status", "confirmed"]).await;
    assert_eq!(listed[0]["number"], 1);
    assert_eq!(told(&site, &["order", "list", "--status", "shipped"]).await, json!([]));
    let shown = run(&site, &["order", "show", "ord-00001"]).await.out;
    assert!(shown.starts_with("ORD-00001  confirmed\n"), "{shown}");
    assert!(shown.contains("   4 x Coca-Cola 500 ml  $1.250,50 each  (coca-500)\n"), "{shown}");
    assert!(shown.contains("total $5.002\n"), "{shown}");
    assert!(shown.contains("shipping_address: Lavalle 1\n"), "{shown}");
    let paid = run(&site, &["order", "pay", "1", "5002", "--method", "mercado_pago"]).await.out;
    assert_eq!(paid, "ORD-00001: $5.002 by mercado_pago\n");
    let moved = run(&site, &["order", "status", "1", "processing"]).await.out;
    assert_eq!(moved, "ORD-00001 is processing\n");
    let refused = till.call("cancel_order", &json!({})).await.unwrap_err();
    assert!(refused.starts_with("order_already_processed: ORD-00001"), "{refused}");
    told(&site, &["order", "status", "1", "delivered"]).await;
    let stock = levels(&told(&site, &["stock", "list"]).await);
    assert_eq!(stock[0], ("coca-500".to_owned(), [6, 0, 4]));
    for (arguments, code, said) in [
        (
            ["order", "status", "1", "processing"],
            5,
            "recado: ORD-00001 is delivered and cannot become processing\n",
        ),
        (["order", "status", "9", "shipped"], 3, "recado: there is no such order\n"),
        (["order", "status", "1", "enviado"], 2, "error: invalid value 'enviado'"),
        (["order", "status", "uno", "shipped"], 2, "error: invalid value 'uno'"),
        (["order", "pay", "9", "5"], 3, "recado: there is no such order\n"),
        (["order", "pay", "1", "0"], 5, "recado: a payment is above zero\n"),
    ] {
        let ended = run(&site, &arguments).await;
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.err);
        assert!(ended.err.starts_with(said), "{}", ended.err);
    }
    let logged = "SELECT count(*) FROM audit_log WHERE action = 'order.status'";
    assert_eq!(site.sql_number(logged).await, 2);
}
