//! `recado catalog`: a file in, the same file out, and what is wrong with a file.

use serde_json::{Value, json};

use crate::support::{Kind, Site};
use crate::{Ended, run, told};

crate::on_both_stores!(
    a_catalogue_goes_in_and_comes_out_equal,
    nothing_is_imported_while_a_row_is_wrong,
    what_a_file_leaves_out_stays_unless_it_replaces,
    the_shop_says_what_its_profile_says,
);

const FILE: &str = "product;name;category;sku;label;price;currency;stock;aliases\n\
                    coca;Coca-Cola;Gaseosas;coca-500;500 ml;1.250,50;ARS;10;coca|cola\n\
                    coca;;;coca-1500;1,5 L;2500;ARS;3;\n\
                    pan;=Pan;Panadería;pan;;800;ARS;;\n";

fn put(site: &Site, name: &str, text: &str) -> String {
    let path = site.folder().join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn changes(answer: &Value) -> [u64; 5] {
    ["added", "changed", "same", "stock_set", "retired"]
        .map(|name| answer[name].as_u64().expect(name))
}

async fn a_catalogue_goes_in_and_comes_out_equal(kind: Kind) {
    let site = Site::new(kind).await;
    let file = put(&site, "catalogo.csv", FILE);
    let rehearsed = told(&site, &["catalog", "import", &file, "--dry-run"]).await;
    assert_eq!(changes(&rehearsed), [2, 0, 0, 2, 0]);
    assert_eq!(run(&site, &["catalog", "export"]).await.out.lines().count(), 1);
    let imported = told(&site, &["catalog", "import", &file]).await;
    assert_eq!(changes(&imported), [2, 0, 0, 2, 0]);
    assert_eq!(changes(&told(&site, &["catalog", "import", &file]).await), [0, 0, 2, 0, 0]);
    let exported = run(&site, &["catalog", "export"]).await.out;
    assert_eq!(
        exported,
        "product,name,category,brand,description,aliases,sku,label,price,currency,stock,\
         variant_aliases,active\n\
         coca,Coca-Cola,Gaseosas,,,coca|cola,coca-500,500 ml,1250.5,ARS,10,,yes\n\
         coca,Coca-Cola,Gaseosas,,,coca|cola,coca-1500,\"1,5 L\",2500,ARS,3,,yes\n\
         pan,'=Pan,Panadería,,,,pan,,800,ARS,0,,yes\n"
    );
    for format in ["csv", "json"] {
        let again = run(&site, &["catalog", "export", "--format", format]).await.out;
        let again = put(&site, "otra", &again);
        let imported = told(&site, &["catalog", "import", &again, "--set-stock"]).await;
        assert_eq!(changes(&imported), [0, 0, 2, 0, 0], "{format}");
    }
    let words = run(&site, &["catalog", "import", &file]).await.out;
    assert_eq!(
        words.trim_end(),
        "0 products added, 0 changed, 2 as they were, 0 taken off sale, \
         stock set for 0 variants"
    );
}

async fn nothing_is_imported_while_a_row_is_wrong(kind: Kind) {
    let site = Site::new(kind).await;
    let good = put(&site, "bueno.csv", FILE);
    let bad = format!("{FILE}vino;Vino;Bebidas;vino;;1.234;ARS;1;\n");
    let bad = put(&site, "malo.csv", &bad);
    let Ended { code, out, err } = run(&site, &["catalog", "import", &bad]).await;
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(
        err,
        "line 5, `price` = 1.234: `1.234` may mean 1234 or 1.2340: write one of these\n\
         Nothing was imported: mend the file, or leave such rows out with --skip-bad.\n"
    );
    let listed = told(&site, &["catalog", "export"]).await;
    assert_eq!(listed, json!([]));
    let skipped = told(&site, &["catalog", "import", &bad, "--skip-bad"]).await;
    assert_eq!(changes(&skipped), [2, 0, 0, 2, 0]);
    assert_eq!(skipped["errors"][0]["place"], "line 5");
    for arguments in [
        &["catalog", "import", "/no/such/file.csv"][..],
        &["catalog", "import", &bad, "--skip-bad", "--replace"],
        &["catalog", "import", &good, "--workspace", "otra"],
    ] {
        assert_eq!(run(&site, arguments).await.code, 2, "{arguments:?}");
    }
}

async fn what_a_file_leaves_out_stays_unless_it_replaces(kind: Kind) {
    let site = Site::new(kind).await;
    let file = put(&site, "catalogo.csv", FILE);
    told(&site, &["catalog", "import", &file]).await;
    let less: Vec<_> = FILE.lines().take(2).collect();
    let less = put(&site, "menos.csv", &less.join("\n"));
    let active = async || -> Vec<String> {
        let listed = told(&site, &["catalog", "export"]).await;
        let variants = listed.as_array().unwrap().iter().flat_map(|one| {
            one["variants"].as_array().unwrap().iter().filter(|variant| variant["active"] == true)
        });
        variants.map(|variant| variant["sku"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(changes(&told(&site, &["catalog", "import", &less]).await), [0, 0, 1, 0, 0]);
    assert_eq!(active().await, ["coca-500", "coca-1500", "pan"]);
    let replace = ["catalog", "import", &less, "--replace"];
    let rehearsed = told(&site, &[&replace[..], &["--dry-run"]].concat()).await;
    assert_eq!(changes(&rehearsed), [0, 1, 0, 0, 1]);
    assert_eq!(active().await.len(), 3);
    assert_eq!(changes(&told(&site, &replace).await), [0, 1, 0, 0, 1]);
    assert_eq!(active().await, ["coca-500"]);
    assert_eq!(changes(&told(&site, &replace).await), [0, 0, 1, 0, 0]);
}

async fn the_shop_says_what_its_profile_says(kind: Kind) {
    let site = Site::new(kind).await;
    let none = run(&site, &["catalog", "profile"]).await;
    assert!(none.out.starts_with("The shop has no profile"), "{}", none.out);
    let file = put(&site, "comercio.yaml", "name: Don Tito\nhours: Lunes a viernes de 9 a 20\n");
    told(&site, &["catalog", "profile", &file]).await;
    let profile = json!({ "name": "Don Tito", "hours": "Lunes a viernes de 9 a 20" });
    assert_eq!(told(&site, &["catalog", "profile"]).await, profile);
    let wrong = put(&site, "mal.yaml", "name: Don Tito\nhorarios: de 9 a 20\n");
    let ended = run(&site, &["catalog", "profile", &wrong]).await;
    assert_eq!(ended.code, 5);
    assert!(ended.err.contains("a profile says nothing of `horarios`"), "{}", ended.err);
    let broken = put(&site, "roto.yaml", "name: [");
    assert_eq!(run(&site, &["catalog", "profile", &broken]).await.code, 2);
    assert_eq!(told(&site, &["catalog", "profile"]).await, profile);
}
