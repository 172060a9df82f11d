//! Rows of `backends`.

use rusqlite::{Connection, params};

use super::{Tx, name_of, parse_enum, stored};
use crate::{
    error::Result,
    model::{Backend, Backends, Time},
};

/// All programs. A row that this version cannot read is left out and reported: one broken row must not hide the others.
pub(crate) fn list(db: &Connection) -> Result<Backends> {
    let mut statement = db.prepare_cached(
        "SELECT backend_id, kind, name, program, arguments, model, isolation FROM backends \
         ORDER BY created_at, backend_id",
    )?;
    let mut rows = statement.query([])?;
    let mut found = Backends::default();
    while let Some(row) = rows.next()? {
        let kind = parse_enum(row.get_ref(1)?.as_str().unwrap_or_default());
        let isolation = parse_enum(row.get_ref(6)?.as_str().unwrap_or_default());
        let arguments = stored::parse(row.get_ref(4)?.as_str().unwrap_or_default());
        let (Ok(kind), Ok(isolation), Ok(arguments)) = (kind, isolation, arguments) else {
            found.unread = Some("the list of programs has entries that this version cannot read".into());
            continue;
        };
        found.backends.push(Backend {
            backend_id: row.get(0)?,
            kind,
            name: row.get(2)?,
            program: row.get(3)?,
            arguments,
            model: row.get(5)?,
            isolation,
        });
    }
    Ok(found)
}

/// Writes the present state of a program.
pub(crate) fn upsert(tx: &Tx<'_>, backend: &Backend, now: Time) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO backends (backend_id, kind, name, program, arguments, model, isolation, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (backend_id) DO UPDATE SET kind = excluded.kind, \
         name = excluded.name, program = excluded.program, arguments = excluded.arguments, model = excluded.model, \
         isolation = excluded.isolation",
    )?
    .execute(params![
        backend.backend_id,
        name_of(backend.kind),
        backend.name,
        backend.program,
        stored::json(&backend.arguments)?,
        backend.model,
        name_of(backend.isolation),
        now.millis()
    ])?;
    Ok(())
}

/// Deletes a program; returns whether there was one.
pub(crate) fn delete(tx: &Tx<'_>, backend_id: &str) -> Result<bool> {
    Ok(tx.prepare_cached("DELETE FROM backends WHERE backend_id = ?1")?.execute([backend_id])? > 0)
}
