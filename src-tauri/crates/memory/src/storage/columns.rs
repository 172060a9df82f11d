//! The columns of the large tables, in one list for SELECT and INSERT; and parameters that are bound by name.

use rusqlite::{CachedStatement, ToSql};

/// Defines a module of a table's columns. A constant of each column's name has its place in the list: rows are read by
/// it, because a lookup by name for each of twenty columns takes most of the time of a long list.
macro_rules! columns {
    ($(#[$doc:meta])* $module:ident of $table:literal: $first:ident $(, $rest:ident)* $(,)?) => {
        $(#[$doc])*
        #[allow(dead_code, reason = "not every column is read, and not every table is both read and written")]
        #[allow(non_upper_case_globals, reason = "columns are named as in the schema")]
        pub(in crate::storage) mod $module {
            /// The table.
            pub(in crate::storage) const TABLE: &str = $table;
            /// The columns, in the order of the list.
            pub(in crate::storage) const NAMES: &[&str] = &[stringify!($first) $(, stringify!($rest))*];
            const LIST: &str = concat!(stringify!($first) $(, ", ", stringify!($rest))*);
            const VALUES: &str = concat!(":", stringify!($first) $(, ", :", stringify!($rest))*);

            /// A SELECT of the listed columns from the table; `rest` follows the table.
            pub(in crate::storage) fn select(rest: &str) -> String {
                format!("SELECT {LIST} FROM {TABLE} {rest}")
            }

            /// The same with one more expression, at the place `NAMES.len()`.
            pub(in crate::storage) fn select_and(expression: &str, rest: &str) -> String {
                format!("SELECT {LIST}, {expression} FROM {TABLE} {rest}")
            }

            /// An INSERT of the listed columns, each from the parameter of its name (`:name`); `rest` follows the
            /// values.
            pub(in crate::storage) fn insert(rest: &str) -> String {
                format!("INSERT INTO {TABLE} ({LIST}) VALUES ({VALUES}) {rest}")
            }

            /// The same, with a conflict clause such as `IGNORE` or `REPLACE`.
            pub(in crate::storage) fn insert_or(clause: &str) -> String {
                format!("INSERT OR {clause} INTO {TABLE} ({LIST}) VALUES ({VALUES})")
            }

            /// The assignments of an upsert: every listed column but `fixed`.
            pub(in crate::storage) fn updates(fixed: &[&str]) -> String {
                let changed = NAMES.iter().filter(|listed| !fixed.contains(listed));
                changed.map(|listed| format!("{listed} = excluded.{listed}")).collect::<Vec<_>>().join(", ")
            }

            #[allow(non_camel_case_types, reason = "columns are named as in the schema")]
            enum Position {
                $first,
                $($rest,)*
            }
            pub(in crate::storage) const $first: usize = Position::$first as usize;
            $(pub(in crate::storage) const $rest: usize = Position::$rest as usize;)*
        }
    };
}

pub(super) use columns;

/// Executes a statement with parameters by name.
///
/// # Errors
/// Those of the store; a parameter that is not given, which SQLite alone would take as NULL.
pub(super) fn execute(
    mut statement: CachedStatement<'_>,
    named: &[(&str, &dyn ToSql)],
) -> Result<usize, rusqlite::Error> {
    let expected = statement.parameter_count();
    if named.len() != expected {
        return Err(rusqlite::Error::InvalidParameterCount(named.len(), expected));
    }
    statement.execute(named)
}

#[cfg(test)]
mod tests;
