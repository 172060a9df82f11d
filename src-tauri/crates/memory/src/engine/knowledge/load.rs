//! The foreground loader: the records, the background and the domains that a request needs. A question to the book is
//! given them, and the command returns them with a summary for a prompt.

use palimpsest_text::{excerpt, single_spaced};

use crate::{
    engine::{Engine, answers::known_at::is_answer_known_at},
    error::{OrLog, Result},
    model::{
        Answer, AnswerStatus, ChapterId, Domain, EntityId, FoundRecord, Language, LoadKnowledge, LoadedKnowledge,
        Position, ProjectId, Staleness,
    },
    validate,
    working::tokens_of,
};

/// Maximum number of found records, and the default.
const FOUND: (u32, u32) = (50, 5);
/// Maximum number of domains.
const MAX_DOMAINS: usize = 8;
/// Maximum number of domains that the summary names as those of the book.
const MAX_NAMED: usize = 12;
/// Maximum tokens of a summary.
const MAX_TOKENS: u32 = 4_000;
/// Maximum characters of an answer in a summary.
const ANSWER_CHARS: usize = 500;
/// Maximum characters of the facts of a domain in a summary.
const DOMAIN_CHARS: usize = 600;

/// Chooses among the records that were found, and orders them, best first; it may ask a model.
pub type ChooseRecords<'a> = &'a dyn Fn(Vec<FoundRecord>) -> Vec<FoundRecord>;

/// A request whose knowledge is loaded.
pub(in crate::engine) struct ForegroundRequest<'a> {
    pub(in crate::engine) project_id: &'a ProjectId,
    pub(in crate::engine) query: &'a str,
    /// The book is known up to here, with its chapters; `None` for the whole book.
    pub(in crate::engine) until: Option<(&'a Position, &'a [ChapterId])>,
    /// Maximum number of records to choose from.
    pub(in crate::engine) limit: usize,
    pub(in crate::engine) choose: ChooseRecords<'a>,
}

/// The knowledge of a book for a request.
pub(in crate::engine) struct Foreground {
    /// The records that bear on it, best first.
    pub(in crate::engine) records: Vec<FoundRecord>,
    /// The writer's words about the book.
    pub(in crate::engine) background: String,
    /// Whether a file of the memory cannot be read, and its part is missing.
    pub(in crate::engine) is_degraded: bool,
}

impl Foreground {
    /// The names of the domains that the records belong to; a name can occur several times.
    pub(in crate::engine) fn domains(&self) -> impl Iterator<Item = &str> {
        self.records.iter().filter_map(|found| found.record.details.domain.as_deref())
    }
}

