//! The comparison of two sentences of a book by the model of a study, with the names of the book hidden.

use palimpsest_knowledge::{
    comparison::{self as rules, PairData, Quoted, check_comparison, comparison_prompt},
    failures::FailureKind,
    study::{Event, Limits, Phase, next},
};
use palimpsest_text::{excerpt, names::Mask, secrets::redact_secrets};

use super::{
    AdvancedStudy, StudyAround, changes::chapter_numbers, commit::entry_line, questions::text_language, shown_state,
    state_json, state_of,
};
use crate::{
    engine::{Engine, answers::ReadChapter, continuity::FoundPair},
    error::Result,
    model::{Changed, ChapterId, ContinuityPlace, Language, PairVerdict, Project, ProjectId, Time, Topic},
    ports::{Message, Role},
    storage::{
        compared_pairs::{self, Comparison},
        journal::{self, NewEntry},
        study as stored,
    },
};

/// Maximum characters of the name of a model.
const MODEL_CHARS: usize = 100;
/// Maximum characters of the name of an entity in an entry of the journal.
const NAME_CHARS: usize = 100;

/// A prompt for the comparison of two sentences, with the names of the book hidden.
#[derive(Debug)]
pub struct ComparisonPrompt {
    /// The messages to send.
    pub messages: Vec<Message>,
    /// Restores the names.
    pub mask: Mask,
    /// The sentences that are compared.
    pub about: ComparedSentences,
}

/// The sentences of a comparison, without their words.
#[derive(Clone)]
pub struct ComparedSentences {
    entity: String,
    /// The numbers of their chapters, from 1.
    chapters: [usize; 2],
    /// Whether the model's sentence on why is kept. Not where a proposed fact is compared: its words would outlive the
    /// refusal of the fact.
    keeps_why: bool,
}

impl ComparedSentences {
    fn new(pair: &FoundPair, order: &[ChapterId]) -> Self {
        Self {
            entity: pair.issue.entity_name.clone().unwrap_or_default(),
            chapters: chapter_numbers(&pair.issue, order),
            keeps_why: !pair.is_proposed,
        }
    }
}

impl std::fmt::Debug for ComparedSentences {
    /// No text of the writer's in debug output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComparedSentences").field("chapters", &self.chapters).finish_non_exhaustive()
    }
}

/// The reply of a model on a pair of sentences.
#[derive(Clone)]
pub struct ComparedPair {
    /// The signature of the pair.
    pub pair: String,
    /// The reply, with names restored.
    pub reply: String,
    /// The name of the model.
    pub model: String,
    /// As in [`ComparisonPrompt`].
    pub about: ComparedSentences,
}

impl std::fmt::Debug for ComparedPair {
    /// No text of the writer's in debug output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComparedPair").field("pair", &self.pair).finish_non_exhaustive()
    }
}

/// The comparison of a pair that the model did not compare in a readable way.
pub(super) fn no_comparison() -> Comparison {
    Comparison { verdict: PairVerdict::Unclear, why: String::new(), model: String::new() }
}

impl Engine {
    /// The prompt for the comparison of a pair; `None` if the book does not have it any more.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE`, also where the names to be hidden cannot be read: nothing may be
    /// sent then.
    pub fn study_comparison_prompt(
        &self,
        project_id: &ProjectId,
        order: &[ChapterId],
        pair: &str,
    ) -> Result<Option<ComparisonPrompt>> {
        let open = self.visit(project_id)?;
        let Some(pair) = self.pair_with(&open, order, pair)? else { return Ok(None) };
        let about = ComparedSentences::new(&pair, order);
        let (first, second) = (around_difference(&pair.issue.first), around_difference(&pair.issue.second));
        let mut texts = [pair.issue.entity_name.unwrap_or_default(), pair.subject, first, second];
        let mask = {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.mask_over(project_id, &texts, &[])?
        };
        if !mask.is_empty() {
            texts.iter_mut().for_each(|text| *text = mask.hide(text));
        }
        let [entity, subject, first, second] = &texts;
        let [chapter, second_chapter] = about.chapters;
        let data = PairData {
            entity,
            subject,
            first: Quoted { chapter, quote: first },
            second: Quoted { chapter: second_chapter, quote: second },
        };
        let (system, user) = comparison_prompt(&data, text_language(open.language));
        let messages =
            vec![Message { role: Role::System, content: system }, Message { role: Role::User, content: user }];
        Ok(Some(ComparisonPrompt { messages, mask, about }))
    }

