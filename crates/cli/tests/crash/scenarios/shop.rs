//! A scenario of a shop that is filled from a file.

use serde_json::Value;

use super::Crash;
use crate::support::{Kind, Site};

const PRODUCTS: usize = 250;
const BATCH: usize = 100;

pub(crate) async fn filling_a_shop(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let mut file = "product,name,category,sku,price,currency,stock\n".to_owned();
    for number in 0..PRODUCTS {
        file += &format!("p{number},Producto {number},Varios,s{number},5,ARS,7\n");
    }
    let path = site.folder().join("catalogo.csv");
    std::fs::write(&path, file).expect("a file");
    let import = ["catalog", "import", &path.display().to_string()];
    site.desk_to_die(&crash.to_string(), &import).await;
    // A batch is there whole or not at all, with its stock.
    let passed = crash.pass as usize - usize::from(!crash.did_it());
    let there = passed * BATCH;
    assert_eq!(stocked(&site).await, vec![7; there], "{crash}");
    let again = site.desk(&import).await;
    assert_eq!((&again["added"], &again["same"]), (&(PRODUCTS - there).into(), &there.into()));
    assert_eq!(stocked(&site).await, vec![7; PRODUCTS]);
    let noted = "SELECT count(*) FROM audit_log WHERE action = 'catalog.import'";
    let batches = passed + PRODUCTS.div_ceil(BATCH);
    assert_eq!(site.sql_number(noted).await, i64::try_from(batches).expect("a few"));
}

async fn stocked(site: &Site) -> Vec<u64> {
    let listed = site.desk(&["catalog", "export"]).await;
    let stock = |one: &Value| one["variants"][0]["stock"].as_u64().expect("a stock");
    listed.as_array().expect("a list").iter().map(stock).collect()
}
