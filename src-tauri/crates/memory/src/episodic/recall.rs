//! Recall: the best episodes for a search, or those that stand out for a prompt, with the signals that found them.
//!
//! Episodes with their texts are searched first. Summaries, of which a full project has five times as many, are
//! searched only when too few of those are awake and relevant.

use std::collections::{HashMap, hash_map::Entry};

use palimpsest_text::terms::Script;
use rusqlite::Connection;

use super::decay::{Life, Tier, decay};
use crate::{
    error::Result,
    model::{Components, EpisodeQuery, OwnerKind, RecallGroup, RecallPurpose, Recalled, Time},
    ports::Translator,
    retrieval::{
        background,
        frequencies::Frequencies,
        fuse::{self, PromptGate, QueryParts, Usual, UsualSignals},
        lexical::{Query, WordScore},
        meaning::Compared,
        resident::{self, Similarity},
        vocabulary::SampledText,
    },
    storage::{
        episodes::{self, Ranking},
        words,
    },
};

/// Default number of results of a prompt.
pub const DEFAULT_LIMIT: u32 = 5;
/// Default number of results of a search.
pub const DEFAULT_SEARCH_LIMIT: u32 = 8;
/// Minimum number of candidates by words, and by meaning.
const MIN_CANDIDATES: usize = 40;
/// Maximum number of candidates by recency: the newest of the scene, or of the whole project without a text.
const MAX_NEWEST: u32 = 20;
/// With fewer relevant awake episodes than this, the prompt searches sleeping ones and summaries too.
const MIN_AWAKE: usize = 3;
/// Maximum number of texts that show the usual relevance of the project to a query.
const MAX_SAMPLE: u32 = 80;
/// Maximum difference between the usual cosines of the two scripts that is balanced.
const MAX_LEVEL: f64 = 0.15;
/// Number of first results of a search among which the other script has no more texts than its places.
const FIRST_RESULTS: usize = 5;
/// Places of the best texts in the other script in the result of a search, at most.
const PLACES_OF_OTHER_SCRIPT: [usize; 3] = [3, 4, 5];
/// The same where the best text in the query's own script is more relevant than the best in the other one by
/// [`MIN_LEAD`], so that the text that is meant is most likely in the own script.
const PLACES_BESIDE_OWN_SCRIPT: [usize; 1] = [5];
/// Minimum difference in relevance, chosen on even queries of the sixty events.
const MIN_LEAD: f64 = 0.2;

/// The treatment of compressed episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summaries {
    /// Included, with the label `compressed`.
    Included,
    /// Excluded: a prompt needs examples.
    LeftOut,
}

/// The text of a query; `None` if it is blank.
#[must_use]
pub fn text_of(query: &EpisodeQuery) -> Option<&str> {
    query.query_text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// The result of a recall.
#[derive(Debug, Default)]
pub(crate) struct Recollection {
    /// Best first.
    pub episodes: Vec<Recalled>,
    /// For a prompt without an episode that stands out: the nearest one, if there is any.
    pub nearest: Option<Recalled>,
    /// Some texts were not compared by meaning, because their vectors are not in memory yet.
    pub are_vectors_awaited: bool,
}

/// Candidates found without the query's vector: by words, and the newest. Each with its word score.
#[derive(Debug, Default)]
pub(crate) struct Gathered(HashMap<i64, (Ranking, WordScore)>);

/// A text of the project that shows its usual relevance to the query.
struct Sampled {
    words: WordScore,
    cosine: Option<f64>,
}

#[derive(Debug)]
struct Scored {
    score: f64,
    ranking: Ranking,
    parts: Components,
    /// The script of its text; `None` if it is mixed or unknown.
    script: Option<Script>,
}

impl Scored {
    fn is_awake(&self) -> bool {
        !self.ranking.compressed && !Tier::from_score(self.parts.decay).sleeps()
    }
}

/// A recall in progress.
pub(crate) struct Recall<'a> {
    query: &'a EpisodeQuery,
    asked: QueryParts,
    /// The query for the word index; `None` without a text or an index.
    words: Option<Query>,
    /// The rows that a search is limited to, ascending; `None` for all.
    allowed: Option<Vec<i64>>,
    /// The time for which decay is computed.
    now: Time,
    candidates: Vec<Scored>,
    /// The signals of texts of the project, and of unrelated ones, for a prompt's query.
    usual: Option<UsualSignals>,
    /// The usual meaning of the project's texts for a search; `None` without semantic search.
    usual_meaning: Option<Usual>,
}

