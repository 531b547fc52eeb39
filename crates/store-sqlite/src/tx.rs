//! The connection as its thread uses it, one transaction after another: every statement runs at
//! once.

use std::future::{Future, ready};

use domain::WorkspaceId;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql};
use store::sql::{Cell, Param, Row, Statement, Tx};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::connection::store_error;

pub struct SqliteTx {
    connection: Connection,
    /// The first failure; the statements after it are not run.
    failed: Option<StoreError>,
    /// Whether the transaction has run anything but queries.
    written: bool,
}

impl SqliteTx {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, failed: None, written: false }
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a text without parameters, such as the marks of a transaction.
    pub(crate) fn mark(&self, text: &str) -> StoreResult<()> {
        self.connection
            .prepare_cached(text)
            .and_then(|mut statement| statement.execute([]))
            .map(drop)
            .map_err(|error| store_error(&error))
    }

    /// Forgets the state of an earlier transaction, such as one that panicked.
    pub(crate) fn begin(&mut self) {
        self.failed = None;
        self.written = false;
    }

    /// Whether a transaction is under way; SQLite ends one by itself on some errors.
    pub(crate) fn is_open(&self) -> bool {
        !self.connection.is_autocommit()
    }

    pub(crate) fn has_written(&self) -> bool {
        self.written
    }

    /// Fails with the first failure of a write whose outcome nobody asked for.
    pub(crate) fn finish(&mut self) -> StoreResult<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn run(&mut self, statement: &Statement) -> rusqlite::Result<Ran> {
        let mut prepared = self.connection.prepare_cached(statement.sql.sqlite)?;
        self.written |= !prepared.readonly();
        let params = rusqlite::params_from_iter(statement.params.iter().map(Bound));
        let columns = prepared.column_count();
        if columns == 0 {
            return Ok(Ran { changed: prepared.execute(params)?, rows: Vec::new() });
        }
        let mut rows = Vec::new();
        let mut cursor = prepared.query(params)?;
        while let Some(row) = cursor.next()? {
            let cells = (0..columns).map(|column| row.get_ref(column).map(cell));
            rows.push(Row(cells.collect::<rusqlite::Result<_>>()?));
        }
        Ok(Ran { changed: rows.len(), rows })
    }

    fn attempt(&mut self, statement: &Statement) -> StoreResult<Ran> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.run(statement).map_err(|error| {
            let error = store_error(&error);
            self.failed = Some(error.clone());
            error
        })
    }
}

struct Ran {
    changed: usize,
    rows: Vec<Row>,
}

impl Tx for SqliteTx {
    // Narrows nothing: every statement names its workspace, and one file has one process.
    fn scope(&mut self, _workspace: WorkspaceId) {}

    fn scope_scheduler(&mut self) {}

    fn write(&mut self, statement: Statement) {
        // The error is kept and fails the whole transaction.
        let _ = self.attempt(&statement);
    }

    fn guard(&mut self, statement: Statement, error: StoreError) {
        if let Ok(Ran { changed: 0, .. }) = self.attempt(&statement) {
            self.failed = Some(error);
        }
    }

    fn query_all(
        &mut self,
        statements: Vec<Statement>,
    ) -> impl Future<Output = StoreResult<Vec<Vec<Row>>>> + Send {
        let answers =
            statements.iter().map(|statement| Ok(self.attempt(statement)?.rows)).collect();
        ready(answers)
    }
}

struct Bound<'a>(&'a Param);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Param::Null => ToSqlOutput::Owned(Value::Null),
            Param::Int(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Param::Real(value) => ToSqlOutput::Owned(Value::Real(*value)),
            Param::Text(value) | Param::Json(value) => {
                ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes()))
            }
            Param::Uuid(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value.as_bytes())),
            Param::Unwritable(reason) => {
                return Err(rusqlite::Error::ToSqlConversionFailure(reason.as_str().into()));
            }
        })
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(value) => Cell::Text(String::from_utf8_lossy(value).into_owned()),
        ValueRef::Blob(value) => Uuid::from_slice(value).map_or(Cell::Null, Cell::Uuid),
    }
}
