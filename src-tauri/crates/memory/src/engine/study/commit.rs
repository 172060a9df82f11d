//! The end of a question of a study: the record with its citations, the facts that it proposes, and a journal entry, in
//! the transaction that stores the next state.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use palimpsest_knowledge::{
    confidence::confidence,
    failures::FailureKind,
    signature::fact_signature,
    study::{Event, Phase, Question, State, Work, next},
};
use palimpsest_text::{excerpt, secrets::redact_secrets};

use super::{
    AdvancedStudy, StudyAround, StudySummary, gaps::question_type, questions, shown_state, state_json, state_of,
};
use crate::{
    engine::{
        Engine,
        answers::{NewAnswer, ReadChapter, insert_answer},
    },
    error::{OrLog, Result},
    model::{
        AnswerDetails, AnswerId, AnswerKind, AnswerOrigin, Certainty, Changed, ChapterId, Citation, EntityId,
        ExplorationStep, Fact, JournalKind, Language, ProjectId, QuestionId, QuestionState, QuestionType, Time, Topic,
        WordedBy,
    },
    storage::{
        Database, Tx, deletions,
        journal::{self, NewEntry},
        proposed_facts::{self, StoredProposal},
        questions as stored_questions, story_changes,
        studied_records::{self, RecordKind},
        study as stored,
    },
};

/// Maximum number of citations of a record.
pub(super) const MAX_CITATIONS: usize = 8;
/// Maximum characters of the question, and of the answer, in an entry of the journal.
const ENTRY_CHARS: (usize, usize) = (300, 500);
/// The name of the model in the metadata of a record.
pub(super) const MODEL: &str = "model";
/// The names of two numbers in the metadata of a record: the statements and facts of the model, and those of them whose
/// quotes were found.
const STATEMENTS: [&str; 2] = ["statements", "citedStatements"];
/// Maximum characters of the name of a model.
const MODEL_CHARS: usize = 100;

/// The model of a record, and how many of its statements and facts were found in the book.
fn metadata_of(kept: &Kept, kind: &RecordKind) -> BTreeMap<String, String> {
    let StudySummary { found, dropped, .. } = &kept.summary;
    let [statements, cited] = STATEMENTS.map(str::to_owned);
    let model = (MODEL.to_owned(), kind.model.clone());
    BTreeMap::from([model, (statements, (found + dropped).to_string()), (cited, found.to_string())])
}

/// The result of a study as it is written.
struct Kept {
    question: Question,
    work: Work,
    summary: StudySummary,
    citations: Vec<Citation>,
    proposals: Vec<(super::prompts::SummaryFact, Citation)>,
}

/// The facts of a book that the writer deleted, or refused while they were proposed.
pub(super) struct RefusedFacts {
    deleted: HashSet<String>,
    rules: Arc<Database>,
}

impl RefusedFacts {
    /// Whether a fact with this signature is one of them.
    pub(super) fn contains_fact(&self, signature: &str) -> Result<bool> {
        let is_deleted = self.deleted.contains(signature);
        Ok(is_deleted || deletions::exists(&*self.rules.reader()?, deletions::PROPOSED_FACT, signature)?)
    }
}

/// The signature that a proposal of a fact has.
pub(super) fn signature_of_fact(fact: &Fact) -> String {
    fact_signature(fact.entity_id.as_str(), &fact.attribute, &fact.value)
}

