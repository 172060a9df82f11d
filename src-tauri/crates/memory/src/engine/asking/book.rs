//! The tools of a question: passages, cards, presence and times of the book, up to the position.

use std::collections::BTreeSet;

use palimpsest_asking::{
    tools::ToolCall,
    unanswerable::{Ranking, unanswerable_score},
};
use palimpsest_text::{terms::index_terms, tokens};

use super::{FoundInBook, Inquiry, mark_of, prompt::pick};
use crate::{
    context::{ReadCard, StepNote},
    engine::{Engine, retrieval::CountedTexts},
    error::Result,
    model::{
        CardQuery, Certainty, ChapterId, DegradedCode, EntityCard, EntityId, Language, OwnerKind, Passage, Position,
        TimelineQuery, Visibility,
    },
    storage::passages,
    story::{before_offset, fold, place_of},
};

/// Maximum tokens of the result of a tool.
const MAX_RESULT_TOKENS: usize = 1_200;
/// Number of passages of a search for a need.
pub(super) const PASSAGES_PER_NEED: usize = 6;
/// Maximum number of passages around one that is read.
const MAX_AROUND: u32 = 2;
/// Maximum number of passages that name two entities.
const MAX_TOGETHER: usize = 6;
/// Maximum number of expressions of time in a result.
const MAX_TIMES: usize = 40;
/// Maximum number of sentences of a card that are read as passages.
const MAX_CITED: usize = 4;

/// The number and the place of the items that a tool has added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// Number of items that were found.
    pub found: usize,
    /// The chapter of a passage that was read.
    pub chapter_id: Option<ChapterId>,
}

impl Engine {
    /// Runs a tool, and adds what it finds to the inquiry.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`, those of the store: the run goes on without the tool.
    pub fn run_tool(&self, inquiry: &mut Inquiry, call: &ToolCall) -> Result<ToolResult> {
        inquiry.turn += 1;
        let found = |found| ToolResult { found, chapter_id: None };
        let result = match call {
            ToolCall::FindInBook { query, limit } => {
                let found_now = self.find_in_book(inquiry, query, usize::from(*limit))?;
                inquiry.note(call, marks_line(&found_now));
                found(found_now.len())
            }
            ToolCall::ReadPassage { passage, around } => {
                self.read_passage(inquiry, call, passage, u32::from(*around))?
            }
            ToolCall::Entity { name } => found(self.read_entity(inquiry, call, name)?),
            ToolCall::Where { name } => found(self.where_named(inquiry, call, name)?),
            ToolCall::Together { first, second } => found(self.named_together(inquiry, call, (first, second))?),
            ToolCall::Answers { query } => {
                let count = self.recall_answers(inquiry, query)?.len();
                inquiry.note(call, count_line(inquiry.language, count));
                found(count)
            }
            ToolCall::Journal { query } => {
                let count = self.recall_journal(inquiry, query)?;
                inquiry.note(call, count_line(inquiry.language, count));
                found(count)
            }
            ToolCall::Times { name } => found(self.read_times(inquiry, call, name.as_deref())?),
        };
        Ok(result)
    }

    /// Adds a step that says that the same call was made before: its result is in the prompt already.
    pub fn note_repeated(&self, inquiry: &mut Inquiry, call: &ToolCall) {
        let reminder = match inquiry.language {
            Language::Zh => "这一步做过了，结果还在上面",
            Language::En => "done before; its result is above",
        };
        inquiry.note(call, vec![reminder.to_owned()]);
    }

