//! The proposal of a change that a model found between two sentences of a book: a learning record with a fact for each
//! of the two values, which the writer keeps or refuses.

use std::collections::BTreeMap;

use palimpsest_knowledge::signature::fact_signature;
use palimpsest_text::{excerpt, single_spaced};

use super::commit::{MODEL, record_kind, signature_of_fact};
use crate::{
    engine::{
        Engine,
        answers::{NewAnswer, ReadChapter, insert_answer},
        continuity::{ChangeSide, FoundPair, is_side_of_change},
    },
    error::{Code, OrLog, Result},
    model::{
        AnswerDetails, AnswerId, AnswerKind, AnswerOrigin, Certainty, ChapterId, Citation, CitationDraft,
        ContinuityIssue, ContinuityKind, ContinuityPlace, EntityId, Language, Project, QuestionType, Time,
    },
    storage::{
        Tx, deletions,
        proposed_facts::{self, StoredProposal},
        studied_records::{self, RecordKind},
    },
};

/// Maximum characters of the name of an entity.
const NAME_CHARS: usize = 100;
/// Values that say nothing without the limb that the sentence names.
const SIDES: [&str; 4] = ["left", "right", "左", "右"];

/// A learning record about a change, before it is written.
pub(super) struct ChangeRecord {
    new: NewAnswer,
    answer_id: AnswerId,
    kind: RecordKind,
    /// The facts that the writer does not have yet.
    proposals: Vec<StoredProposal>,
}

