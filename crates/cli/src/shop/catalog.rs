//! `recado catalog`: the catalogue in and out of files, and the shop's profile.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use shop::SetProfile;
use shop::catalogue::{Listed, Page, page, write_csv, write_json};

use super::import::{self, import};
use super::{Act, Office, consult, open, perform};
use crate::args::{CatalogCommand, Desk, Format};
use crate::exit::{Outcome, Usage};
use crate::output::print;

/// How many products are read at once.
const PAGE: u32 = 500;

pub(crate) async fn catalog(command: CatalogCommand) -> Outcome {
    match command {
        CatalogCommand::Import(options) => return import(&options).await,
        CatalogCommand::Export { format, desk } => export(&desk, format).await?,
        CatalogCommand::Profile { file: Some(file), desk } => set_profile(&desk, &file).await?,
        CatalogCommand::Profile { file: None, desk } => show_profile(&desk).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn export(desk: &Desk, format: Format) -> Result<()> {
    let products = listed(&open(desk).await?).await?;
    let text = match desk.json || format == Format::Json {
        true => write_json(&products),
        false => write_csv(&products),
    };
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).context("cannot write the catalogue")?;
    if !out.is_terminal() {
        eprintln!("{} products", products.len());
    }
    Ok(())
}

async fn listed(office: &Office) -> Result<Vec<Listed>> {
    let (mut products, mut after) = (Vec::new(), None);
    loop {
        let (some, last) = page(consult(office, Page { after, limit: PAGE }).await?)?;
        products.extend(some);
        match last {
            Some(last) => after = Some(last),
            None => return Ok(products),
        }
    }
}

async fn set_profile(desk: &Desk, file: &Path) -> Result<()> {
    let text = String::from_utf8(import::bytes(file)?)
        .map_err(|_| Usage(format!("{} is not UTF-8", file.display())))?;
    let profile: Value = serde_saphyr::from_str(&text)
        .map_err(|error| Usage(format!("{}: {error}", file.display())))?;
    let office = open(desk).await?;
    let act = Act { action: "catalog.profile", subject: "profile" };
    let answer = perform(&office, desk, act, SetProfile(profile)).await?;
    print(desk.json, &answer, |_| "the shop's profile is written down".to_owned())
}

async fn show_profile(desk: &Desk) -> Result<()> {
    let office = open(desk).await?;
    let profile = consult(&office, shop::ShowProfile).await?;
    let shown = if profile.is_null() { json!({}) } else { profile };
    print(desk.json, &shown, |shown| match shown.as_object().is_some_and(|one| one.is_empty()) {
        true => "The shop has no profile: write one with `recado catalog profile FILE`.".to_owned(),
        false => format!("{shown:#}"),
    })
}