    /// Searches the passages up to the position; returns the marks of those found, best first.
    pub(super) fn find_in_book(&self, inquiry: &mut Inquiry, query: &str, limit: usize) -> Result<Vec<String>> {
        let _open = self.visit(&inquiry.project_id)?;
        let _pass = self.retrieval.admit_recall()?;
        let places = self.places_of(&inquiry.project_id)?;
        let here = inquiry.at.as_ref().and_then(|at| place_of(&inquiry.order, at));
        let is_before = |row: i64| match (here, places.get(&row)) {
            (_, None) => false,
            (None, Some(place)) => inquiry.order.contains(&place.chapter_id),
            (Some(here), Some(place)) => {
                let start = Position { chapter_id: place.chapter_id.clone(), offset: place.from };
                place_of(&inquiry.order, &start).is_some_and(|start| start < here)
            }
        };
        let search = (&inquiry.project_id, query);
        // The rarity of a word behind the position would make the order depend on it.
        let counted = if here.is_some() { CountedTexts::Wanted } else { CountedTexts::All };
        let (ranked, are_vectors_awaited) =
            self.retrieval.find_texts(&self.stores, search, (OwnerKind::Passage, counted), (limit, &is_before))?;
        if let Some(why) = self.retrieval.imprecision(are_vectors_awaited) {
            inquiry.degrade(DegradedCode::PastUnavailable, why);
        }
        if query == inquiry.question_about {
            let ranking = Ranking { cosines: ranked.nearest.clone(), cosine_by_words: ranked.cosine_by_words };
            inquiry.unanswerable = Some(unanswerable_score(&ranking));
            inquiry.term_weights = ranked.term_weights;
        }
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let (mut marks, mut room) = (Vec::new(), MAX_RESULT_TOKENS);
        for one in ranked.texts.into_iter().filter(|one| one.is_related) {
            // It may have been replaced meanwhile.
            let Some(passage) = passages::by_index_row(&reader, &inquiry.project_id, one.row)? else { continue };
            let Some((passage, is_cut)) = inquiry.up_to_position(passage) else { continue };
            // One that was cut may have been found by its words behind the position.
            if is_cut && !shares_words(query, &passage.text) {
                continue;
            }
            let cost = tokens::count(&passage.text);
            if cost > room && !marks.is_empty() {
                break;
            }
            room = room.saturating_sub(cost);
            marks.extend(inquiry.add_passage(passage, one.score, one.matched_by));
        }
        Ok(marks)
    }

