//! Connections to PostgreSQL and the migrations of its schema.

use std::{str::FromStr, time::Duration};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::{Client, Config, NoTls};

use crate::log::{Field, log};

/// Settings of every connection: an acknowledged write is on disk, and nothing waits longer than a request may take.
const SESSION: &str = "-c synchronous_commit=on -c statement_timeout=6s -c lock_timeout=4s \
    -c idle_in_transaction_session_timeout=10s -c hnsw.ef_search=100";
/// Longest wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The number of the advisory lock under which migrations run: "palimpse" in ASCII.
const MIGRATION_LOCK: i64 = 0x7061_6c69_6d70_7365;

/// Migrations by number and name, append-only.
const MIGRATIONS: &[(i32, &str, &str)] = &[(1, "answers", include_str!("../migrations/0001_answers.sql"))];

/// Parses the address of a database, as `postgresql://…` or `key=value …`.
///
/// # Errors
/// A sentence without the address, which may have a password.
pub(crate) fn parse_address(address: &str) -> Result<Config, String> {
    let mut config = Config::from_str(address).map_err(|_| "the address of the database is invalid".to_owned())?;
    let options = config.get_options().unwrap_or_default();
    config.options(format!("{options} {SESSION}").trim().to_owned());
    config.application_name("palimpsest-server").connect_timeout(CONNECT_TIMEOUT);
    Ok(config)
}

/// A pool of at most `connections`. Connects to nothing yet.
///
/// # Errors
/// A sentence if the pool cannot be made.
pub(crate) fn pool(config: &Config, connections: usize) -> Result<Pool, String> {
    let manager =
        Manager::from_config(config.clone(), NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    Pool::builder(manager)
        .max_size(connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(CONNECT_TIMEOUT))
        .create_timeout(Some(CONNECT_TIMEOUT))
        .recycle_timeout(Some(CONNECT_TIMEOUT))
        .build()
        .map_err(|_| "the pool of connections cannot be made".to_owned())
}

/// A connection outside a pool, for commands.
///
/// # Errors
/// A sentence without the address.
pub(crate) async fn connect(config: &Config) -> Result<Client, String> {
    let (client, connection) = config.connect(NoTls).await.map_err(|error| in_words(&error))?;
    tokio::spawn(async move {
        // The client sees the end of the connection with its next query.
        connection.await.ok();
    });
    Ok(client)
}

/// An error in a sentence with its code alone.
pub(crate) fn in_words(error: &tokio_postgres::Error) -> String {
    match error.code() {
        Some(state) => format!("the database refused (SQLSTATE {})", state.code()),
        None => "the database cannot be reached".to_owned(),
    }
}

/// Brings the schema up to date, under a lock: of servers that start together, one migrates and the others wait.
///
/// # Errors
/// A sentence if the database does not serve, is of a later version, or has a migration with another text.
pub(crate) async fn migrate(config: &Config) -> Result<(), String> {
    let client = connect(config).await?;
    let run = async {
        client.batch_execute("SET statement_timeout = 0; SET lock_timeout = 0").await?;
        client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await?;
        apply(&client, MIGRATIONS).await
    };
    run.await.map_err(|error: tokio_postgres::Error| in_words(&error))?
}

async fn apply(
    client: &Client,
    migrations: &[(i32, &'static str, &str)],
) -> Result<Result<(), String>, tokio_postgres::Error> {
    client
        .batch_execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL, \
             hash bytea NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
        )
        .await?;
    let applied = client.query("SELECT number, hash FROM schema_migrations ORDER BY number", &[]).await?;
    for row in &applied {
        let (number, hash): (i32, Vec<u8>) = (row.get(0), row.get(1));
        match migrations.iter().find(|(known, ..)| *known == number) {
            None => return Ok(Err(format!("the database is of a later version: it has migration {number}"))),
            Some((_, _, text)) if hash != blake3::hash(text.as_bytes()).as_bytes() => {
                return Ok(Err(format!("migration {number} of the database has another text")));
            }
            Some(_) => {}
        }
    }
    for (number, name, text) in migrations.iter().skip(applied.len()) {
        let hash = blake3::hash(text.as_bytes());
        client.batch_execute("BEGIN").await?;
        client.batch_execute(text).await?;
        let insert = "INSERT INTO schema_migrations (number, name, hash) VALUES ($1, $2, $3)";
        client.execute(insert, &[number, name, &hash.as_bytes().as_slice()]).await?;
        client.batch_execute("COMMIT").await?;
        log("migrated", &[("number", Field::Count(u64::from(number.unsigned_abs()))), ("name", Field::Name(name))]);
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_gaps() {
        let numbers: Vec<i32> = MIGRATIONS.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, (1..).take(MIGRATIONS.len()).collect::<Vec<_>>());
    }

    #[test]
    fn an_address_that_is_refused_is_not_in_the_message() {
        for address in ["postgresql://me:hunter2@host:no/x", "password=hunter2 nothing"] {
            let why = parse_address(address).unwrap_err();
            assert!(!why.contains("hunter2"), "{why}");
        }
    }
}
