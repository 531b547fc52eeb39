//! The shop's part of the command line: catalogue, stock, orders.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use rust_decimal::Decimal;
use shop::order_number;

use super::Desk;

#[derive(Subcommand)]
pub(crate) enum CatalogCommand {
    /// Read a CSV or JSON file of products into the catalogue
    ///
    /// Each row is a variant; the first line names the columns, in any order: product, name,
    /// category, sku, price, currency, and if you like brand, description, aliases (a|b), label,
    /// stock, variant_aliases, active. Separated by commas, semicolons or tabs. A product's name
    /// and category need stand in one of its rows only. Prices may be written 1234.50 or 1.234,50.
    ///
    /// Every mistake is named with its line, and nothing is imported while there is one. The same
    /// file twice changes nothing. The stock column fills new variants; units sold since do not
    /// come back. Products that a file leaves out stay on sale.
    #[command(after_help = "Examples:\n  recado catalog export > catalogo.csv\n  \
                            recado catalog import catalogo.csv --dry-run\n  \
                            recado catalog import catalogo.csv --replace")]
    Import(ImportOptions),
    /// Write the catalogue as a file that `recado catalog import` reads
    #[command(after_help = "Examples:\n  recado catalog export > catalogo.csv\n  \
                            recado catalog export --format json > catalogo.json")]
    Export {
        #[arg(long, value_enum, default_value_t = Format::Csv)]
        format: Format,
        #[command(flatten)]
        desk: Desk,
    },
    /// Show what the shop says of itself, or write it down from a YAML or JSON file
    ///
    /// A profile has a name, and may have address, hours, policies, payment_methods and delivery.
    /// Customers are told what it says, and nothing else.
    #[command(after_help = "Examples:\n  recado catalog profile\n  \
                            recado catalog profile comercio.yaml")]
    Profile {
        /// The file to take the place of the profile there is
        file: Option<PathBuf>,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(clap::Args)]
pub(crate) struct ImportOptions {
    /// The file; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Say what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Leave out the rows with mistakes and import the others
    #[arg(long, conflicts_with = "replace")]
    pub(crate) skip_bad: bool,
    /// Take off sale what the file does not list
    #[arg(long)]
    pub(crate) replace: bool,
    /// Set the stock of known variants too to what the file says
    #[arg(long)]
    pub(crate) set_stock: bool,
    #[command(flatten)]
    pub(crate) desk: Desk,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Csv,
    Json,
}

#[derive(Subcommand)]
pub(crate) enum StockCommand {
    /// List the units of every variant: for sale, promised to orders, gone with them
    List {
        /// Only variants with fewer units for sale than this
        #[arg(long, value_name = "UNITS")]
        below: Option<u32>,
        #[command(flatten)]
        desk: Desk,
    },
    /// Units came in
    Receive {
        /// The variant's code
        sku: String,
        units: u32,
        #[command(flatten)]
        desk: Desk,
    },
    /// Somebody counted the units for sale; what is promised to orders lies apart
    Count {
        /// The variant's code
        sku: String,
        available: u32,
        #[command(flatten)]
        desk: Desk,
    },
    /// Units for sale are broken, lost or miscounted
    WriteOff {
        /// The variant's code
        sku: String,
        units: u32,
        #[command(flatten)]
        desk: Desk,
    },
}

#[derive(Subcommand)]
pub(crate) enum OrderCommand {
    /// Orders, newest first
    List {
        /// Only those of a status, such as confirmed
        #[arg(long, value_parser = order_status)]
        status: Option<domain::OrderStatus>,
        #[arg(long, default_value_t = 50)]
        limit: u32,
        #[command(flatten)]
        desk: Desk,
    },
    /// Show an order with its lines
    Show {
        /// The order's number, such as 42 or ORD-00042
        #[arg(value_parser = order_number)]
        number: u32,
        #[command(flatten)]
        desk: Desk,
    },
    /// Give an order its next status
    ///
    /// confirmed, processing, shipped, delivered, completed; or cancelled, until it is shipped. A
    /// delivered order's units are sold; a cancelled order's units are for sale again. Once an order
    /// is processing, its customer can no longer change it alone.
    #[command(after_help = "Examples:\n  recado order status ORD-00042 processing\n  \
                            recado order status 42 cancelled")]
    Status {
        /// The order's number, such as 42 or ORD-00042
        #[arg(value_parser = order_number)]
        number: u32,
        #[arg(value_parser = order_status)]
        status: domain::OrderStatus,
        #[command(flatten)]
        desk: Desk,
    },
    /// Money came in for an order, in the order's currency
    #[command(after_help = "Examples:\n  recado order pay 42 2500 --method mercado_pago")]
    Pay {
        /// The order's number, such as 42 or ORD-00042
        #[arg(value_parser = order_number)]
        number: u32,
        amount: Decimal,
        /// How it was paid
        #[arg(long, default_value = "efectivo")]
        method: String,
        #[command(flatten)]
        desk: Desk,
    },
}

fn order_status(text: &str) -> Result<domain::OrderStatus, String> {
    let known = || domain::OrderStatus::ALL.map(domain::OrderStatus::as_str).join(", ");
    domain::OrderStatus::parse(text).ok_or_else(|| format!("one of {}", known()))
}
