//! The foreground loader: the records, the background and the domains that a request needs, with a summary for a
//! prompt.

use palimpsest_text::{excerpt, single_spaced};

use crate::{
    engine::Engine,
    error::{OrLog, Result},
    model::{
        AnswerStatus, ChapterId, Domain, EntityId, FoundRecord, Language, LoadKnowledge, LoadedKnowledge, ProjectId,
        Staleness,
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

impl Engine {
    /// The knowledge that a request needs of a book. `order` are its chapters. `rerank` orders the records that were
    /// found, of which there are `wanted`, and keeps the best; it may ask a model. A part that cannot be read is
    /// missing.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE` while it is being cleared.
    pub fn load_knowledge(
        &self,
        args: &LoadKnowledge,
        order: &[ChapterId],
        (wanted, rerank): (Option<u32>, &dyn Fn(Vec<FoundRecord>) -> Vec<FoundRecord>),
    ) -> Result<LoadedKnowledge> {
        super::check_question("query", &args.query)?;
        let limit = args.top_k.unwrap_or(FOUND.1);
        validate::within("topK", limit, 1, FOUND.0)?;
        let project_id = &args.project_id;
        let records = {
            let _open = self.visit(project_id)?;
            self.useful_records(project_id, &args.query, wanted.unwrap_or(limit) as usize)
        };
        // No operation uses the book meanwhile: a model may take its time.
        let records = records.map(rerank);
        let open = self.visit(project_id)?;
        let settings = self.knowledge_settings(project_id);
        let degraded = records.is_err() || settings.is_err();
        let records = records.or_log("search learning records").unwrap_or_default();
        let background = settings.or_log("read the background of a book").map(|settings| settings.background);
        let background = background.unwrap_or_default();
        let known = self.known_entities(project_id, order);
        let domains = {
            let of_records = records.iter().filter_map(|found| found.record.details.domain.as_deref());
            let of_records = of_records.filter_map(|domain| known.by_name(domain));
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
        let parts = Parts { background: &background, named: &named, records: &records, domains: &domains, order };
        let context_summary = summarize(&parts, open.language);
        let degraded = degraded || known.is_degraded;
        Ok(LoadedKnowledge { learning_records: records, background, domains, context_summary, degraded })
    }

    /// The records that bear on a query: relevant enough, not blocked, and resting on text that the book has.
    fn useful_records(&self, project_id: &ProjectId, query: &str, limit: usize) -> Result<Vec<FoundRecord>> {
        let min_score = self.answer_config_in_effect().memory.min_score;
        let mut found = self.records_for(project_id, query, limit)?;
        found.retain(|one| {
            let record = &one.record;
            let is_usable = record.status != AnswerStatus::Blocked && record.staleness == Staleness::Current;
            is_usable && one.score >= min_score
        });
        Ok(found)
    }
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

/// The context summary of the specification. A record that the writer has not kept gives its quotes and not its answer:
/// they are the writer's own sentences. What comes first counts most; what does not fit any more is left out whole.
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
        if record.user_confirmed {
            block += &entry(labels.answer, &one_line(&record.answer, ANSWER_CHARS));
        } else {
            let quotes: Vec<String> =
                record.citations.iter().map(|citation| one_line(&citation.quote, ANSWER_CHARS)).collect();
            let quotes = if quotes.is_empty() { labels.none.to_owned() } else { quotes.join(" / ") };
            block += &entry(labels.quotes, &quotes);
        }
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