impl Engine {
    /// The knowledge that a request needs of a book. `order` are its chapters. `choose` orders the records that were
    /// found, of which there are `wanted`, and keeps the best. A part that cannot be read is missing.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE` while it is being cleared.
    pub fn load_knowledge(
        &self,
        args: &LoadKnowledge,
        order: &[ChapterId],
        (wanted, choose): (Option<u32>, ChooseRecords<'_>),
    ) -> Result<LoadedKnowledge> {
        super::check_question("query", &args.query)?;
        let limit = args.top_k.unwrap_or(FOUND.1);
        validate::within("topK", limit, 1, FOUND.0)?;
        let project_id = &args.project_id;
        let loaded = self.load_foreground(&ForegroundRequest {
            project_id,
            query: &args.query,
            until: None,
            limit: wanted.unwrap_or(limit) as usize,
            choose,
        })?;
        let open = self.visit(project_id)?;
        let known = self.known_entities(project_id, order);
        let domains = {
            let of_records = loaded.domains().filter_map(|domain| known.by_name(domain));
            let mut wanted: Vec<&super::domains::KnownEntity> = Vec::new();
            for entity in of_records.chain(known.named_in(&args.query)) {
                let is_new = |id: &EntityId| wanted.iter().all(|one| one.entity_id != *id);
                if wanted.len() < MAX_DOMAINS && is_new(&entity.entity_id) {
                    wanted.push(entity);
                }
            }
            let domain = |entity| self.domain_of(project_id, open.language, entity, order);
            wanted.into_iter().map(domain).collect::<Vec<Domain>>()
        };
        let named: Vec<&str> = known.all.iter().take(MAX_NAMED).map(|entity| entity.name.as_str()).collect();
        let Foreground { records, background, is_degraded } = loaded;
        let parts = Parts { background: &background, named: &named, records: &records, domains: &domains, order };
        let context_summary = summarize(&parts, open.language);
        let degraded = is_degraded || known.is_degraded;
        Ok(LoadedKnowledge { learning_records: records, background, domains, context_summary, degraded })
    }

    /// The records that bear on a request, as of its position, and the background of the book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE` while the book is being cleared.
    pub(in crate::engine) fn load_foreground(&self, request: &ForegroundRequest<'_>) -> Result<Foreground> {
        let records = {
            let _open = self.visit(request.project_id)?;
            self.useful_records(request)
        };
        // No operation uses the book meanwhile: a model may take its time.
        let records = records.map(|records| if records.is_empty() { records } else { (request.choose)(records) });
        let _open = self.visit(request.project_id)?;
        let settings = self.knowledge_settings(request.project_id);
        let is_degraded = records.is_err() || settings.is_err();
        let records = records.or_log("search learning records").unwrap_or_default();
        let background = settings.or_log("read the background of a book").map(|settings| settings.background);
        Ok(Foreground { records, background: background.unwrap_or_default(), is_degraded })
    }

    /// The records that bear on a request: relevant enough, not blocked, resting on text that the book has, and on none
    /// behind the position.
    fn useful_records(&self, request: &ForegroundRequest<'_>) -> Result<Vec<FoundRecord>> {
        let min_score = self.answer_config_in_effect().memory.min_score;
        let mut found = self.records_for(request.project_id, request.query, request.limit)?;
        found.retain(|one| {
            let record = &one.record;
            let is_usable = record.status != AnswerStatus::Blocked && record.staleness == Staleness::Current;
            let is_known = request.until.is_none_or(|(at, order)| is_answer_known_at(record, at, order));
            is_usable && is_known && one.score >= min_score
        });
        Ok(found)
    }
}

/// The words of a record in a prompt: its answer if the writer has kept it; otherwise the quotes that it rests on: they
/// are the writer's own sentences. `None` for one that is not kept and has no quotes.
pub(in crate::engine) fn words_of_record(record: &Answer) -> Option<RecordWords> {
    if record.user_confirmed {
        return Some(RecordWords::Answer(record.answer.clone()));
    }
    let quotes: Vec<String> = record.citations.iter().map(|citation| single_spaced(&citation.quote)).collect();
    (!quotes.is_empty()).then(|| RecordWords::Quotes(quotes.join(" / ")))
}

/// The answer or the quotes of a record.
pub(in crate::engine) enum RecordWords {
    /// The answer that the writer has kept.
    Answer(String),
    /// Sentences of the book.
    Quotes(String),
}

/// The parts of a summary.
struct Parts<'a> {
    background: &'a str,
    /// The names of the most mentioned entities.
    named: &'a [&'a str],
    records: &'a [FoundRecord],
    domains: &'a [Domain],
    order: &'a [ChapterId],
}

/// The fixed words of a summary.
struct Labels {
    background: &'static str,
    domains: &'static str,
    records: &'static str,
    record: &'static str,
    relevance: &'static str,
    question: &'static str,
    answer: &'static str,
    quotes: &'static str,
    chapters: &'static str,
    facts: &'static str,
    concepts: &'static str,
    colon: &'static str,
    comma: &'static str,
    none: &'static str,
}