impl<'a> Recall<'a> {
    /// Prepares the query.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn new(
        db: &Connection,
        query: &'a EpisodeQuery,
        frequencies: &Frequencies,
        translator: Option<&dyn Translator>,
        now: Time,
    ) -> Result<Self> {
        let text = text_of(query);
        let words = match text {
            Some(text) => Query::new(db, &query.project_id, &OwnerKind::OF_EPISODES, text, frequencies, translator)?,
            None => None,
        };
        let asked =
            QueryParts { text: text.is_some(), scene: query.scene_type.is_some(), skill: query.skill_used.is_some() };
        let is_filtered = query.purpose() == RecallPurpose::Search && (asked.scene || asked.skill);
        let allowed = if is_filtered {
            let (scene, skill) = (query.scene_type.as_deref(), query.skill_used.as_deref());
            Some(episodes::rows_of(db, &query.project_id, scene, skill)?)
        } else {
            None
        };
        Ok(Self { query, asked, words, allowed, now, candidates: Vec::new(), usual: None, usual_meaning: None })
    }

    fn limit(&self) -> usize {
        let default = match self.query.purpose() {
            RecallPurpose::Search => DEFAULT_SEARCH_LIMIT,
            RecallPurpose::Prompt => DEFAULT_LIMIT,
        };
        self.query.limit.unwrap_or(default) as usize
    }

    /// Maximum number of candidates by words, and by meaning: a multiple of the wanted results.
    fn pool(&self) -> usize {
        MIN_CANDIDATES.max(self.limit())
    }

    fn is_search(&self) -> bool {
        self.query.purpose() == RecallPurpose::Search
    }

    fn is_allowed(&self, row: i64) -> bool {
        self.allowed.as_ref().is_none_or(|rows| rows.binary_search(&row).is_ok())
    }

    /// Searches the word index for one kind of text, and reads the newest episodes where there is no text. All store
    /// reads happen here, while another thread may still compare vectors.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn gather(&self, db: &Connection, kind: OwnerKind) -> Result<Gathered> {
        let project = &self.query.project_id;
        let mut rankings = Vec::new();
        if let Some(words) = &self.words {
            let mut rows = words.search(db, kind, self.pool(), |row| self.is_allowed(row))?;
            // Adjacent rows are on the same pages.
            rows.sort_unstable();
            for row in rows {
                rankings.extend(episodes::ranking_of(db, project, row)?);
            }
        }
        if !self.asked.text {
            rankings.extend(self.newest(db)?);
        }
        let mut gathered = Gathered::default();
        for ranking in rankings.into_iter().filter(|ranking| OwnerKind::from_compressed(ranking.compressed) == kind) {
            if let Entry::Vacant(place) = gathered.0.entry(ranking.row) {
                let said = self.words_in(db, kind, ranking.row)?;
                place.insert((ranking, said));
            }
        }
        Ok(gathered)
    }

    /// The newest episodes: those that a search is limited to, or of the scene, or of the project.
    fn newest(&self, db: &Connection) -> Result<Vec<Ranking>> {
        let project = &self.query.project_id;
        let limit = MAX_NEWEST.max(u32::try_from(self.limit()).unwrap_or(u32::MAX));
        let Some(allowed) = &self.allowed else {
            return episodes::newest(db, project, self.query.scene_type.as_deref(), limit);
        };
        let mut rankings = Vec::new();
        for row in allowed.iter().rev().take(limit as usize) {
            rankings.extend(episodes::ranking_of(db, project, *row)?);
        }
        Ok(rankings)
    }

    /// The word score of a text.
    fn words_in(&self, db: &Connection, kind: OwnerKind, row: i64) -> Result<WordScore> {
        let Some(query) = &self.words else { return Ok(WordScore::default()) };
        let score = words::with_codes(db, &self.query.project_id, row, |codes| query.score(kind, codes))?;
        Ok(score.unwrap_or_default())
    }

    /// Adds the candidates of one kind of text: the gathered ones, and the similar ones (`compared`: the similarity of
    /// all texts, or `None` without semantic search).
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn add_candidates(
        &mut self,
        db: &Connection,
        kind: OwnerKind,
        gathered: Gathered,
        compared: Option<&Compared>,
    ) -> Result<()> {
        let Gathered(mut known) = gathered;
        let similar = compared.map(|compared| compared.texts.as_slice());
        let nearest = similar.map(|similar| resident::nearest(similar, self.pool(), |row| self.is_allowed(row)));
        for near in nearest.unwrap_or_default() {
            if let Entry::Vacant(place) = known.entry(near.row)
                && let Some(ranking) = episodes::ranking_of(db, &self.query.project_id, near.row)?
                && OwnerKind::from_compressed(ranking.compressed) == kind
            {
                let said = self.words_in(db, kind, ranking.row)?;
                place.insert((ranking, said));
            }
        }
        let own_script = self.words.as_ref().and_then(Query::script_in_mixed_project);
        let is_gated = !self.is_search() && self.asked.text && self.usual.is_none();
        let sample =
            if is_gated || own_script.is_some() { self.sample(db, kind, &known, similar)? } else { Vec::new() };
        let other_level = own_script.map_or(0.0, |own| level_of_other_script(&sample, own));
        // Texts in the other script have lower cosines to every query.
        let level = |words: WordScore| {
            let is_other = own_script.is_some_and(|own| words.script == Some(own.other()));
            if is_other { other_level } else { 0.0 }
        };
        if self.is_search()
            && self.usual_meaning.is_none()
            && let Some(compared) = compared
        {
            let mut cosines: Vec<f64> = compared.texts.iter().map(|one| one.cosine).collect();
            fill_up(&mut cosines, &compared.background);
            self.usual_meaning = (!cosines.is_empty()).then(|| Usual::meaning(&cosines));
        }
        if is_gated {
            let words = sample.iter().map(|one| one.words.share).collect();
            let meaning = similar.unwrap_or_default().iter().map(|one| one.cosine).collect();
            self.usual = Some(self.with_background(kind, UsualSignals { words, meaning }, compared));
        }
        for (ranking, words) in known.into_values() {
            let parts = Components {
                words: words.share,
                meaning: similar.map(|similar| resident::of_row(similar, ranking.row) + level(words)),
                scene: self.asked.scene && ranking.scene_type == self.query.scene_type,
                skill: self.query.skill_used.as_deref() == Some(ranking.skill_used.as_str()),
                decay: decay(life_of(&ranking), self.now),
            };
            let order = if self.is_search() { Components { words: words.search_share, ..parts } } else { parts };
            let score = fuse::score(order, self.asked);
            self.candidates.push(Scored { score, ranking, parts, script: words.script });
        }
        Ok(())
    }

    /// Texts of the project at equal distances: those in memory, else the stored ones.
    fn sample(
        &self,
        db: &Connection,
        kind: OwnerKind,
        known: &HashMap<i64, (Ranking, WordScore)>,
        similar: Option<&[Similarity]>,
    ) -> Result<Vec<Sampled>> {
        if let Some(query) = &self.words
            && let Some(texts) = query.sampled_texts(kind)
        {
            let sampled = |text: &SampledText| {
                let known = known.get(&text.row).map(|(_, words)| *words);
                let words = known.unwrap_or_else(|| query.score(kind, &mut text.codes.iter().copied()));
                Sampled { words, cosine: similar.and_then(|similar| resident::find_row(similar, text.row)) }
            };
            return Ok(texts.iter().map(sampled).collect());
        }
        let rows: Vec<(i64, Option<f64>)> = match similar {
            Some(similar) => similar.iter().map(|one| (one.row, Some(one.cosine))).collect(),
            None => {
                let newest = episodes::newest(db, &self.query.project_id, None, MAX_SAMPLE)?;
                let of_kind = |ranking: &&Ranking| OwnerKind::from_compressed(ranking.compressed) == kind;
                newest.iter().filter(of_kind).map(|ranking| (ranking.row, None)).collect()
            }
        };
        let mut sample = Vec::new();
        for (row, cosine) in rows.iter().step_by(rows.len().div_ceil(MAX_SAMPLE as usize).max(1)) {
            let words = match known.get(row) {
                Some((_, words)) => *words,
                None => self.words_in(db, kind, *row)?,
            };
            sample.push(Sampled { words, cosine: *cosine });
        }
        Ok(sample)
    }

    /// The usual signals, filled up by those of unrelated passages where the project has few texts.
    fn with_background(&self, kind: OwnerKind, mut usual: UsualSignals, compared: Option<&Compared>) -> UsualSignals {
        if usual.words.len() < background::MIN_TEXTS {
            let query = self.words.as_ref();
            let words = |passage: &&str| query.map_or(0.0, |query| query.score_text(kind, passage));
            fill_up(&mut usual.words, &background::PASSAGES.iter().map(words).collect::<Vec<_>>());
        }
        fill_up(&mut usual.meaning, compared.map_or(&[], |compared| &compared.background));
        usual
    }

    /// Whether summaries have to be searched: always in a search; for a prompt, where few of the awake stand out.
    #[must_use]
    pub(crate) fn wants_summaries(&self) -> bool {
        if self.is_search() {
            return true;
        }
        let gate = self.gate();
        let awake = self.candidates.iter().filter(|one| one.is_awake() && self.is_admitted(one, gate));
        awake.count() < MIN_AWAKE.min(self.limit())
    }

    /// The gate of a prompt with a text.
    fn gate(&self) -> PromptGate {
        let usual = self.usual.as_ref();
        let candidates = self.candidates.iter().map(|one| one.parts);
        PromptGate::new(usual.unwrap_or(&UsualSignals::default()), candidates)
    }

    /// Whether a candidate is an example for the prompt.
    fn is_admitted(&self, one: &Scored, gate: PromptGate) -> bool {
        if self.asked.text {
            return gate.admits(one.parts);
        }
        // A skill alone is no match when the query has a scene type.
        let asks_nothing = !self.asked.scene && !self.asked.skill;
        asks_nothing || one.parts.scene || one.parts.skill && !self.asked.scene
    }

    /// The result, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn finish(mut self, db: &Connection) -> Result<Recollection> {
        // Best first; ties by time, then by order of recording: the same query always has the same result.
        let order = |a: &Scored, b: &Scored| {
            b.score
                .total_cmp(&a.score)
                .then(b.ranking.created_at.cmp(&a.ranking.created_at))
                .then(b.ranking.row.cmp(&a.ranking.row))
        };
        self.candidates.sort_by(order);
        if self.is_search() { self.search_result(db) } else { self.prompt_result(db) }
    }

    /// The best there are, the certain ones first. Without a candidate, the newest: a search is never answered with
    /// nothing where there are episodes.
    fn search_result(mut self, db: &Connection) -> Result<Recollection> {
        let limit = self.limit();
        let is_found = |one: &Scored| fuse::group(one.parts, self.asked, self.usual_meaning) == RecallGroup::Found;
        let (mut found, mut perhaps): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.candidates).into_iter().partition(is_found);
        if let Some(own) = self.words.as_ref().and_then(Query::script_in_mixed_project) {
            let best_in = |script: Script| {
                let of_script = found.iter().chain(&perhaps).filter(|one| one.script == Some(script));
                of_script.map(|one| fuse::relevance(one.parts)).fold(0.0, f64::max)
            };
            let is_own_ahead = best_in(own) >= best_in(own.other()) + MIN_LEAD;
            let places = if is_own_ahead { PLACES_BESIDE_OWN_SCRIPT.as_slice() } else { &PLACES_OF_OTHER_SCRIPT };
            for (already, place) in places.iter().take_while(|place| **place <= limit).enumerate() {
                give_place(&mut found, &mut perhaps, own.other(), already, *place, limit);
            }
            hold_back(&mut found, own.other(), places.len());
        }
        let mut episodes = Vec::new();
        for one in found.into_iter().chain(perhaps).take(limit) {
            episodes.extend(self.recalled(db, one)?);
        }
        if episodes.is_empty() && self.asked.text {
            for ranking in self.newest(db)?.into_iter().take(limit) {
                let parts = Components { decay: decay(life_of(&ranking), self.now), ..Components::default() };
                episodes.extend(self.recalled(db, Scored { score: 0.0, ranking, parts, script: None })?);
            }
        }
        Ok(Recollection { episodes, ..Recollection::default() })
    }

    /// The examples that stand out, awake ones first; or the nearest episode, where none does.
    fn prompt_result(mut self, db: &Connection) -> Result<Recollection> {
        let (limit, gate, wants_summaries) = (self.limit(), self.gate(), self.wants_summaries());
        let candidates = std::mem::take(&mut self.candidates);
        let (admitted, rest): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|one| self.is_admitted(one, gate));
        let (awake, others): (Vec<_>, Vec<_>) = admitted.into_iter().partition(Scored::is_awake);
        let room = if wants_summaries { limit.saturating_sub(awake.len()) } else { 0 };
        let mut episodes = Vec::new();
        for one in awake.into_iter().take(limit).chain(others.into_iter().take(room)) {
            episodes.extend(self.recalled(db, one)?);
        }
        let nearest = match rest.into_iter().next() {
            Some(one) if episodes.is_empty() => self.recalled(db, one)?,
            _ => None,
        };
        Ok(Recollection { episodes, nearest, ..Recollection::default() })
    }

    /// Reads an episode; `None` if it was deleted meanwhile.
    fn recalled(&self, db: &Connection, one: Scored) -> Result<Option<Recalled>> {
        let Scored { score, ranking, parts, .. } = one;
        let Some(episode) = episodes::by_row(db, ranking.row)? else { return Ok(None) };
        let mut matched_by = fuse::matched_by(parts, self.asked);
        if Tier::from_score(parts.decay).sleeps() {
            matched_by.push("sleeping".into());
        }
        if ranking.compressed {
            matched_by.push("compressed".into());
        }
        let group =
            if self.is_search() { fuse::group(parts, self.asked, self.usual_meaning) } else { RecallGroup::Found };
        Ok(Some(Recalled { episode, group, score, matched_by, components: parts }))
    }
}