impl Engine {
    /// Stores the result of the present question of a study, once. The quotes are looked up in the saved text; without
    /// one that holds, or after the writer's refusal of the question, nothing is kept and the question fails.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`, those of the stores: nothing has changed then.
    pub fn commit_study(
        &self,
        project_id: &ProjectId,
        around: &StudyAround,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<AdvancedStudy>> {
        let open = self.visit(project_id)?;
        let state = state_of(stored::get(&*self.stores.episodes.open()?.reader()?, project_id)?.as_deref());
        let Some(kept) = self.kept_of(project_id, &state, order, read)? else {
            return self.advance_study(project_id, around, &Event::Refused(FailureKind::TextChanged));
        };
        let settings = self.knowledge_settings(project_id)?;
        let book = self.study_book(project_id, around, &settings)?;
        let (now, day) = (self.clock.now(), self.clock.day());
        let kind = record_kind(question_type(&kept.question.question_type), &kept.citations, &kept.summary.model);
        let new = self.new_record(project_id, &kept, &kind)?;
        let answer_id = AnswerId::from(self.new_id());
        let is_journal_kept = self.is_journal_kept(project_id);
        let entry = self.entry_of_study(project_id, (&kept, &answer_id), open.language, now);
        let ids: Vec<String> = kept.proposals.iter().map(|_| self.new_id()).collect();
        let written = self.stores.episodes.open()?.write("keep the result of a study", |tx| {
            let before = state_of(stored::get(tx, project_id)?.as_deref());
            let is_same = before.phase == Phase::Committing
                && before.work.as_ref().and_then(|work| work.question.as_ref()) == Some(&kept.question);
            if !is_same {
                return Ok(None);
            }
            let question_id = QuestionId::from(kept.question.id.as_str());
            let asked = stored_questions::get(tx, &question_id)?;
            let is_wanted = asked.as_ref().is_some_and(|one| one.question.state == QuestionState::Queued);
            let event = if is_wanted { Event::Committed } else { Event::Stop };
            let (state, action) = next(now.millis(), &day, &before, &book, &event);
            let mut removed_rows = Vec::new();
            if let Some(mut asked) = asked.filter(|_| is_wanted) {
                let mut answer = self.new_answer(project_id, open.language, &new, now);
                answer.answer.answer_id = answer_id.clone();
                removed_rows = insert_answer(tx, &answer)?;
                studied_records::insert(tx, project_id, &answer_id, &kind)?;
                propose(tx, project_id, (&answer_id, &ids), &kept, now)?;
                asked.question.state = QuestionState::Answered;
                asked.question.answer_id = Some(answer_id.clone());
                asked.updated_at = now;
                stored_questions::upsert(tx, &asked)?;
                questions::recover(tx, project_id, &kept.question)?;
                if is_journal_kept {
                    journal::append(tx, &entry)?;
                }
            }
            let state = if is_wanted { state } else { State { work: None, ..state } };
            stored::upsert(tx, project_id, &state_json(&state)?, now)?;
            Ok(Some((state, action, removed_rows)))
        })?;
        let Some((state, action, removed_rows)) = written else {
            return self.advance_study(project_id, around, &Event::Woken);
        };
        self.retrieval.remove_rows(&removed_rows);
        let advanced = AdvancedStudy { state: shown_state(&state, &settings), action };
        let topics = [Topic::Knowledge, Topic::Answers, Topic::Journal];
        Ok(Changed::new(advanced, Some(project_id.clone()), topics))
    }

    /// The part of a result that the saved text still has; `None` if no quote of its answer holds, or the writer
    /// refused the question.
    fn kept_of(
        &self,
        project_id: &ProjectId,
        state: &State,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Option<Kept>> {
        let Some(work) = state.work.clone().filter(|_| state.phase == Phase::Committing) else { return Ok(None) };
        let summary = work.result.clone().and_then(|value| serde_json::from_value::<StudySummary>(value).ok());
        let (Some(question), Some(summary)) = (work.question.clone(), summary) else { return Ok(None) };
        let rules = self.stores.rules.open()?;
        if !question.is_own && deletions::is_question_deleted(&*rules.reader()?, project_id, &question.text)? {
            return Ok(None);
        }
        let mut texts: HashMap<ChapterId, Option<String>> = HashMap::new();
        let mut cite = |quote: &super::prompts::StoredQuote| {
            let draft = quote.draft();
            let text = match texts.get(&draft.chapter_id) {
                Some(text) => text.clone(),
                None => {
                    let text = read(&draft.chapter_id).or_log("read a cited chapter")?;
                    texts.insert(draft.chapter_id.clone(), text.clone());
                    text
                }
            };
            self.cite(project_id, &draft, order, text.as_deref()).or_log("verify a quote of a study")
        };
        let citations: Vec<Citation> = summary.citations.iter().filter_map(&mut cite).collect();
        // A record is as true as the quote that is missing: all of them hold, or it is asked again.
        if citations.is_empty() || citations.len() < summary.citations.len() {
            return Ok(None);
        }
        // What the writer has, or deleted, is not proposed.
        let (canon, _) = self.canon(project_id);
        let refused = self.refused_facts(project_id)?;
        let known: HashSet<String> = canon.facts.iter().map(signature_of_fact).collect();
        let mut proposals = Vec::new();
        for fact in &summary.facts {
            let signature = fact_signature(&fact.entity_id, &fact.attribute, &fact.value);
            let is_judged = known.contains(&signature) || refused.contains_fact(&signature)?;
            if let Some(citation) = cite(&fact.quote).filter(|_| !is_judged) {
                proposals.push((fact.clone(), citation));
            }
        }
        Ok(Some(Kept { question, work, summary, citations, proposals }))
    }

    /// The facts of a book that the writer does not want.
    pub(super) fn refused_facts(&self, project_id: &ProjectId) -> Result<RefusedFacts> {
        let rules = self.stores.rules.open()?;
        let deleted = story_changes::deleted_facts(&*rules.reader()?, project_id)?;
        Ok(RefusedFacts { deleted: deleted.iter().map(signature_of_fact).collect(), rules })
    }

    /// The confidence of a new record, from the verdicts on records of its kind.
    pub(super) fn confidence_of(&self, kind: &RecordKind) -> Result<f64> {
        let (right, verdicts) = studied_records::count_verdicts(&*self.stores.episodes.open()?.reader()?, kind)?;
        Ok(confidence(right, verdicts))
    }

    fn new_record(&self, project_id: &ProjectId, kept: &Kept, kind: &RecordKind) -> Result<NewAnswer> {
        let db = self.stores.episodes.open()?;
        let step = |step: &palimpsest_knowledge::study::Step| ExplorationStep {
            tool_name: step.call.tool.clone(),
            parameters: step.call.arguments.iter().map(|(name, value)| (name.clone(), argument_text(value))).collect(),
            result_summary: step.found.to_string(),
            timestamp: Time::from_millis(step.began_at),
        };
        let mut source_files: Vec<String> = kept.citations.iter().map(|cited| cited.chapter_id.to_string()).collect();
        source_files.sort_unstable();
        source_files.dedup();
        let asked = stored_questions::get(&*db.reader()?, &QuestionId::from(kept.question.id.as_str()))?;
        // A stale record whose question was asked again.
        let renewed = asked.and_then(|asked| asked.question.answer_id);
        let domain = kept.proposals.first().map(|(fact, _)| fact.entity_id.as_str());
        let domain = domain.and_then(|id| self.domain_name(project_id, &EntityId::from(id)));
        Ok(NewAnswer {
            kind: AnswerKind::Canon,
            origin: AnswerOrigin::Studied,
            question: kept.question.text.clone(),
            answer: kept.summary.answer.clone(),
            confidence: self.confidence_of(kind)?,
            details: AnswerDetails {
                question_type: Some(kind.question_type),
                domain,
                source_files,
                related_records: renewed.iter().map(ToString::to_string).collect(),
                exploration_path: kept.work.steps.iter().take(100).map(step).collect(),
                metadata: metadata_of(kept, kind),
                ..AnswerDetails::default()
            },
            citations: kept.citations.iter().take(MAX_CITATIONS).cloned().collect(),
            run_id: None,
        })
    }

    /// The name of an entity, for the domain of a record.
    fn domain_name(&self, project_id: &ProjectId, entity_id: &EntityId) -> Option<String> {
        let order = self.analyzed_order(project_id).or_log("read the order of the chapters")?;
        let known = self.known_entities(project_id, &order);
        known.with_id(entity_id).map(|entity| excerpt(&entity.name, 100))
    }

    fn entry_of_study(
        &self,
        project_id: &ProjectId,
        (kept, answer_id): (&Kept, &AnswerId),
        language: Language,
        now: Time,
    ) -> NewEntry {
        let question = entry_line(&kept.question.text, ENTRY_CHARS.0);
        let answer = entry_line(&kept.summary.answer, ENTRY_CHARS.1);
        let facts = kept.proposals.len();
        let mut content = match language {
            Language::Zh => format!("自问“{question}”，答“{answer}”，提出 {facts} 条事实。"),
            Language::En if facts == 1 => format!("Studied “{question}”. Found “{answer}”; one fact proposed."),
            Language::En => format!("Studied “{question}”. Found “{answer}”; {facts} facts proposed."),
        };
        content.push_str(&words_of_check(language, &kept.summary));
        self.study_entry(project_id, (Some(answer_id.to_string()), content), now)
    }

    /// The entry of the journal about a question that failed; its reference is the question.
    pub(super) fn entry_of_failed_study(
        &self,
        (project_id, language): (&ProjectId, Language),
        question: &Question,
        kind: FailureKind,
        now: Time,
    ) -> NewEntry {
        let text = entry_line(&question.text, ENTRY_CHARS.0);
        let why = failure_words(language, kind);
        let content = match language {
            Language::Zh => format!("自问“{text}”，没有得到答案：{why}。"),
            Language::En => format!("Studied “{text}”. No answer: {why}."),
        };
        self.study_entry(project_id, (Some(question.id.clone()), content), now)
    }

    /// An entry of the journal about a study; its reference is a record, a question or nothing.
    pub(super) fn study_entry(
        &self,
        project_id: &ProjectId,
        (ref_id, content): (Option<String>, String),
        now: Time,
    ) -> NewEntry {
        NewEntry {
            id: self.ids.next(now).into(),
            project_id: project_id.clone(),
            at: now,
            kind: JournalKind::Study,
            ref_id,
            content,
            worded_by: WordedBy::Template,
            salt: self.salt(now),
        }
    }
}

/// The kind of a record: its type of question, whether one sentence supports it or more, and its model.
pub(super) fn record_kind(question_type: Option<QuestionType>, citations: &[Citation], model: &str) -> RecordKind {
    RecordKind {
        question_type: question_type.unwrap_or(QuestionType::Plot),
        is_cited_twice: citations.len() >= 2,
        model: excerpt(model, MODEL_CHARS),
    }
}

/// A text in one line of the journal, without secrets.
pub(super) fn entry_line(text: &str, chars: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    excerpt(&redact_secrets(&text), chars)
}

/// The sentences about a reply of which the check left something out or corrected it.
fn words_of_check(language: Language, &StudySummary { dropped, corrected, .. }: &StudySummary) -> String {
    let left_out = match (language, dropped) {
        (_, 0) => String::new(),
        (Language::Zh, _) => format!("另有 {dropped} 条书里没有依据，没有留下。"),
        (Language::En, 1) => " One more had no sentence of the book, and was left out.".to_owned(),
        (Language::En, _) => format!(" {dropped} more had no sentence of the book, and were left out."),
    };
    let moved = match (language, corrected) {
        (_, 0) => String::new(),
        (Language::Zh, _) => format!("{corrected} 处引文记到了它真正所在的段落。"),
        (Language::En, 1) => " One quote was in another passage than the model said.".to_owned(),
        (Language::En, _) => format!(" {corrected} quotes were in another passage than the model said."),
    };
    left_out + &moved
}

/// Why a question of a study has no answer.
fn failure_words(language: Language, kind: FailureKind) -> &'static str {
    let (zh, en) = match kind {
        FailureKind::NoEvidence => ("书里没有找到依据", "the book has no passage that says so"),
        FailureKind::UnreadableReply => ("模型的回答读不懂", "the reply of the model could not be read"),
        FailureKind::UnknownId => ("模型引用了没有给它的段落", "the model cited a passage that it was not given"),
        FailureKind::WrongLanguage => ("模型用了另一种语言回答", "the model replied in another language"),
        FailureKind::AfterPosition => ("模型引用了后面的文字", "the model cited later text"),
        FailureKind::ModelFailed => ("模型几次都没有回应", "the model failed several times"),
        FailureKind::Interrupted => ("几次都中断了", "it was interrupted several times"),
        FailureKind::TextChanged => ("引用的章节改过了", "a cited chapter has changed"),
    };
    match language {
        Language::Zh => zh,
        Language::En => en,
    }
}

/// Adds the facts of a result that were not proposed yet.
fn propose(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    (answer_id, ids): (&AnswerId, &[String]),
    kept: &Kept,
    now: Time,
) -> Result<()> {
    let mut known = proposed_facts::signatures_of_facts(tx, project_id)?;
    for ((fact, citation), id) in kept.proposals.iter().zip(ids) {
        let signature = fact_signature(&fact.entity_id, &fact.attribute, &fact.value);
        if !known.insert(signature.clone()) {
            continue;
        }
        let proposal = StoredProposal {
            fact_id: id.clone(),
            project_id: project_id.clone(),
            answer_id: answer_id.clone(),
            entity_id: EntityId::from(fact.entity_id.as_str()),
            attribute: fact.attribute.clone(),
            value: fact.value.clone(),
            certainty: certainty_of(&fact.certainty),
            known_by: fact.known_by.iter().map(|id| EntityId::from(id.as_str())).collect(),
            citation: citation.clone(),
            signature,
            created_at: now,
        };
        proposed_facts::insert(tx, &proposal)?;
    }
    Ok(())
}

/// The certainty of a name; an unknown one counts as said.
fn certainty_of(name: &str) -> Certainty {
    match name {
        "told" => Certainty::Told,
        "believed" => Certainty::Believed,
        "planned" => Certainty::Planned,
        _ => Certainty::Said,
    }
}

/// An argument of a tool as text.
fn argument_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
