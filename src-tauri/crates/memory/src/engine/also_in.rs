//! Other texts that hold the same sentences as a memory that is erased. They are counted, never touched.

use std::collections::HashSet;

use palimpsest_text::{paragraphs::unwrapped, sentences};
use rusqlite::Connection;

use super::Engine;
use crate::{
    error::Result,
    model::{AlsoIn, EpisodeId, Erasure, ProjectId, WorkingKind},
    storage::erasures::ErasureTargets,
};

/// Counts the texts outside the memory, of one project or of all, for which a predicate holds.
pub type CountOutside<'a> = &'a dyn Fn(Option<&ProjectId>, &dyn Fn(&str) -> bool) -> u32;

/// The shortest sentence by which another text counts as holding the same words, in characters.
const MIN_SENTENCE_CHARS: usize = 6;
/// Up to this many sentences are also searched for inside longer ones.
const MAX_SENTENCES_INSIDE: usize = 16;

/// The sentences of a memory, to find other texts that hold one of them.
pub(super) struct Sentences {
    whole: HashSet<String>,
    inside: Vec<String>,
}

impl Sentences {
    pub(super) fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut whole = HashSet::new();
        for text in texts {
            let text = unwrapped(text);
            let long = |sentence: &&str| sentence.chars().count() >= MIN_SENTENCE_CHARS;
            whole.extend(sentences::split(&text).into_iter().filter(long).map(str::to_owned));
        }
        whole.shrink_to_fit();
        let inside = if whole.len() <= MAX_SENTENCES_INSIDE { whole.iter().cloned().collect() } else { Vec::new() };
        Self { whole, inside }
    }

    fn are_in(&self, text: &str) -> bool {
        let text = unwrapped(text);
        self.inside.iter().any(|sentence| text.contains(sentence.as_str()))
            || sentences::split(&text).into_iter().any(|sentence| self.whole.contains(sentence))
    }
}

impl Engine {
    /// Counts other texts that hold a sentence of the erased memory: texts of its project, or of all projects for a
    /// global rule.
    pub(super) fn also_in(&self, erasure: &Erasure, said: &Sentences, outside: CountOutside<'_>) -> Result<AlsoIn> {
        if said.whole.is_empty() {
            return Ok(AlsoIn::default());
        }
        let project = erasure.project_id.as_ref();
        let mut also = AlsoIn::default();
        {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            let sought = ErasureTargets::from_erasures(&reader, std::slice::from_ref(erasure))?;
            let held = sought.traces(&reader)?;
            let held: HashSet<&str> = held.iter().map(|(id, _)| id.as_str()).collect();
            let these: HashSet<&str> = sought.episodes.iter().map(EpisodeId::as_str).collect();
            also.episodes = count_texts(&reader, EPISODES, project, &these, said)?;
            also.traces = count_texts(&reader, TRACES, project, &held, said)?;
        }
        let this = HashSet::from([erasure.target_id.as_str()]);
        also.rules = count_texts(&*self.stores.rules.open()?.reader()?, RULES, project, &this, said)?;
        let books = project.map_or_else(|| self.working.project_ids(), |id| vec![id.to_owned()]);
        for book in books {
            let items = self.working.list(&book, self.clock.now()).items;
            let holds = items.iter().filter(|item| {
                let is_own = item.kind == WorkingKind::Exchange && item.item_id == erasure.target_id;
                !is_own && said.are_in(&item.text)
            });
            also.working_items += u32::try_from(holds.count()).unwrap_or(u32::MAX);
        }
        also.recovery_copies = outside(project, &|text| said.are_in(text));
        Ok(also)
    }
}

const EPISODES: &str = "SELECT id, input_context, candidates, final_text, coalesce(explicit, ''), coalesce(summary, ''), \
     coalesce(draft_excerpt, '') FROM episodes";
const TRACES: &str = "SELECT generation_id, messages FROM traces";
const RULES: &str = "SELECT rule_id, rule FROM rule_history";

/// Counts rows with one of the sentences in one of their texts, except the rows in `named`. The first column is the
/// identity.
fn count_texts(
    db: &Connection,
    select: &str,
    project: Option<&ProjectId>,
    but: &HashSet<&str>,
    said: &Sentences,
) -> Result<u32> {
    let which = if project.is_some() { " WHERE project_id = ?1" } else { "" };
    let mut statement = db.prepare(&format!("{select}{which}"))?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(project))?;
    let mut found = HashSet::new();
    while let Some(row) = rows.next()? {
        let id = row.get_ref(0)?.as_str().unwrap_or_default();
        if but.contains(id) || found.contains(id) {
            continue;
        }
        for column in 1..columns {
            let text = row.get_ref(column)?.as_str().unwrap_or_default();
            // Line ends and quotes are escaped inside JSON lists.
            let holds = if text.starts_with('[') { json_holds(text, said) } else { said.are_in(text) };
            if holds {
                found.insert(id.to_owned());
                break;
            }
        }
    }
    Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
}

fn json_holds(text: &str, said: &Sentences) -> bool {
    fn any(value: &serde_json::Value, said: &Sentences) -> bool {
        match value {
            serde_json::Value::String(text) => said.are_in(text),
            serde_json::Value::Array(all) => all.iter().any(|one| any(one, said)),
            serde_json::Value::Object(all) => all.values().any(|one| any(one, said)),
            _ => false,
        }
    }
    serde_json::from_str(text).map_or_else(|_| said.are_in(text), |value| any(&value, said))
}
