//! Removal of a project or of an answer, for good: what is removed is in no table any more.

use tokio_postgres::{Client, Transaction};
use uuid::Uuid;

use crate::database::in_words;

/// Removes a project with all that belongs to it, and the keys that were for it alone. Returns the number of its
/// answers. Requests under way end before it or fail.
///
/// # Errors
/// A sentence.
pub(crate) async fn remove_project(client: &mut Client, name: &str) -> Result<u64, String> {
    removed(client.transaction().await, async |tx| {
        // Waits for requests that record answers, which hold a weaker lock on the row.
        let select = "SELECT project FROM projects WHERE name = $1 FOR UPDATE";
        let Some(row) = tx.query_opt(select, &[&name]).await? else { return Ok(None) };
        let project: i32 = row.get(0);
        tx.batch_execute(&format!("DROP TABLE vectors_{project}")).await?;
        let events = "DELETE FROM answer_events WHERE answer IN (SELECT answer FROM answers WHERE project = $1)";
        tx.execute(events, &[&project]).await?;
        let first = i64::from(project) << 32;
        let after = i64::from(project + 1) << 32;
        tx.execute("DELETE FROM terms WHERE term >= $1 AND term < $2", &[&first, &after]).await?;
        tx.execute("DELETE FROM requests WHERE project = $1", &[&project]).await?;
        let answers = tx.execute("DELETE FROM answers WHERE project = $1", &[&project]).await?;
        let keys = "WITH gone AS (DELETE FROM key_projects WHERE project = $1 RETURNING key_id) \
             SELECT g.key_id FROM gone g WHERE NOT EXISTS \
             (SELECT 1 FROM key_projects k WHERE k.key_id = g.key_id AND k.project <> $1)";
        let keys: Vec<Uuid> = tx.query(keys, &[&project]).await?.iter().map(|row| row.get(0)).collect();
        tx.execute("DELETE FROM keys WHERE key_id = ANY($1)", &[&keys]).await?;
        tx.execute("DELETE FROM project_ids WHERE project = $1", &[&project]).await?;
        tx.execute("DELETE FROM projects WHERE project = $1", &[&project]).await?;
        Ok(Some(answers))
    })
    .await?
    .ok_or_else(|| format!("there is no project {name}"))
}

/// Removes an answer with its events and vectors, and the stored responses of its project, which may have its words.
///
/// # Errors
/// A sentence.
pub(crate) async fn remove_answer(client: &mut Client, qa_id: Uuid) -> Result<(), String> {
    removed(client.transaction().await, async |tx| {
        let select = "SELECT answer, project FROM answers WHERE qa_id = $1 FOR UPDATE";
        let Some(row) = tx.query_opt(select, &[&qa_id]).await? else { return Ok(None) };
        let (answer, project): (i64, i32) = (row.get(0), row.get(1));
        tx.execute("DELETE FROM answer_events WHERE answer = $1", &[&answer]).await?;
        tx.execute("DELETE FROM vectors WHERE project = $1 AND answer = $2", &[&project, &answer]).await?;
        tx.execute("DELETE FROM requests WHERE project = $1", &[&project]).await?;
        let terms = "UPDATE terms SET answers = terms.answers - 1 FROM (SELECT term FROM answers, \
             unnest(question_terms || answer_terms) AS term WHERE answer = $1 GROUP BY term ORDER BY term) AS of_it \
             WHERE terms.term = of_it.term";
        tx.execute(terms, &[&answer]).await?;
        tx.execute("DELETE FROM terms WHERE answers <= 0", &[]).await?;
        tx.execute("DELETE FROM answers WHERE answer = $1", &[&answer]).await?;
        tx.execute("UPDATE projects SET answers = answers - 1 WHERE project = $1", &[&project]).await?;
        Ok(Some(()))
    })
    .await?
    .ok_or_else(|| "there is no answer with this id".to_owned())
}

/// Runs a removal in a transaction; `None` where there is nothing to remove.
async fn removed<'c, T>(
    begun: Result<Transaction<'c>, tokio_postgres::Error>,
    remove: impl AsyncFnOnce(&Transaction<'c>) -> Result<Option<T>, tokio_postgres::Error>,
) -> Result<Option<T>, String> {
    let run = async {
        let tx = begun?;
        let found = remove(&tx).await?;
        tx.commit().await?;
        Ok(found)
    };
    run.await.map_err(|error| in_words(&error))
}
