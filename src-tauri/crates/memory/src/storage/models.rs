//! Rows of `providers`, `purposes` and `usage`, and the limits among the settings.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, name_of, parse_enum, stored};
use crate::{
    error::Result,
    model::{DailyLimits, Models, Provider, Purpose, PurposeModel, Time},
};

/// The key of the limits among the settings.
const LIMITS: &str = "dailyLimits";

/// All providers and purposes. A row that this version cannot read is left out and reported: one broken row must not
/// hide the others.
pub(crate) fn get(db: &Connection) -> Result<Models> {
    let mut unreadable = 0;
    let mut models = Models::default();
    let mut statement =
        db.prepare_cached("SELECT provider_id, kind, name, base_url FROM providers ORDER BY created_at, provider_id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Ok(kind) = parse_enum(row.get_ref(1)?.as_str().unwrap_or_default()) else {
            unreadable += 1;
            continue;
        };
        models.providers.push(Provider { provider_id: row.get(0)?, kind, name: row.get(2)?, base_url: row.get(3)? });
    }
    let mut statement = db.prepare_cached("SELECT purpose, provider_id, model, context_tokens FROM purposes")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let provider_id: String = row.get(1)?;
        let (Ok(purpose), Some(_)) =
            (parse_enum::<Purpose>(row.get_ref(0)?.as_str().unwrap_or_default()), models.provider(&provider_id))
        else {
            unreadable += 1;
            continue;
        };
        let chosen = PurposeModel {
            purpose,
            provider_id: Some(provider_id),
            model: Some(row.get(2)?),
            context_tokens: row.get(3).unwrap_or_default(),
        };
        models.purposes.iter_mut().filter(|one| one.purpose == purpose).for_each(|one| *one = chosen.clone());
    }
    if unreadable > 0 {
        models.unread = Some("the list of models has entries that this version cannot read".into());
    }
    Ok(models)
}

/// Writes the present state of a provider.
pub(crate) fn upsert_provider(tx: &Tx<'_>, provider: &Provider, now: Time) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO providers (provider_id, kind, name, base_url, created_at) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (provider_id) DO UPDATE SET kind = excluded.kind, name = excluded.name, \
         base_url = excluded.base_url",
    )?
    .execute(params![
        provider.provider_id,
        name_of(provider.kind),
        provider.name,
        provider.base_url,
        now.millis()
    ])?;
    Ok(())
}

/// Deletes a provider with the models chosen from it.
pub(crate) fn delete_provider(tx: &Tx<'_>, provider_id: &str) -> Result<bool> {
    Ok(tx.prepare_cached("DELETE FROM providers WHERE provider_id = ?1")?.execute([provider_id])? > 0)
}

/// Forgets the context lengths of a provider's models, because its server has changed.
pub(crate) fn clear_contexts(tx: &Tx<'_>, provider_id: &str) -> Result<()> {
    tx.prepare_cached("UPDATE purposes SET context_tokens = NULL WHERE provider_id = ?1")?.execute([provider_id])?;
    Ok(())
}

/// Writes the model of a purpose.
pub(crate) fn upsert_purpose(tx: &Tx<'_>, chosen: &PurposeModel) -> Result<()> {
    let purpose = name_of(chosen.purpose);
    match (&chosen.provider_id, &chosen.model) {
        (Some(provider_id), Some(model)) => tx
            .prepare_cached(
                "INSERT INTO purposes (purpose, provider_id, model, context_tokens) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (purpose) DO UPDATE SET provider_id = excluded.provider_id, model = excluded.model, \
                 context_tokens = excluded.context_tokens",
            )?
            .execute(params![purpose, provider_id, model, chosen.context_tokens])?,
        _ => tx.prepare_cached("DELETE FROM purposes WHERE purpose = ?1")?.execute([purpose])?,
    };
    Ok(())
}

/// Requests and tokens of a day.
pub(crate) fn spent(db: &Connection, day: &str) -> Result<(u32, u32)> {
    let found = db
        .prepare_cached("SELECT requests, tokens FROM usage WHERE day = ?1")?
        .query_row([day], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Adds to the usage of a day.
pub(crate) fn spend(tx: &Tx<'_>, day: &str, requests: u32, tokens: u32) -> Result<()> {
    // Never more than the column's reader can hold.
    tx.prepare_cached(
        "INSERT INTO usage (day, requests, tokens) VALUES (?1, ?2, ?3) ON CONFLICT (day) DO UPDATE SET \
         requests = min(requests + excluded.requests, 4294967295), tokens = min(tokens + excluded.tokens, 4294967295)",
    )?
    .execute(params![day, requests, tokens])?;
    Ok(())
}

/// The limits; no limits if none were ever set.
pub(crate) fn limits(db: &Connection) -> Result<DailyLimits> {
    let found = db
        .prepare_cached("SELECT value FROM settings WHERE key = ?1")?
        .query_row([LIMITS], |row| stored::parse(&row.get::<_, String>(0)?))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Writes the limits.
pub(crate) fn upsert_limits(tx: &Tx<'_>, limits: DailyLimits) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute(params![LIMITS, stored::json(&limits)?])?;
    Ok(())
}