const ZH: Labels = Labels {
    background: "## 本书背景",
    domains: "领域",
    records: "## 相关学习记录",
    record: "### 相关知识",
    relevance: "相关度",
    question: "问题",
    answer: "答案",
    quotes: "原文",
    chapters: "涉及章节",
    facts: "## 领域知识",
    concepts: "关键概念",
    colon: "：",
    comma: "、",
    none: "无",
};
const EN: Labels = Labels {
    background: "## The book",
    domains: "Domains",
    records: "## Learning records",
    record: "### Record",
    relevance: "relevance",
    question: "Question",
    answer: "Answer",
    quotes: "The book says",
    chapters: "Chapters",
    facts: "## Domains",
    concepts: "Key concepts",
    colon: ": ",
    comma: ", ",
    none: "none",
};

/// The context summary of the specification. The first parts are the most important; a part that does not fit any more
/// is left out whole.
fn summarize(parts: &Parts<'_>, language: Language) -> String {
    let labels = match language {
        Language::Zh => &ZH,
        Language::En => &EN,
    };
    let one_line = |text: &str, max: usize| excerpt(&single_spaced(text), max);
    let entry = |label: &str, text: &str| format!("{label}{}{text}\n", labels.colon);
    let mut summary = Summary::default();
    let names = if parts.named.is_empty() { labels.none.to_owned() } else { parts.named.join(labels.comma) };
    let background = match parts.background {
        "" => String::new(),
        words => format!("{}\n", words.trim()),
    };
    summary.add(&format!("{}\n{background}- {}\n", labels.background, entry(labels.domains, &names)));
    for (number, found) in parts.records.iter().enumerate() {
        let record = &found.record;
        let mut block = if number == 0 { format!("{}\n", labels.records) } else { String::new() };
        let percent = (found.score * 100.0).floor();
        block += &format!("{} {} ({}{}{percent}%)\n", labels.record, number + 1, labels.relevance, labels.colon);
        block += &entry(labels.question, &one_line(&record.question, ANSWER_CHARS));
        block += &match words_of_record(record) {
            Some(RecordWords::Answer(answer)) => entry(labels.answer, &one_line(&answer, ANSWER_CHARS)),
            Some(RecordWords::Quotes(quotes)) => entry(labels.quotes, &excerpt(&quotes, ANSWER_CHARS)),
            None => entry(labels.quotes, labels.none),
        };
        let chapter = |id: &ChapterId| parts.order.iter().position(|one| one == id).map(|at| (at + 1).to_string());
        let mut chapters: Vec<String> =
            record.citations.iter().filter_map(|citation| chapter(&citation.chapter_id)).collect();
        chapters.dedup();
        let chapters = if chapters.is_empty() { record.details.source_files.clone() } else { chapters };
        let chapters = if chapters.is_empty() { labels.none.to_owned() } else { chapters.join(labels.comma) };
        block += &format!("{}\n", entry(labels.chapters, &one_line(&chapters, ANSWER_CHARS)));
        summary.add(&block);
    }
    let mut has_heading = false;
    for domain in parts.domains {
        let mut block = if has_heading { String::new() } else { format!("{}\n", labels.facts) };
        block += &format!("### {}\n", single_spaced(&domain.domain));
        if !domain.summary.is_empty() {
            block += &format!("{}\n", one_line(&domain.summary, DOMAIN_CHARS));
        }
        let mut concepts: Vec<&str> = domain.key_concepts.iter().map(|concept| concept.name.as_str()).collect();
        concepts.dedup();
        let concepts = if concepts.is_empty() { labels.none.to_owned() } else { concepts.join(labels.comma) };
        block += &format!("{}\n", entry(labels.concepts, &one_line(&concepts, DOMAIN_CHARS)));
        has_heading |= summary.add(&block);
    }
    summary.text.trim_end().to_owned()
}

/// A text within a number of tokens.
#[derive(Default)]
struct Summary {
    text: String,
    tokens: u32,
}

impl Summary {
    /// Adds a block, unless it does not fit; returns whether it did.
    fn add(&mut self, block: &str) -> bool {
        // One more for tokens that join differently where blocks meet.
        let tokens = tokens_of(block).saturating_add(1);
        let fits = self.tokens.saturating_add(tokens) <= MAX_TOKENS;
        if fits {
            self.tokens += tokens;
            self.text.push_str(block);
        }
        fits
    }
}
