//! A CSV file's rows: with commas, semicolons or tabs, whatever order its columns are in.

use std::collections::BTreeMap;

use super::cells::{Row, error};
use super::column::Column;
use super::{Place, RowError};

/// Before what a spreadsheet would take for a formula.
const MARKED: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

pub(super) fn rows(text: &str) -> (Vec<Row>, Vec<RowError>) {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(text))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut errors = Vec::new();
    let mut records = Vec::new();
    for record in reader.records() {
        match record {
            Ok(record) if blank(&record) => {}
            Ok(record) => records.push(record),
            Err(wrong) => errors.push(error(Place::File, "", "", wrong.to_string())),
        }
    }
    let Some((first, records)) = records.split_first() else {
        let columns = Column::names();
        let problem = format!("the file is empty; its first line names the columns: {columns}");
        errors.push(error(Place::Line(1), "", "", problem));
        return (Vec::new(), errors);
    };
    let header = match header(first) {
        Ok(header) => header,
        Err(errors) => return (Vec::new(), errors),
    };
    let mut rows = Vec::new();
    for record in records {
        match row(&header, record) {
            Ok(row) => rows.push(row),
            Err(error) => errors.push(error),
        }
    }
    errors.extend(open_quote(text, rows.last()));
    (rows, errors)
}

/// The separator of its first line; the names of columns hold none of these.
fn separator(text: &str) -> u8 {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |separator: u8| line.bytes().filter(|byte| *byte == separator).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

fn blank(record: &csv::StringRecord) -> bool {
    record.iter().all(|cell| cell.trim().is_empty())
}

fn place(record: &csv::StringRecord) -> Place {
    Place::Line(record.position().map_or(0, csv::Position::line))
}

fn header(record: &csv::StringRecord) -> Result<Vec<Column>, Vec<RowError>> {
    let (place, mut columns, mut errors) = (place(record), Vec::new(), Vec::new());
    for name in record.iter().map(str::trim) {
        match Column::parse(name) {
            Some(column) if columns.contains(&column) => {
                errors.push(error(place, "", name, "the column is there twice"));
            }
            Some(column) => columns.push(column),
            None => {
                let problem = format!("there is no such column: {}", Column::names());
                errors.push(error(place, "", name, problem));
            }
        }
    }
    let missing = Column::REQUIRED.into_iter().filter(|column| !columns.contains(column));
    for column in missing {
        let problem = "the column is missing: name it in the first line";
        errors.push(error(place, column.name(), "", problem));
    }
    if errors.is_empty() { Ok(columns) } else { Err(errors) }
}

fn row(header: &[Column], record: &csv::StringRecord) -> Result<Row, RowError> {
    let place = place(record);
    let beyond = record.iter().skip(header.len()).find(|cell| !cell.trim().is_empty());
    if let Some(cell) = beyond {
        let problem = format!(
            "the row has more cells than the first line ({}): quote what holds \
                               a separator",
            header.len()
        );
        return Err(error(place, "", cell, problem));
    }
    let cells = header.iter().zip(record.iter());
    let cells = cells.map(|(column, cell)| (*column, unmarked(cell.trim()).to_owned()));
    let cells: BTreeMap<_, _> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
    Ok(Row { place, cells, plain: false, data: None })
}

/// A quote that is never closed swallows all lines after it, so that rows would vanish in a cell.
fn open_quote(text: &str, last: Option<&Row>) -> Option<RowError> {
    let quotes = text.bytes().filter(|byte| *byte == b'"').count();
    (quotes % 2 == 1).then(|| {
        let place = last.map_or(Place::File, |row| row.place);
        let problem = "a quote is not closed here or above: close it, or write two for one";
        error(place, "", "", problem)
    })
}

/// Takes off the mark that keeps a spreadsheet from taking a cell for a formula.
fn unmarked(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(MARKED) => rest,
        _ => cell,
    }
}

pub(super) fn marked(cell: &str) -> String {
    match cell.starts_with(MARKED) {
        true => format!("'{cell}"),
        false => cell.to_owned(),
    }
}