/// Adds the values of unrelated passages, repeatedly, to those of a project with few texts.
fn fill_up(values: &mut Vec<f64>, unrelated: &[f64]) {
    let missing = background::MIN_TEXTS.saturating_sub(values.len());
    values.extend(unrelated.iter().cycle().take(missing));
}

/// How much lower the usual cosine of texts in the other script is than that of texts in the query's own.
fn level_of_other_script(sample: &[Sampled], own: Script) -> f64 {
    let usual = |script: Script| {
        let of_script = sample.iter().filter(|one| one.words.script == Some(script));
        let cosines: Vec<f64> = of_script.filter_map(|one| one.cosine).collect();
        (!cosines.is_empty()).then(|| fuse::median(&cosines))
    };
    match (usual(own), usual(own.other())) {
        (Some(own), Some(other)) => (own - other).clamp(0.0, MAX_LEVEL),
        _ => 0.0,
    }
}

/// Moves the next text in a script, after `already` ones, up to a place of the result, counted from 1: with the words
/// of the query, texts in its own script outnumber the others. Texts of the group *perhaps* stay behind the found ones,
/// which leave a place for them.
fn give_place(
    found: &mut Vec<Scored>,
    perhaps: &mut Vec<Scored>,
    script: Script,
    already: usize,
    place: usize,
    limit: usize,
) {
    let of_script = |one: &&Scored| one.script == Some(script);
    if found.iter().chain(perhaps.iter()).take(place).filter(of_script).count() > already {
        return;
    }
    let in_found = found.iter().filter(of_script).count();
    let place = place.saturating_sub(1);
    if already < in_found {
        move_up(found, script, already, place);
    } else if move_up(perhaps, script, already - in_found, place.saturating_sub(found.len())) {
        found.truncate(limit.saturating_sub(1 + already - in_found));
    }
}

