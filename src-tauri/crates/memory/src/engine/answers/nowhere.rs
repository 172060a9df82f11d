//! Answers that say that something is not in the book. They are doubtful once the writer has written a sentence near
//! their question.

use std::collections::BTreeSet;

use palimpsest_answers::nearness::{Nearness, QuestionWords, nearness};
use palimpsest_text::sentences;

use super::ReadChapter;
use crate::{
    engine::{
        Engine,
        citations::{SavedText, Stretch},
    },
    error::{Code, Error, OrLog, Result},
    model::{Answer, ChapterId, MentionRange, OwnerKind, ProjectId, Staleness},
    storage::{
        Tx,
        answer_basis::{self, LookedAt},
        answer_citations, answers,
    },
};

/// A sentence near a question, or almost near.
struct Similar {
    hash: String,
    is_near: bool,
    /// In the chapter, in UTF-16 code units.
    from: u32,
    to: u32,
}

impl Engine {
    /// The chapters that were looked at for a question, each with the sentences near it, or almost, that it has. They
    /// are compared again at the next change of the book. One that was deleted meanwhile is left out.
    ///
    /// # Errors
    /// Those of the store and of `read`.
    pub(super) fn look_at(
        &self,
        project_id: &ProjectId,
        question: &str,
        basis: Vec<ChapterId>,
        read: ReadChapter<'_>,
    ) -> Result<Vec<(ChapterId, LookedAt)>> {
        let words = self.question_words(project_id, question);
        let look = |chapter_id: ChapterId| {
            let stretches = match read(&chapter_id) {
                Ok(Some(text)) => vec![Stretch::whole(text)],
                Ok(None) => self.stored_stretches(project_id, &chapter_id)?,
                Err(error) if error.code == Code::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let similar = stretches.iter().flat_map(|one| self.similar_sentences((question, &words), &one.text));
            let known = similar.map(|one| one.hash).collect();
            Ok(Some((chapter_id, LookedAt { content_hash: String::new(), known })))
        };
        basis.into_iter().filter_map(|chapter_id| look(chapter_id).transpose()).collect()
    }

    /// Compares the chapters that have changed with the questions of the answers that did not find something in the
    /// book; returns whether any of the answers is doubtful now that was not before.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn wake_answers(
        &self,
        project_id: &ProjectId,
        chapters: &[(ChapterId, String)],
        read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> Result<bool> {
        let db = self.stores.episodes.open()?;
        let by_answer = answer_basis::by_answer(&*db.reader()?, project_id)?;
        let mut has_woken = false;
        for (answer_id, basis) in by_answer {
            let Some(stored) = answers::get(&*db.reader()?, &answer_id)? else { continue };
            // All that was known of any chapter: sentences are moved, and chapters split.
            let mut known: BTreeSet<String> = basis.values().flat_map(|one| one.known.iter().cloned()).collect();
            let mut looked_at: Vec<(&ChapterId, LookedAt)> = Vec::new();
            let mut nearby: Option<MentionRange> = None;
            let mut words: Option<QuestionWords> = None;
            let question = &stored.answer.question;
            for (chapter_id, content_hash) in chapters {
                let before = basis.get(chapter_id);
                if content_hash.is_empty() || before.is_some_and(|one| one.content_hash == *content_hash) {
                    continue;
                }
                let Some(SavedText { text, content_hash }) = read(chapter_id) else { continue };
                let mut own = before.map(|one| one.known.clone()).unwrap_or_default();
                let words = words.get_or_insert_with(|| self.question_words(project_id, question));
                for Similar { hash, is_near, from, to } in self.similar_sentences((question, words), &text) {
                    own.insert(hash.clone());
                    if known.insert(hash) && is_near && nearby.is_none() {
                        nearby = Some(MentionRange { chapter_id: chapter_id.clone(), from, to });
                    }
                }
                looked_at.push((chapter_id, LookedAt { content_hash, known: own }));
            }
            if looked_at.is_empty() {
                continue;
            }
            db.write("look at chapters for an answer", |tx| {
                for (chapter_id, looked_at) in &looked_at {
                    answer_basis::upsert(tx, project_id, (&answer_id, chapter_id), looked_at)?;
                }
                if let Some(nearby) = &nearby {
                    answer_basis::set_nearby(tx, project_id, &answer_id, Some(nearby))?;
                    answer_citations::update_staleness(tx, project_id)?;
                }
                Ok(())
            })?;
            has_woken |= nearby.is_some() && stored.answer.staleness == Staleness::Current;
        }
        Ok(has_woken)
    }

    /// The content words of a question, weighed by their rarity in the passages of the book.
    fn question_words(&self, project_id: &ProjectId, question: &str) -> QuestionWords {
        let read = || self.retrieval.rarities(&self.stores, project_id, (OwnerKind::Passage, question));
        let rarities = read().or_log("read the rarity of words").unwrap_or_default();
        QuestionWords::new(question, |word| rarities.as_ref().and_then(|of| of.get(word).copied()).unwrap_or(1.0))
    }

    /// The sentences of a text that are near a question, or almost, in order.
    fn similar_sentences(&self, (question, words): (&str, &QuestionWords), text: &str) -> Vec<Similar> {
        let shares = |sentence| (sentence, words.share_in(sentence));
        let alike: Vec<(&str, f64)> =
            sentences::split(text).into_iter().map(shares).filter(|(_, share)| *share > 0.0).collect();
        if alike.is_empty() {
            return Vec::new();
        }
        let texts: Vec<&str> = std::iter::once(question).chain(alike.iter().map(|(sentence, _)| *sentence)).collect();
        let vectors = self.retrieval.vectors_of(&texts);
        let of_question = vectors.first().cloned().flatten();
        let cosine = |of_sentence: Option<&Vec<f32>>| {
            let (first, second) = (of_question.as_ref()?, of_sentence?);
            Some(first.iter().zip(second).map(|(one, other)| f64::from(one * other)).sum::<f64>())
        };
        let mut similar = Vec::new();
        let (mut at, mut units) = (0, 0);
        for ((sentence, share), vector) in alike.iter().zip(vectors.iter().skip(1)) {
            let nearness = nearness(*share, cosine(vector.as_ref()));
            if nearness == Nearness::Far {
                continue;
            }
            let start = sentence.as_ptr().addr() - text.as_ptr().addr();
            units += units_in(&text[at..start]);
            at = start;
            let hash = blake3::hash(sentence.as_bytes()).to_hex().as_str()[..16].to_owned();
            let is_near = nearness == Nearness::Near;
            similar.push(Similar { hash, is_near, from: units, to: units + units_in(sentence) });
        }
        similar
    }

    /// As [`Engine::wake_answers`]. What cannot be compared now is compared after the next change.
    pub(super) fn wake_or_log(
        &self,
        project_id: &ProjectId,
        chapters: &[(ChapterId, String)],
        read: &mut impl FnMut(&ChapterId) -> Option<SavedText>,
    ) -> bool {
        self.wake_answers(project_id, chapters, read).or_log("look at chapters for answers").unwrap_or(false)
    }
}

/// The chapters that an answer says that something is not in.
///
/// # Errors
/// `MEMORY_NOT_FOUND` for a chapter that the book does not have.
pub(super) fn basis_of(basis: &[ChapterId], not_in_book: bool, order: &[ChapterId]) -> Result<Vec<ChapterId>> {
    if basis.iter().any(|chapter_id| !order.contains(chapter_id)) {
        return Err(Error::not_found("basis", "chapter"));
    }
    Ok(if basis.is_empty() && not_in_book { order.to_vec() } else { basis.to_vec() })
}

/// Stores the chapters that were looked at for a new answer.
///
/// # Errors
/// Those of the store.
pub(super) fn insert_basis(tx: &Tx<'_>, answer: &Answer, basis: &[(ChapterId, LookedAt)]) -> Result<()> {
    basis.iter().try_for_each(|(chapter_id, looked_at)| {
        answer_basis::upsert(tx, &answer.project_id, (&answer.answer_id, chapter_id), looked_at)
    })
}

fn units_in(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}
