//! Whether what a model proposes is a rule that there is, or one that the writer deleted, in other words.
//!
//! The bundled encoder says what two rules are about, and not what they say of it. Of 24 pairs that mean the same, Chinese
//! and English, 22 have a cosine of .5 or more; so have 22 of 24 that differ in one thing ("begin every chapter on a
//! hook", "end every chapter on a hook"); rules that have nothing to do with each other have .4 at most, and a paraphrase
//! may have .2. So only a model can tell, but for the nearest. Where it does not, what is about the same as something that
//! the writer deleted stays deleted: a question that is never asked costs a writer nothing, and one that comes back costs the
//! writer's trust.

use palimpsest_text::names::Mask;

use super::{Trouble, words::Heard};
use crate::{
    context::fenced,
    engine::Engine,
    model::{Language, Rule},
    ports::{Stop, TextModel},
    semantic::{
        by_model::restated,
        lexicon,
        reconcile::{Known, Suggestion},
    },
    storage::tombstones::Why,
};

/// From this cosine on two rules say the same; of 24 pairs that do not, three are above it.
const SAME: f32 = 0.8;
/// Where nobody tells: from this cosine on they do, below it they do not.
const ALIKE: f32 = 0.5;
/// Pairs about which a model is asked in one run, the most alike first.
const COMPARED: usize = 24;

/// Who is asked, and how.
pub(super) struct Asks<'a> {
    pub(super) model: &'a dyn TextModel,
    pub(super) language: Language,
    /// Hides names; what the writer deleted is among the texts it was made over.
    pub(super) mask: &'a Mask,
}

/// A rule to hold a suggestion against.
struct Other<'k> {
    id: &'k str,
    words: &'k str,
    /// It held in all books, so that names of any may stand in it.
    is_shared: bool,
    is_deleted: bool,
    is_measured: bool,
    forbids: bool,
}

/// A suggestion, what it may be a restatement of, and how alike the two are.
struct Doubt<'k> {
    at: usize,
    other: &'k Other<'k>,
    cosine: f32,
}

impl Engine {
    /// Notes with each suggestion which rules of the book, deleted ones too, say the same. Without the encoder there are
    /// none: then only the same words are the same.
    pub(super) fn liken(
        &self,
        mut suggested: Vec<Suggestion>,
        project_id: &str,
        known: &Known,
        asks: &Asks<'_>,
        heard: &mut Heard,
        stop: &Stop,
    ) -> Result<Vec<Suggestion>, Trouble> {
        if suggested.is_empty() {
            return Ok(suggested);
        }
        for one in &mut suggested {
            // Words that were erased cannot be compared by meaning; their hash still tells the same words.
            let stones =
                known.tombstones.iter().filter(|stone| stone.why != Why::Drifted && stone.holds_in(project_id));
            let erased = stones.filter(|stone| stone.words.is_empty() && stone.says(&one.words));
            one.like.extend(erased.map(|stone| stone.rule_id.clone()));
        }
        let others = others(known, project_id);
        // Each is encoded once a run.
        let vectors = self.meaning.vectors_of(&others.iter().map(|other| other.words).collect::<Vec<_>>());
        let words: Vec<&str> = suggested.iter().map(|one| one.words.as_str()).collect();
        let own = self.meaning.vectors_of(&words);
        let mut doubts = Vec::new();
        for (at, own) in own.iter().enumerate() {
            let forbids = suggested.get(at).is_some_and(|one| lexicon::forbids(&one.words));
            for (other, vector) in others.iter().zip(&vectors) {
                let (Some(own), Some(vector)) = (own, vector) else { continue };
                let cosine: f32 = own.iter().zip(vector).map(|(a, b)| a * b).sum();
                // A rule and its opposite are about the same and do not say the same. What is measured is known by its
                // dimension.
                if cosine >= SAME && other.forbids == forbids && !other.is_measured {
                    suggested[at].like.push(other.id.to_owned());
                } else if other.is_deleted {
                    doubts.push(Doubt { at, other, cosine });
                }
            }
        }
        // What is settled needs no asking.
        doubts.retain(|doubt| suggested[doubt.at].like.is_empty());
        doubts.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        let same = self.ask_whether_they_are_the_same(&doubts, &suggested, asks, heard, stop)?;
        for (doubt, same) in doubts.iter().zip(same) {
            if same {
                suggested[doubt.at].like.push(doubt.other.id.to_owned());
            }
        }
        Ok(suggested)
    }

    fn ask_whether_they_are_the_same(
        &self,
        doubts: &[Doubt<'_>],
        suggested: &[Suggestion],
        asks: &Asks<'_>,
        heard: &mut Heard,
        stop: &Stop,
    ) -> Result<Vec<bool>, Trouble> {
        let mut same: Vec<bool> = doubts.iter().map(|doubt| doubt.cosine >= ALIKE).collect();
        let shown = |words: &str| fenced(&asks.mask.hide(words));
        let texts: Vec<(String, String)> = doubts
            .iter()
            .take(COMPARED)
            .map(|doubt| {
                let other = match doubt.other.is_shared {
                    true => fenced(&asks.mask.hide_shared(doubt.other.words)),
                    false => shown(doubt.other.words),
                };
                (shown(&suggested[doubt.at].words), other)
            })
            .collect();
        if texts.is_empty() {
            return Ok(same);
        }
        let pairs: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let messages = restated::messages(asks.language, &pairs);
        match self.hear(asks.model, messages, &restated::schema(), heard, stop) {
            Err(Trouble::Stopped) => return Err(Trouble::Stopped),
            Err(_) => {}
            Ok(answer) => {
                for (same, told) in same.iter_mut().zip(restated::read(pairs.len(), &answer).into_iter().flatten()) {
                    *same = told;
                }
            }
        }
        Ok(same)
    }
}

fn others<'k>(known: &'k Known, project_id: &str) -> Vec<Other<'k>> {
    let is_here = |rule: &&Rule| rule.project_id.as_deref().is_none_or(|id| id == project_id);
    let rules = known.rules.iter().filter(is_here).filter(|rule| rule.pattern.is_none());
    let rules = rules.map(|rule| (rule.id.as_str(), rule.rule.as_str(), rule.project_id.is_none(), false, false));
    let stones = known.tombstones.iter().filter(|stone| stone.why != Why::Drifted && stone.holds_in(project_id));
    let stones = stones.filter(|stone| !stone.words.is_empty());
    let stones = stones.map(|stone| {
        let is_shared = stone.project_id.is_none();
        (stone.rule_id.as_str(), stone.words.as_str(), is_shared, true, stone.dimension.is_some())
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
