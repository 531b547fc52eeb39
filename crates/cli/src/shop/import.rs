//! `recado catalog import`: a file's mistakes all at once, or its products batch by batch.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;
use shop::catalogue::{ImportProducts, Listed, Reading, RetireProducts, RowError, read};

use super::{Act, Office, consult, open, perform};
use crate::args::ImportOptions;
use crate::exit::{FAILED_CHECK, Outcome, Usage};
use crate::output::print;

/// A catalogue of a hundred thousand variants has a quarter of this.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// More mistakes than these help nobody to mend the file.
const TOLD: usize = 50;
/// The person who waits hears of every so many products.
const HEARD_OF: usize = 1000;

/// The result of importing a file.
#[derive(Default, Serialize)]
struct Imported {
    dry_run: bool,
    added: u64,
    changed: u64,
    same: u64,
    stock_set: u64,
    retired: u64,
    errors: Vec<RowError>,
}

pub(super) async fn import(options: &ImportOptions) -> Outcome {
    let Reading { products, errors } = read(&bytes(&options.file)?);
    let refused = !errors.is_empty() && !options.skip_bad;
    tell(&errors);
    let mut imported = Imported { dry_run: options.dry_run, errors, ..Imported::default() };
    if refused {
        eprintln!("Nothing was imported: mend the file, or leave such rows out with --skip-bad.");
        print(options.desk.json, &imported, |_| String::new())?;
        return Ok(ExitCode::from(FAILED_CHECK));
    }
    let office = open(&options.desk).await?;
    let listed: BTreeSet<_> = products.iter().map(|listed| listed.product.clone()).collect();
    write(&office, options, products, &mut imported).await?;
    if options.replace {
        retire(&office, options, Arc::new(listed), &mut imported).await?;
    }
    print(options.desk.json, &imported, in_words)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn bytes(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let opened: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(std::io::stdin()),
        false => {
            let opened = std::fs::File::open(file);
            Box::new(opened.map_err(|error| Usage(format!("{}: {error}", file.display())))?)
        }
    };
    let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", file.display()))?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES / 1024 / 1024;
        return Err(Usage(format!("{} has more than {most} MiB", file.display())).into());
    }
    Ok(bytes)
}

fn tell(errors: &[RowError]) {
    for error in errors.iter().take(TOLD) {
        eprintln!("{error}");
    }
    if errors.len() > TOLD {
        eprintln!("… and {} more", errors.len() - TOLD);
    }
}

async fn write(
    office: &Office,
    options: &ImportOptions,
    mut products: Vec<Listed>,
    imported: &mut Imported,
) -> Result<()> {
    let (all, mut done) = (products.len(), 0);
    while !products.is_empty() {
        let rest = products.split_off(products.len().min(ImportProducts::BATCH));
        let batch = std::mem::replace(&mut products, rest);
        let ImportOptions { replace, set_stock, dry_run, .. } = *options;
        done += batch.len();
        let deed = ImportProducts { products: batch, replace, set_stock, dry_run };
        let answer = run(office, options, deed).await?;
        imported.add(&answer);
        if done % HEARD_OF == 0 && !products.is_empty() {
            eprintln!("{done} of {all} products");
        }
    }
    Ok(())
}

async fn retire(
    office: &Office,
    options: &ImportOptions,
    listed: Arc<BTreeSet<String>>,
    imported: &mut Imported,
) -> Result<()> {
    let mut after = None;
    loop {
        let limit = u32::try_from(ImportProducts::BATCH).unwrap_or(u32::MAX);
        let listed = Arc::clone(&listed);
        let deed = RetireProducts { listed, after, limit, dry_run: options.dry_run };
        let answer = run(office, options, deed).await?;
        imported.add(&answer);
        match answer["last"].as_str() {
            Some(last) => after = Some(last.to_owned()),
            None => return Ok(()),
        }
    }
}

async fn run(
    office: &Office,
    options: &ImportOptions,
    deed: impl store::Deed + 'static,
) -> Result<Value> {
    let name = options.file.file_name().unwrap_or(options.file.as_os_str());
    let file = name.to_string_lossy();
    let act = Act { action: "catalog.import", subject: &file };
    match options.dry_run {
        true => consult(office, deed).await,
        false => perform(office, &options.desk, act, deed).await,
    }
}

impl Imported {
    fn add(&mut self, answer: &Value) {
        let count = |name: &str| answer[name].as_u64().unwrap_or_default();
        self.added += count("added");
        self.changed += count("changed");
        self.same += count("same");
        self.stock_set += count("stock_set");
        self.retired += count("retired");
    }
}

fn in_words(imported: &Imported) -> String {
    let Imported { added, changed, same, stock_set, retired, .. } = imported;
    let would = if imported.dry_run { "Nothing was changed. It would be: " } else { "" };
    let skipped = match imported.errors.len() {
        0 => String::new(),
        errors => format!(", {errors} mistakes left out"),
    };
    format!(
        "{would}{added} products added, {changed} changed, {same} as they were, \
         {retired} taken off sale, stock set for {stock_set} variants{skipped}"
    )
}
