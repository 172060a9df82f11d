//! Whether a model's suggestion restates a rule that exists, or one that the writer deleted.
//!
//! The bundled encoder measures the topic of two rules, not whether they agree. Of 24 pairs that mean the same, Chinese
//! and English, 22 have a cosine of .5 or more; so have 22 of 24 that differ in one thing ("begin every chapter on a
//! hook", "end every chapter on a hook"); unrelated rules have .4 at most, and a paraphrase may have .2. So only a
//! model can decide, except for the nearest pairs. Without a model's answer, a suggestion about the same topic as a
//! deleted rule stays deleted: a question that is never asked costs a writer nothing, and a deleted rule that comes
//! back costs the writer's trust.

use palimpsest_text::names::Mask;

use super::{RunError, words::AnswerCache};
use crate::{
    context::fenced,
    engine::Engine,
    model::{Language, ProjectId, Rule, RuleId, TombstoneCause},
    ports::{Stop, TextModel},
    semantic::{
        by_model::restated,
        lexicon,
        reconcile::{StateBefore, Suggestion},
    },
};

/// Minimum cosine at which two rules count as the same; of 24 pairs that are not, three are above it.
const MIN_SAME_COSINE: f32 = 0.8;
/// Without a model's answer, two rules count as the same at or above this cosine.
const MIN_ALIKE_COSINE: f32 = 0.5;
/// Maximum number of pairs about which a model is queried in one run; the most similar come first.
const MAX_COMPARED_PAIRS: usize = 24;

/// The model and the inputs of a query.
pub(super) struct ModelQuery<'a> {
    pub(super) model: &'a dyn TextModel,
    pub(super) language: Language,
    /// Hides names; it was computed over texts that include the deleted rules.
    pub(super) mask: &'a Mask,
}

/// A rule that a suggestion is compared with.
struct Other<'k> {
    id: &'k RuleId,
    words: &'k str,
    /// The rule was global, so that it may contain names of any project.
    is_shared: bool,
    is_deleted: bool,
    is_measured: bool,
    forbids: bool,
}

/// A suggestion, the rule it may restate, and their similarity.
struct PossibleRestatement<'k> {
    at: usize,
    other: &'k Other<'k>,
    cosine: f32,
}

impl Engine {
    /// Adds to each suggestion the rules of the project, also deleted ones, that say the same. Without the encoder only
    /// identical words count as the same.
    pub(super) fn mark_restatements(
        &self,
        mut suggested: Vec<Suggestion>,
        project_id: &ProjectId,
        known: &StateBefore,
        query: &ModelQuery<'_>,
        cache: &mut AnswerCache,
        stop: &Stop,
    ) -> Result<Vec<Suggestion>, RunError> {
        if suggested.is_empty() {
            return Ok(suggested);
        }
        for one in &mut suggested {
            // Erased words cannot be compared by meaning; their hash still shows identical words.
            let stones = known
                .tombstones
                .iter()
                .filter(|stone| stone.why != TombstoneCause::Drifted && stone.holds_in(project_id));
            let erased = stones.filter(|stone| stone.words.is_empty() && stone.has_words(&one.words));
            one.like.extend(erased.map(|stone| stone.rule_id.clone()));
        }
        let others = others(known, project_id);
        // Each text is encoded once a run.
        let vectors = self.retrieval.vectors_of(&others.iter().map(|other| other.words).collect::<Vec<_>>());
        let words: Vec<&str> = suggested.iter().map(|one| one.words.as_str()).collect();
        let own = self.retrieval.vectors_of(&words);
        let mut possible = Vec::new();
        for (at, own) in own.iter().enumerate() {
            let forbids = suggested.get(at).is_some_and(|one| lexicon::forbids(&one.words));
            for (other, vector) in others.iter().zip(&vectors) {
                let (Some(own), Some(vector)) = (own, vector) else { continue };
                let cosine: f32 = own.iter().zip(vector).map(|(a, b)| a * b).sum();
                // A rule and its opposite have the same topic and do not say the same. A measurable rule is identified
                // by its feature.
                if cosine >= MIN_SAME_COSINE && other.forbids == forbids && !other.is_measured {
                    suggested[at].like.push(other.id.clone());
                } else if other.is_deleted {
                    possible.push(PossibleRestatement { at, other, cosine });
                }
            }
        }
        // Pairs that are decided are not asked about.
        possible.retain(|pair| suggested[pair.at].like.is_empty());
        possible.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        let same = self.ask_whether_they_are_the_same(&possible, &suggested, query, cache, stop)?;
        for (pair, same) in possible.iter().zip(same) {
            if same {
                suggested[pair.at].like.push(pair.other.id.clone());
            }
        }
        Ok(suggested)
    }

    fn ask_whether_they_are_the_same(
        &self,
        possible: &[PossibleRestatement<'_>],
        suggested: &[Suggestion],
        query: &ModelQuery<'_>,
        cache: &mut AnswerCache,
        stop: &Stop,
    ) -> Result<Vec<bool>, RunError> {
        let mut same: Vec<bool> = possible.iter().map(|pair| pair.cosine >= MIN_ALIKE_COSINE).collect();
        let shown = |words: &str| fenced(&query.mask.hide(words));
        let texts: Vec<(String, String)> = possible
            .iter()
            .take(MAX_COMPARED_PAIRS)
            .map(|pair| {
                let other = match pair.other.is_shared {
                    true => fenced(&query.mask.hide_shared(pair.other.words)),
                    false => shown(pair.other.words),
                };
                (shown(&suggested[pair.at].words), other)
            })
            .collect();
        if texts.is_empty() {
            return Ok(same);
        }
        let pairs: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let messages = restated::messages(query.language, &pairs);
        match self.query_model(query.model, messages, &restated::answer_schema(), cache, stop) {
            Err(RunError::Stopped) => return Err(RunError::Stopped),
            Err(_) => {}
            Ok(answer) => {
                for (same, answered) in
                    same.iter_mut().zip(restated::parse_answer(pairs.len(), &answer).into_iter().flatten())
                {
                    *same = answered;
                }
            }
        }
        Ok(same)
    }
}

fn others<'k>(known: &'k StateBefore, project_id: &ProjectId) -> Vec<Other<'k>> {
    let is_here = |rule: &&Rule| rule.project_id.as_ref().is_none_or(|id| id == project_id);
    let rules = known.rules.iter().filter(is_here).filter(|rule| rule.pattern.is_none());
    let rules = rules.map(|rule| (&rule.id, rule.rule.as_str(), rule.project_id.is_none(), false, false));
    let stones =
        known.tombstones.iter().filter(|stone| stone.why != TombstoneCause::Drifted && stone.holds_in(project_id));
    let stones = stones.filter(|stone| !stone.words.is_empty());
    let stones = stones.map(|stone| {
        let is_shared = stone.project_id.is_none();
        (&stone.rule_id, stone.words.as_str(), is_shared, true, stone.dimension.is_some())
    });
    let other = |(id, words, is_shared, is_deleted, is_measured)| Other {
        id,
        words,
        is_shared,
        is_deleted,
        is_measured,
        forbids: lexicon::forbids(words),
    };
    rules.chain(stones).map(other).collect()
}
