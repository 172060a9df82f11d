//! Commands of the administrator: projects and keys.

use tokio_postgres::{Client, Config, error::SqlState};
use uuid::Uuid;

use crate::{
    database::{connect, in_words},
    keys::new_key,
    removal::{remove_answer, remove_project},
};

/// Maximum bytes of a name, an id or a label.
const MAX_NAME_BYTES: usize = 200;

/// A command by its words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Serve,
    Migrate,
    ProjectAdd { name: String, ids: Vec<String> },
    ProjectLink { name: String, ids: Vec<String> },
    ProjectList,
    ProjectRemove { name: String },
    AnswerRemove { qa_id: Uuid },
    KeyAdd { projects: Vec<String>, label: String },
    KeyList,
    KeyRevoke { key_id: Uuid },
}

impl Command {
    /// # Errors
    /// A sentence if there is no such command.
    pub(crate) fn parse(words: Vec<String>, label: Option<String>) -> Result<Self, String> {
        let is_name = |name: &String| (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.chars().any(char::is_control);
        if !words.iter().chain(&label).all(is_name) {
            return Err(format!("a name has 1 to {MAX_NAME_BYTES} bytes, without control characters"));
        }
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        match names.as_slice() {
            [] | ["serve"] => Ok(Self::Serve),
            ["migrate"] => Ok(Self::Migrate),
            ["project", "add", name, ids @ ..] => Ok(Self::ProjectAdd { name: (*name).to_owned(), ids: owned(ids) }),
            ["project", "link", name, ids @ ..] if !ids.is_empty() => {
                Ok(Self::ProjectLink { name: (*name).to_owned(), ids: owned(ids) })
            }
            ["project", "list"] => Ok(Self::ProjectList),
            ["project", "remove", name] => Ok(Self::ProjectRemove { name: (*name).to_owned() }),
            ["answer", "remove", qa_id] => {
                let qa_id = Uuid::try_parse(qa_id).map_err(|_| "QA_ID is the `qa_id` of an answer".to_owned())?;
                Ok(Self::AnswerRemove { qa_id })
            }
            ["key", "add", projects @ ..] if !projects.is_empty() => {
                Ok(Self::KeyAdd { projects: owned(projects), label: label.unwrap_or_default() })
            }
            ["key", "list"] => Ok(Self::KeyList),
            ["key", "revoke", key_id] => {
                let key_id = Uuid::try_parse(key_id).map_err(|_| "KEY_ID is an id of `key list`".to_owned())?;
                Ok(Self::KeyRevoke { key_id })
            }
            _ => Err("there is no such command".to_owned()),
        }
    }
}

/// Runs a command and returns the lines that it prints.
///
/// # Errors
/// A sentence.
pub(crate) async fn run(config: &Config, command: Command) -> Result<Vec<String>, String> {
    let mut client = connect(config).await?;
    match command {
        Command::Serve | Command::Migrate => Ok(vec!["the database is up to date".to_owned()]),
        Command::ProjectAdd { name, ids } => add_project(&mut client, &name, &ids).await,
        Command::ProjectLink { name, ids } => {
            let tx = client.transaction().await.map_err(|error| in_words(&error))?;
            let project = project_by_name(tx.client(), &name).await?;
            link(tx.client(), project, &ids).await?;
            tx.commit().await.map_err(|error| in_words(&error))?;
            Ok(vec![format!("linked {} to {name}", ids.join(" "))])
        }
        Command::ProjectList => list_projects(&client).await,
        Command::ProjectRemove { name } => {
            let answers = remove_project(&mut client, &name).await?;
            Ok(vec![format!("removed {name} with {answers} answers")])
        }
        Command::AnswerRemove { qa_id } => {
            remove_answer(&mut client, qa_id).await?;
            Ok(vec![format!("removed {qa_id}")])
        }
        Command::KeyAdd { projects, label } => add_key(&mut client, &projects, &label).await,
        Command::KeyList => list_keys(&client).await,
        Command::KeyRevoke { key_id } => {
            let revoke = "UPDATE keys SET revoked_at = now() WHERE key_id = $1 AND revoked_at IS NULL";
            match client.execute(revoke, &[&key_id]).await.map_err(|error| in_words(&error))? {
                0 => Err("there is no such key, or it is revoked already".to_owned()),
                _ => Ok(vec![format!("revoked {key_id}; servers refuse it within five seconds")]),
            }
        }
    }
}

/// Adds a project with the partition of its vectors. Its name is one of its ids.
async fn add_project(client: &mut Client, name: &str, ids: &[String]) -> Result<Vec<String>, String> {
    let tx = client.transaction().await.map_err(|error| in_words(&error))?;
    let insert = "INSERT INTO projects (name) VALUES ($1) RETURNING project";
    let row = tx.query_one(insert, &[&name]).await.map_err(|error| match error.code() {
        Some(state) if *state == SqlState::UNIQUE_VIOLATION => "there is a project with this name already".to_owned(),
        _ => in_words(&error),
    })?;
    let project: i32 = row.get(0);
    let partition = format!("CREATE TABLE vectors_{project} PARTITION OF vectors FOR VALUES IN ({project})");
    tx.batch_execute(&partition).await.map_err(|error| in_words(&error))?;
    link(tx.client(), project, &[name.to_owned()]).await?;
    link(tx.client(), project, ids).await?;
    tx.commit().await.map_err(|error| in_words(&error))?;
    Ok(vec![format!("added {name}")])
}

async fn link(client: &Client, project: i32, ids: &[String]) -> Result<(), String> {
    for id in ids {
        let insert = "INSERT INTO project_ids (project_id, project) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        client.execute(insert, &[id, &project]).await.map_err(|error| in_words(&error))?;
        let select = "SELECT project FROM project_ids WHERE project_id = $1";
        let row = client.query_one(select, &[id]).await.map_err(|error| in_words(&error))?;
        if row.get::<_, i32>(0) != project {
            return Err(format!("{id} is the id of another project"));
        }
    }
    Ok(())
}

async fn project_by_name(client: &Client, name: &str) -> Result<i32, String> {
    let select = "SELECT project FROM projects WHERE name = $1";
    let row = client.query_opt(select, &[&name]).await.map_err(|error| in_words(&error))?;
    row.map(|row| row.get(0)).ok_or_else(|| format!("there is no project {name}; `project add` adds one"))
}

async fn list_projects(client: &Client) -> Result<Vec<String>, String> {
    let select = "SELECT p.name, p.answers, array_agg(i.project_id ORDER BY i.project_id) FROM projects p \
         JOIN project_ids i USING (project) GROUP BY p.project ORDER BY p.name";
    let rows = client.query(select, &[]).await.map_err(|error| in_words(&error))?;
    let line = |row: &tokio_postgres::Row| {
        let (name, answers, ids): (String, i64, Vec<String>) = (row.get(0), row.get(1), row.get(2));
        format!("{name}\t{answers} answers\t{}", ids.join(" "))
    };
    Ok(rows.iter().map(line).collect())
}

async fn add_key(client: &mut Client, projects: &[String], label: &str) -> Result<Vec<String>, String> {
    let (key_id, words, hash) = new_key();
    let tx = client.transaction().await.map_err(|error| in_words(&error))?;
    let insert = "INSERT INTO keys (key_id, key_hash, label) VALUES ($1, $2, $3)";
    tx.execute(insert, &[&key_id, &hash.as_slice(), &label]).await.map_err(|error| in_words(&error))?;
    for name in projects {
        let project = project_by_name(tx.client(), name).await?;
        let insert = "INSERT INTO key_projects (key_id, project) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        tx.execute(insert, &[&key_id, &project]).await.map_err(|error| in_words(&error))?;
    }
    tx.commit().await.map_err(|error| in_words(&error))?;
    Ok(vec![format!("key id {key_id}"), words])
}

async fn list_keys(client: &Client) -> Result<Vec<String>, String> {
    let select = "SELECT k.key_id, k.label, k.created_at::text, k.revoked_at IS NOT NULL, \
         array_agg(p.name ORDER BY p.name) FROM keys k JOIN key_projects USING (key_id) JOIN projects p USING (project) \
         GROUP BY k.key_id ORDER BY k.created_at";
    let rows = client.query(select, &[]).await.map_err(|error| in_words(&error))?;
    let line = |row: &tokio_postgres::Row| {
        let (key_id, label, created, names): (Uuid, String, String, Vec<String>) =
            (row.get(0), row.get(1), row.get(2), row.get(4));
        let state = if row.get(3) { "revoked" } else { "active" };
        format!("{key_id}\t{state}\t{created}\t{label}\t{}", names.join(" "))
    };
    Ok(rows.iter().map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_by_their_words() {
        let parse = |words: &str| Command::parse(words.split_whitespace().map(str::to_owned).collect(), None);
        assert_eq!(parse(""), Ok(Command::Serve));
        let added = Command::ProjectAdd { name: "ferry".into(), ids: vec!["a".into(), "b".into()] };
        assert_eq!(parse("project add ferry a b"), Ok(added));
        assert_eq!(parse("key add ferry"), Ok(Command::KeyAdd { projects: vec!["ferry".into()], label: "".into() }));
        for wrong in [
            "key add",
            "project link ferry",
            "key revoke 7",
            "projects",
            "serve now",
            "project remove",
            "answer remove 7",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