    fn read_passage(&self, inquiry: &mut Inquiry, call: &ToolCall, mark: &str, around: u32) -> Result<ToolResult> {
        let Some(known) = inquiry.find_marked(mark).map(|found| found.passage.clone()) else {
            inquiry.note(call, count_line(inquiry.language, 0));
            return Ok(ToolResult::default());
        };
        let _open = self.visit(&inquiry.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let mut read = vec![known.clone()];
        let (mut from, mut to) = (known.from, known.to);
        for _ in 0..around.min(MAX_AROUND) {
            let at = |offset| passages::at(&reader, &inquiry.project_id, &known.chapter_id, offset);
            let before = from.checked_sub(1).map(at).transpose()?.flatten().filter(|one| one.from < from);
            if let Some(before) = before {
                from = before.from;
                read.insert(0, before);
            }
            // White space is between two passages: the next one starts behind it.
            let after = passages::after(&reader, &inquiry.project_id, &known.chapter_id, to)?;
            if let Some(after) = after {
                to = after.to;
                read.push(after);
            }
        }
        let mut marks = Vec::new();
        for passage in read {
            let Some((passage, _)) = inquiry.up_to_position(passage) else { continue };
            marks.extend(inquiry.add_passage(passage, 0.0, vec!["read".into()]));
        }
        let found = marks.len();
        inquiry.note(call, marks_line(&marks));
        Ok(ToolResult { found, chapter_id: Some(known.chapter_id) })
    }

    /// Reads the card of an entity, with the sentences that its facts rest on. Returns 0 where no such name is known
    /// up to the position.
    fn read_entity(&self, inquiry: &mut Inquiry, call: &ToolCall, name: &str) -> Result<usize> {
        let Some((entity_id, version)) = self.entity_named(inquiry, name)? else {
            inquiry.note(call, count_line(inquiry.language, 0));
            return Ok(0);
        };
        let query =
            CardQuery { project_id: inquiry.project_id.clone(), entity_id: entity_id.clone(), at: inquiry.at.clone() };
        let card = self.entity_card(&query, &inquiry.order)?;
        if card.visibility == Visibility::Hidden {
            inquiry.note(call, count_line(inquiry.language, 0));
            return Ok(0);
        }
        let parts = card_parts(inquiry, &card);
        inquiry.read_cards.retain(|known| known.entity_id != entity_id.as_str());
        inquiry.read_cards.insert(0, ReadCard { entity_id: entity_id.to_string(), version, parts });
        let cited = card.facts.iter().filter(|fact| !fact.is_stale).flat_map(|fact| &fact.fact.citations);
        let mut places: Vec<(ChapterId, u32)> =
            cited.map(|cited| (cited.chapter_id.clone(), cited.from)).take(MAX_CITED).collect();
        places.extend(card.first.iter().map(|first| (first.chapter_id.clone(), first.from)));
        let marks = self.add_passages_at(inquiry, &places)?;
        inquiry.note(call, marks_line(&marks));
        Ok(card.facts.len() + marks.len())
    }

    /// Counts the mentions of an entity by chapter.
    fn where_named(&self, inquiry: &mut Inquiry, call: &ToolCall, name: &str) -> Result<usize> {
        let project = self.visit(&inquiry.project_id)?;
        let found = self.names_at(&project, inquiry.at.as_ref(), &inquiry.order)?;
        let named = found.names.entities.iter().find(|entity| has_form(&entity.forms, name));
        let presence = named.map(|named| named.entity.presence.as_slice()).unwrap_or_default();
        let lines: Vec<String> = presence
            .iter()
            .map(|one| {
                let chapter = chapter_words(inquiry.language, one.chapter as usize + 1);
                format!("{chapter}: {}", one.mentions)
            })
            .collect();
        let count = lines.len();
        let lines = if lines.is_empty() { count_line(inquiry.language, 0) } else { vec![within_tokens(&lines, ", ")] };
        inquiry.note(call, lines);
        Ok(count)
    }

    /// Adds the passages that name two entities.
    fn named_together(&self, inquiry: &mut Inquiry, call: &ToolCall, (first, second): (&str, &str)) -> Result<usize> {
        let project = self.visit(&inquiry.project_id)?;
        let found = self.names_at(&project, inquiry.at.as_ref(), &inquiry.order)?;
        let named = |name: &str| found.names.entities.iter().find(|entity| has_form(&entity.forms, name));
        let (Some(first), Some(second)) = (named(first), named(second)) else {
            inquiry.note(call, count_line(inquiry.language, 0));
            return Ok(0);
        };
        let of_second: BTreeSet<(usize, u32)> =
            found.names.passages_of(second).into_iter().map(|(chapter, range)| (chapter, range.start)).collect();
        let shared: Vec<(usize, u32)> = found
            .names
            .passages_of(first)
            .into_iter()
            .map(|(chapter, range)| (chapter, range.start))
            .filter(|place| of_second.contains(place))
            .collect();
        let places: Vec<(ChapterId, u32)> = shared
            .iter()
            .filter_map(|(chapter, from)| Some((found.names.chapters.get(*chapter)?.chapter_id.clone(), *from)))
            .take(MAX_TOGETHER)
            .collect();
        drop(project);
        let marks = self.add_passages_at(inquiry, &places)?;
        let mut lines = count_line(inquiry.language, shared.len());
        lines.extend(marks_line(&marks));
        inquiry.note(call, lines);
        Ok(shared.len())
    }

    /// Lists the expressions of time, of the whole book or of the passages that name an entity.
    fn read_times(&self, inquiry: &mut Inquiry, call: &ToolCall, name: Option<&str>) -> Result<usize> {
        let query = TimelineQuery {
            project_id: inquiry.project_id.clone(),
            at: inquiry.at.clone(),
            skip: None,
            limit: Some(500),
        };
        let mut times = self.timeline(&query, &inquiry.order)?.times;
        if let Some(name) = name {
            let project = self.visit(&inquiry.project_id)?;
            let found = self.names_at(&project, inquiry.at.as_ref(), &inquiry.order)?;
            let named = found.names.entities.iter().find(|entity| has_form(&entity.forms, name));
            let ranges = named.map(|named| found.names.passages_of(named)).unwrap_or_default();
            times.retain(|time| {
                let chapter =
                    found.names.chapters.iter().position(|chapter| chapter.chapter_id == time.range.chapter_id);
                ranges.iter().any(|(number, range)| Some(*number) == chapter && range.contains(&time.range.from))
            });
        }
        let count = times.len();
        let lines: Vec<String> = times
            .iter()
            .take(MAX_TIMES)
            .map(|time| {
                let chapter = inquiry.chapter_number(&time.range.chapter_id);
                format!("{}: {}", chapter_words(inquiry.language, chapter as usize), time.text)
            })
            .collect();
        let lines = if lines.is_empty() { count_line(inquiry.language, 0) } else { vec![within_tokens(&lines, "; ")] };
        inquiry.note(call, lines);
        Ok(count)
    }

    /// The entity that a name belongs to up to the position, and its version; `None` where no such name is known.
    fn entity_named(&self, inquiry: &Inquiry, name: &str) -> Result<Option<(EntityId, u32)>> {
        let project = self.visit(&inquiry.project_id)?;
        let found = self.names_at(&project, inquiry.at.as_ref(), &inquiry.order)?;
        let in_text = found.names.entities.iter().find(|entity| has_form(&entity.forms, name));
        let (canon, _) = self.canon(&inquiry.project_id);
        let accepted = |entity_id: &EntityId| canon.entities.iter().find(|stored| stored.entity_id == *entity_id);
        if let Some(named) = in_text {
            let entity_id = named.entity.entity_id.clone();
            let version = accepted(&entity_id).map_or(1, |stored| stored.version);
            return Ok(Some((entity_id, version)));
        }
        // One that the text does not name, such as a rule of the world; its card says whether it is known here.
        let written = canon.entities.iter().find(|stored| fold(&stored.name) == fold(name));
        Ok(written.map(|stored| (stored.entity_id.clone(), stored.version)))
    }

    /// Adds the passages at these places; returns their marks.
    fn add_passages_at(&self, inquiry: &mut Inquiry, places: &[(ChapterId, u32)]) -> Result<Vec<String>> {
        let _open = self.visit(&inquiry.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let (mut marks, mut room) = (Vec::new(), MAX_RESULT_TOKENS);
        for (chapter_id, offset) in places {
            let passage = passages::at(&reader, &inquiry.project_id, chapter_id, *offset)?;
            let Some((passage, _)) = passage.and_then(|passage| inquiry.up_to_position(passage)) else { continue };
            let cost = tokens::count(&passage.text);
            if cost > room && !marks.is_empty() {
                break;
            }
            room = room.saturating_sub(cost);
            let mark = inquiry.add_passage(passage, 0.0, vec!["named".into()]);
            marks.extend(mark.filter(|mark| !marks.contains(mark)));
        }
        Ok(marks)
    }
}

impl Inquiry {
    /// Adds a passage, or marks it as found again; returns its mark.
    fn add_passage(&mut self, passage: Passage, score: f64, matched_by: Vec<String>) -> Option<String> {
        let turn = self.turn;
        if let Some(known) = self.passages.iter_mut().find(|known| known.passage.passage_id == passage.passage_id) {
            known.turn = turn;
            known.score = known.score.max(score);
            return Some(mark_of(known.number));
        }
        let number = u32::try_from(self.passages.len() + 1).ok()?;
        let chapter = self.chapter_number(&passage.chapter_id);
        self.passages.push(FoundInBook { number, passage, chapter, score, matched_by, turn });
        Some(mark_of(number))
    }

    /// The part of a passage before the position, and whether it was cut; `None` for one behind it.
    fn up_to_position(&self, passage: Passage) -> Option<(Passage, bool)> {
        let Some(at) = &self.at else { return Some((passage, false)) };
        let start = Position { chapter_id: passage.chapter_id.clone(), offset: passage.from };
        let end = Position { chapter_id: passage.chapter_id.clone(), offset: passage.to };
        let here = place_of(&self.order, at)?;
        if place_of(&self.order, &end)? <= here {
            return Some((passage, false));
        }
        if place_of(&self.order, &start)? >= here {
            return None;
        }
        let text = before_offset(&passage.text, at.offset - passage.from).to_owned();
        let has_words = text.chars().any(char::is_alphanumeric);
        has_words.then_some((Passage { to: at.offset, text, ..passage }, true))
    }

    /// The number of a chapter in the book, from 1.
    pub(super) fn chapter_number(&self, chapter_id: &ChapterId) -> u32 {
        let number = self.order.iter().position(|chapter| chapter == chapter_id).map_or(0, |number| number + 1);
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Notes a call and its result for the prompt.
    pub(super) fn note(&mut self, call: &ToolCall, lines: Vec<String>) {
        self.steps.push(StepNote { step: format!("{} {}", call.tool().name(), call.subject()), lines });
    }
}

/// Whether a text has a word of a query.
fn shares_words(query: &str, text: &str) -> bool {
    let terms: BTreeSet<String> = index_terms(text).into_iter().collect();
    index_terms(query).iter().any(|term| terms.contains(term))
}

fn has_form(forms: &[String], name: &str) -> bool {
    forms.iter().any(|form| fold(form) == fold(name))
}

/// The marks of passages as the result of a step; "nothing" without any.
fn marks_line(marks: &[String]) -> Vec<String> {
    if marks.is_empty() { vec!["–".to_owned()] } else { vec![marks.join(", ")] }
}

pub(super) fn count_line(language: Language, count: usize) -> Vec<String> {
    vec![match (language, count) {
        (Language::Zh, 0) => "没有".to_owned(),
        (Language::Zh, count) => format!("{count} 处"),
        (Language::En, 0) => "nothing".to_owned(),
        (Language::En, count) => format!("{count} found"),
    }]
}

fn chapter_words(language: Language, number: usize) -> String {
    match language {
        Language::Zh => format!("第 {number} 章"),
        Language::En => format!("ch. {number}"),
    }
}

/// The first of these lines that fit into the result of a tool, in one.
fn within_tokens(lines: &[String], between: &str) -> String {
    let mut joined = String::new();
    for line in lines {
        let longer = if joined.is_empty() { line.clone() } else { format!("{joined}{between}{line}") };
        if tokens::count(&longer) > MAX_RESULT_TOKENS {
            break;
        }
        joined = longer;
    }
    joined
}

/// The words of a card: its name and other names, where the text mentions it, and its facts that hold, with what
/// supports them and who knows them.
fn card_parts(inquiry: &Inquiry, card: &EntityCard) -> Vec<String> {
    let language = inquiry.language;
    let mut parts = vec![card.name.clone()];
    let pick = |zh: &str, en: &str| pick(language, zh, en);
    if !card.aliases.is_empty() {
        parts.push(format!("{} {}", pick("也叫", "other names:"), card.aliases.join(", ")));
    }
    for fact in card.facts.iter().filter(|fact| !fact.is_stale) {
        let certainty = match fact.fact.certainty {
            Certainty::Told => String::new(),
            Certainty::Said => pick("，据说", ", said"),
            Certainty::Believed => pick("，有人这么以为", ", believed"),
            Certainty::Planned => pick("，打算", ", planned"),
        };
        let since = fact.fact.told_at.as_ref().map_or(String::new(), |place| {
            format!(", {}", chapter_words(language, inquiry.chapter_number(&place.chapter_id) as usize))
        });
        parts.push(format!("{} {}{certainty}{since}", fact.fact.attribute, fact.fact.value));
    }
    if let (Some(first), Some(last)) = (&card.first, &card.last) {
        let number = |chapter_id| chapter_words(language, inquiry.chapter_number(chapter_id) as usize);
        parts.push(format!(
            "{} {} – {}, {} {}",
            pick("出现在", "mentioned in"),
            number(&first.chapter_id),
            number(&last.chapter_id),
            card.mentions,
            pick("处", "times"),
        ));
    }
    let companions: Vec<&str> = card.companions.iter().take(5).map(|other| other.name.as_str()).collect();
    if !companions.is_empty() {
        parts.push(format!("{} {}", pick("常一起出现的", "often with"), companions.join(", ")));
    }
    let mut room = MAX_RESULT_TOKENS;
    parts.retain(|part| {
        let cost = tokens::count(part) + 2;
        let fits = cost <= room;
        room = if fits { room - cost } else { room };
        fits
    });
    parts
}