impl Engine {
    /// The learning record about a change between two sentences of the text; `None` if the text has lost one of them,
    /// the writer refused or deleted one of its facts, or there is no fact that the writer does not have.
    pub(super) fn change_record(
        &self,
        open: &Project,
        (order, read): (&[ChapterId], ReadChapter<'_>),
        (pair, model): (&FoundPair, &str),
        now: Time,
    ) -> Result<Option<ChangeRecord>> {
        let (project_id, issue) = (&open.project_id, &pair.issue);
        let Some(entity_id) = issue.entity_id.clone().filter(|_| is_change_of_text(pair)) else { return Ok(None) };
        let values: Vec<String> = issue.values.iter().map(|value| single_spaced(value)).collect();
        let [before, after] = &values[..] else { return Ok(None) };
        let name = excerpt(issue.entity_name.as_deref().unwrap_or_default(), NAME_CHARS);
        let question = question_of_change(open.language, (&name, &pair.subject), [before, after]);
        let rules = self.stores.rules.open()?;
        if deletions::is_question_deleted(&*rules.reader()?, project_id, &question)? {
            return Ok(None);
        }
        let sides = [(ChangeSide::Before, &issue.first, before), (ChangeSide::After, &issue.second, after)];
        let answer_id = AnswerId::from(self.new_id());
        let (canon, _) = self.canon(project_id);
        let refused = self.refused_facts(project_id)?;
        let open_proposals = proposed_facts::all_proposals(&*self.stores.episodes.open()?.reader()?, project_id)?;
        let (mut citations, mut proposals) = (Vec::new(), Vec::new());
        for (side, place, value) in sides {
            let Some(citation) = self.cite_place(open, (order, read), place) else { return Ok(None) };
            let signature = fact_signature(entity_id.as_str(), &pair.subject, value);
            if refused.contains_fact(&signature)? {
                return Ok(None);
            }
            let of_side =
                |id: &EntityId, value: &str, cited: &[Citation]| is_side_of_change((issue, side), (id, value), cited);
            let is_of_writer = canon.facts.iter().any(|fact| {
                signature == signature_of_fact(fact) || of_side(&fact.entity_id, &fact.value, &fact.citations)
            });
            let is_proposed = open_proposals.iter().any(|one| {
                let cited = std::slice::from_ref(&one.citation);
                one.signature == signature || of_side(&one.entity_id, &one.value, cited)
            });
            citations.push(citation.clone());
            if is_of_writer || is_proposed {
                continue;
            }
            proposals.push(StoredProposal {
                fact_id: self.new_id(),
                project_id: project_id.clone(),
                answer_id: answer_id.clone(),
                entity_id: entity_id.clone(),
                attribute: pair.subject.clone(),
                value: value.clone(),
                certainty: Certainty::Told,
                known_by: Vec::new(),
                citation,
                signature,
                created_at: now,
            });
        }
        if proposals.is_empty() {
            return Ok(None);
        }
        let kind = record_kind(Some(QuestionType::Continuity), &citations, model);
        let mut source_files: Vec<String> = citations.iter().map(|cited| cited.chapter_id.to_string()).collect();
        source_files.dedup();
        let new = NewAnswer {
            kind: AnswerKind::Canon,
            origin: AnswerOrigin::Studied,
            question,
            answer: answer_of_change(open.language, [before, after], chapter_numbers(issue, order)),
            confidence: self.confidence_of(&kind)?,
            details: AnswerDetails {
                question_type: Some(kind.question_type),
                domain: Some(name),
                source_files,
                metadata: BTreeMap::from([(MODEL.to_owned(), kind.model.clone())]),
                ..AnswerDetails::default()
            },
            citations,
            run_id: None,
        };
        Ok(Some(ChangeRecord { new, answer_id, kind, proposals }))
    }

    /// The citation of the sentence of a place; `None` if the saved text does not have it.
    fn cite_place(
        &self,
        open: &Project,
        (order, read): (&[ChapterId], ReadChapter<'_>),
        place: &ContinuityPlace,
    ) -> Option<Citation> {
        let draft =
            CitationDraft { chapter_id: place.chapter_id.clone(), from: place.from, quote: place.quote.clone() };
        let text = read(&draft.chapter_id).or_log("read a compared chapter")?;
        self.cite(&open.project_id, &draft, order, text.as_deref()).or_log("verify a compared sentence")
    }

    /// Writes the record about a change with its proposed facts; returns its id and the rows in the indexes of the
    /// answer that it has replaced. `None` if the book is full of answers that are in use: the record is not written.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn insert_change(
        &self,
        tx: &Tx<'_>,
        open: &Project,
        record: &ChangeRecord,
        now: Time,
    ) -> Result<Option<(AnswerId, Vec<i64>)>> {
        let mut answer = self.new_answer(&open.project_id, open.language, &record.new, now);
        answer.answer.answer_id = record.answer_id.clone();
        let removed_rows = match insert_answer(tx, &answer) {
            Ok(removed_rows) => removed_rows,
            Err(error) if error.code == Code::CapacityExceeded => return Ok(None),
            Err(error) => return Err(error),
        };
        studied_records::insert(tx, &open.project_id, &record.answer_id, &record.kind)?;
        record.proposals.iter().try_for_each(|proposal| proposed_facts::insert(tx, proposal))?;
        Ok(Some((record.answer_id.clone(), removed_rows)))
    }
}

/// Whether a change between the two places can be told as two facts: an attribute of which the text has both values.
fn is_change_of_text(pair: &FoundPair) -> bool {
    let is_side = |value: &String| SIDES.contains(&value.trim().to_lowercase().as_str());
    pair.issue.kind == ContinuityKind::Attribute && !pair.is_proposed && !pair.issue.values.iter().any(is_side)
}

/// The numbers of the chapters of two places, from 1; 0 for a chapter that the book does not have.
pub(super) fn chapter_numbers(issue: &ContinuityIssue, order: &[ChapterId]) -> [usize; 2] {
    [&issue.first, &issue.second]
        .map(|place| order.iter().position(|chapter_id| *chapter_id == place.chapter_id).map_or(0, |at| at + 1))
}

/// The question of a record about a change. The values are part of it: the refusal of one change says nothing about
/// another change of the attribute.
fn question_of_change(language: Language, (entity, attribute): (&str, &str), [before, after]: [&str; 2]) -> String {
    match language {
        Language::Zh => format!("{entity}的{attribute}：先是{before}，后来是{after}？"),
        Language::En => format!("{entity}, {attribute}: first {before}, then {after}?"),
    }
}

fn answer_of_change(language: Language, [before, after]: [&str; 2], [first, second]: [usize; 2]) -> String {
    match language {
        Language::Zh if first == second => format!("第 {first} 章：先是{before}，后来是{after}"),
        Language::Zh => format!("第 {first} 章：{before}；第 {second} 章起：{after}"),
        Language::En if first == second => format!("{before}, and {after} later in chapter {first}"),
        Language::En => format!("{before} (chapter {first}), {after} from chapter {second}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_worded_in_the_language_of_the_book_with_its_chapters() {
        let zh = question_of_change(Language::Zh, ("玛拉", "眼睛"), ["褐色", "绿色"]);
        assert_eq!(zh, "玛拉的眼睛：先是褐色，后来是绿色？");
        assert_eq!(answer_of_change(Language::Zh, ["褐色", "绿色"], [1, 7]), "第 1 章：褐色；第 7 章起：绿色");
        assert_eq!(answer_of_change(Language::Zh, ["褐色", "绿色"], [7, 7]), "第 7 章：先是褐色，后来是绿色");
        let en = question_of_change(Language::En, ("Mara", "eyes"), ["brown", "green"]);
        assert_eq!(en, "Mara, eyes: first brown, then green?");
        assert_eq!(
            answer_of_change(Language::En, ["brown", "green"], [1, 7]),
            "brown (chapter 1), green from chapter 7"
        );
        assert_eq!(answer_of_change(Language::En, ["brown", "green"], [7, 7]), "brown, and green later in chapter 7");
    }
}
