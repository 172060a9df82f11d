//! The known times: rows of `watermarks` in `rules.db`, and the times in other rows.

use rusqlite::{Connection, params};

use super::Tx;
use crate::{error::Result, model::Time, plausibility::ClockHistory};

/// The names of the rows: the newest believed time; first and last sighting of others.
const NEWEST: &str = "clock-newest";
const FIRST: &str = "clock-first";
const LAST: &str = "clock-last";

/// The stored clock history; `None` if none was written yet.
pub(crate) fn get(db: &Connection) -> Result<Option<ClockHistory>> {
    let mut statement = db.prepare_cached("SELECT name, value FROM watermarks WHERE name LIKE 'clock-%'")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, Time::from_millis(row.get(1)?))))?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let of = |name: &str| rows.iter().find(|row| row.0 == name).map(|row| row.1);
    Ok(of(NEWEST).map(|newest| ClockHistory { newest, seen: of(FIRST).zip(of(LAST)) }))
}

/// Writes the clock history.
pub(crate) fn upsert(tx: &Tx<'_>, known: ClockHistory) -> Result<()> {
    tx.execute("DELETE FROM watermarks WHERE name LIKE 'clock-%'", [])?;
    let mut insert = tx.prepare_cached("INSERT INTO watermarks (name, value) VALUES (?1, ?2)")?;
    insert.execute(params![NEWEST, known.newest.millis()])?;
    if let Some((first, last)) = known.seen {
        insert.execute(params![FIRST, first.millis()])?;
        insert.execute(params![LAST, last.millis()])?;
    }
    Ok(())
}

/// Times in `rules.db`. None of them comes from an editor.
pub(crate) fn times_of_rules(db: &Connection) -> Result<Vec<Time>> {
    times(
        db,
        "SELECT begun_at FROM maintenance UNION ALL SELECT last_opened_at FROM projects \
         UNION ALL SELECT at FROM rule_history UNION ALL SELECT begun_at FROM runs",
    )
}

/// Times in `episodes.db`. An editor may supply the time of an episode; it then lies before the time of recording.
pub(crate) fn times_of_episodes(db: &Connection) -> Result<Vec<Time>> {
    times(db, "SELECT created_at FROM episodes UNION ALL SELECT created_at FROM traces")
}

fn times(db: &Connection, select: &str) -> Result<Vec<Time>> {
    // Each day once: there may be sixty thousand rows.
    let mut statement =
        db.prepare(&format!("SELECT max(at) FROM ({}) GROUP BY at / 86400000", rename_column(select)))?;
    let rows = statement.query_map([], |row| Ok(Time::from_millis(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The same for tables whose column is called `at`.
fn rename_column(select: &str) -> String {
    format!("SELECT NULL AS at WHERE 0 UNION ALL {select}")
}