    /// Reads the reply of a model on the pair at work, and stores its verdict with the state after it, an entry of the
    /// journal, and for a change of the text a learning record that proposes its facts. A pair that is not at work any
    /// more changes nothing.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores: nothing has changed then. The inner error says why the reply cannot be
    /// used.
    pub fn keep_comparison(
        &self,
        project_id: &ProjectId,
        around: &StudyAround,
        (order, read): (&[ChapterId], ReadChapter<'_>),
        compared: &ComparedPair,
    ) -> Result<std::result::Result<Changed<AdvancedStudy>, FailureKind>> {
        let open = self.visit(project_id)?;
        let ComparedPair { pair, reply, model, about } = compared;
        let (verdict, why) = match check_comparison(reply, text_language(open.language)) {
            Ok((verdict, why)) => (stored_verdict(verdict), why),
            Err(kind) => return Ok(Err(kind)),
        };
        let settings = self.knowledge_settings(project_id)?;
        let book = self.study_book(project_id, around, &settings)?;
        let (now, day) = (self.clock.now(), self.clock.day());
        let found = match verdict {
            PairVerdict::Change => self.pair_with(&open, order, pair)?,
            PairVerdict::Conflict | PairVerdict::Unclear => None,
        };
        let change = match &found {
            Some(found) => self.change_record(&open, (order, read), (found, model), now)?,
            None => None,
        };
        let comparison = Comparison {
            verdict,
            // Only that of an issue is shown, and nothing about a change outlives the refusal of its record.
            why: if about.keeps_why && verdict == PairVerdict::Conflict { redact_secrets(&why) } else { String::new() },
            model: excerpt(model, MODEL_CHARS),
        };
        let mut entry = self.entry_of_comparison((project_id, open.language), about, Some(verdict), now);
        let is_journal_kept = self.is_journal_kept(project_id);
        let (state, action, removed_rows) = self.stores.episodes.open()?.write("keep a comparison", |tx| {
            let before = state_of(stored::get(tx, project_id)?.as_deref());
            let at_work = before.work.as_ref().and_then(|work| work.pair.as_deref());
            let is_at_work = before.phase == Phase::Comparing && at_work == Some(pair.as_str());
            let event = if is_at_work { Event::Compared } else { Event::Woken };
            let (state, action) = next(now.millis(), &day, &before, &book, &event);
            let mut removed_rows = Vec::new();
            if is_at_work {
                compared_pairs::upsert(tx, project_id, pair, &comparison, now)?;
                if let Some(change) = &change
                    && let Some((answer_id, removed)) = self.insert_change(tx, &open, change, now)?
                {
                    (entry.ref_id, removed_rows) = (Some(answer_id.to_string()), removed);
                }
                if is_journal_kept {
                    journal::append(tx, &entry)?;
                }
            }
            if state != before {
                stored::upsert(tx, project_id, &state_json(&state)?, now)?;
            }
            Ok((state, action, removed_rows))
        })?;
        self.retrieval.remove_rows(&removed_rows);
        let advanced = AdvancedStudy { state: shown_state(&state, &settings), action };
        let mut topics = vec![Topic::Knowledge, Topic::Story, Topic::Journal];
        topics.extend(change.is_some().then_some(Topic::Answers));
        Ok(Ok(Changed::new(advanced, Some(project_id.clone()), topics)))
    }

    /// The sentences of the pair at work if it is given up unless a readable reply comes.
    pub(super) fn sentences_at_last_request(
        &self,
        open: &Project,
        limits: &Limits,
    ) -> Result<Option<ComparedSentences>> {
        let state = state_of(stored::get(&*self.stores.episodes.open()?.reader()?, &open.project_id)?.as_deref());
        let work = state.work.filter(|work| work.begun_comparisons >= limits.comparisons);
        let Some(pair) = work.and_then(|work| work.pair) else { return Ok(None) };
        let order = self.analyzed_order(&open.project_id)?;
        let found = self.pair_with(open, &order, &pair)?;
        Ok(found.map(|found| ComparedSentences::new(&found, &order)))
    }

    /// The entry of the journal about a comparison; `None` as verdict: there was no readable reply. It has no word of
    /// the two sentences, and nothing of a fact.
    pub(super) fn entry_of_comparison(
        &self,
        (project_id, language): (&ProjectId, Language),
        about: &ComparedSentences,
        verdict: Option<PairVerdict>,
        now: Time,
    ) -> NewEntry {
        let content = comparison_words(language, about, verdict);
        self.study_entry(project_id, (None, content), now)
    }
}

fn comparison_words(language: Language, about: &ComparedSentences, verdict: Option<PairVerdict>) -> String {
    let name = entry_line(&about.entity, NAME_CHARS);
    let [first, second] = about.chapters;
    let (zh, en) = match verdict {
        Some(PairVerdict::Conflict) => ("对不上", "they contradict each other"),
        Some(PairVerdict::Change) => ("后一句写的是变化", "the later one tells a change"),
        Some(PairVerdict::Unclear) => ("两句可以都对", "both may be right"),
        None => ("模型的回答读不懂", "no readable reply"),
    };
    match language {
        Language::Zh if first == second => format!("比了写{name}的两句（第 {first} 章）：{zh}。"),
        Language::Zh => format!("比了写{name}的两句（第 {first} 章、第 {second} 章）：{zh}。"),
        Language::En if first == second => format!("Compared two sentences about {name} (chapter {first}): {en}."),
        Language::En => format!("Compared two sentences about {name} (chapters {first} and {second}): {en}."),
    }
}

fn stored_verdict(verdict: rules::PairVerdict) -> PairVerdict {
    match verdict {
        rules::PairVerdict::Conflict => PairVerdict::Conflict,
        rules::PairVerdict::Change => PairVerdict::Change,
        rules::PairVerdict::Unclear => PairVerdict::Unclear,
    }
}

/// The sentence of a place; of a long one the part with the words that differ.
fn around_difference(place: &ContinuityPlace) -> String {
    let units: Vec<u16> = place.quote.encode_utf16().collect();
    if units.len() <= rules::MAX_QUOTE_CHARS {
        return place.quote.clone();
    }
    let middle = place.differs.map_or(0, |range| range.from as usize);
    let from = middle.saturating_sub(rules::MAX_QUOTE_CHARS / 2).min(units.len() - rules::MAX_QUOTE_CHARS);
    let part = String::from_utf16_lossy(&units[from..from + rules::MAX_QUOTE_CHARS]);
    part.trim_matches(char::REPLACEMENT_CHARACTER).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_the_name_the_chapters_and_the_verdict_and_nothing_else() {
        let words = |language, chapters, verdict| {
            let about = ComparedSentences { entity: "Mara".into(), chapters, keeps_why: true };
            comparison_words(language, &about, verdict)
        };
        let conflict = words(Language::En, [1, 7], Some(PairVerdict::Conflict));
        assert_eq!(conflict, "Compared two sentences about Mara (chapters 1 and 7): they contradict each other.");
        let unclear = words(Language::En, [7, 7], Some(PairVerdict::Unclear));
        assert_eq!(unclear, "Compared two sentences about Mara (chapter 7): both may be right.");
        let change = words(Language::Zh, [1, 7], Some(PairVerdict::Change));
        assert_eq!(change, "比了写Mara的两句（第 1 章、第 7 章）：后一句写的是变化。");
        assert_eq!(words(Language::Zh, [7, 7], None), "比了写Mara的两句（第 7 章）：模型的回答读不懂。");
    }
}