/// Moves the texts in a script, except the best `count`, behind the first results, as far as other texts can fill
/// these: words and cosines of two scripts are not comparable well enough to give one of them all first results.
fn hold_back(found: &mut Vec<Scored>, script: Script, count: usize) {
    let (mut first, mut held) = (Vec::with_capacity(found.len()), Vec::new());
    let mut in_script = 0;
    for one in found.drain(..) {
        let is_of_script = one.script == Some(script);
        if is_of_script && in_script == count && first.len() < FIRST_RESULTS {
            held.push(one);
        } else {
            in_script += usize::from(is_of_script);
            first.push(one);
        }
    }
    let end = first.len().min(FIRST_RESULTS);
    first.splice(end..end, held);
    *found = first;
}

/// Moves the `nth` text in a script up to an index of a list; returns whether there is one.
fn move_up(list: &mut Vec<Scored>, script: Script, nth: usize, index: usize) -> bool {
    let mut places = list.iter().enumerate().filter(|(_, one)| one.script == Some(script));
    let Some((at, _)) = places.nth(nth) else { return false };
    if at > index {
        let one = list.remove(at);
        list.insert(index, one);
    }
    true
}

fn life_of(ranking: &Ranking) -> Life {
    Life {
        created_at: ranking.created_at,
        last_recalled_at: ranking.last_recalled_at,
        recall_count: ranking.recall_count,
        importance: ranking.importance,
        user_confirmed: ranking.user_confirmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(row: i64, script: Script) -> Scored {
        let created_at = Time::from_millis(0);
        let ranking = Ranking {
            row,
            scene_type: None,
            skill_used: "continue".to_owned(),
            created_at,
            importance: 0.5,
            recall_count: 0,
            last_recalled_at: None,
            user_confirmed: false,
            compressed: false,
        };
        Scored { score: 0.0, ranking, parts: Components::default(), script: Some(script) }
    }

    #[test]
    fn the_other_script_has_no_more_of_the_first_results_than_its_places_where_others_can_fill_them() {
        let order = |scripts: &[Script], count| {
            let mut found: Vec<Scored> = (1..).zip(scripts).map(|(row, script)| scored(row, *script)).collect();
            hold_back(&mut found, Script::Han, count);
            found.iter().map(|one| one.ranking.row).collect::<Vec<_>>()
        };
        let (han, latin) = (Script::Han, Script::Latin);
        assert_eq!(order(&[han, han, han, latin, latin, latin, latin], 1), [1, 4, 5, 6, 7, 2, 3]);
        assert_eq!(order(&[han, han, han, han, latin, latin, han], 3), [1, 2, 3, 5, 6, 4, 7]);
        assert_eq!(order(&[han, han, latin], 1), [1, 3, 2]);
        assert_eq!(order(&[han, han, han], 1), [1, 2, 3]);
        assert_eq!(order(&[latin, latin, latin, latin, latin, han, han], 1), [1, 2, 3, 4, 5, 6, 7]);
    }
}
