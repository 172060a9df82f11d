//! Questions asked of the program: by a scripted reader whose truth is known, by a real model, or of the book alone.
//!
//! The scripted reader answers with the sentences of the data set where they are in its prompt, and says `[none]` where
//! they are not. In turns it also does what models do: it invents a quote, names another passage, or leaves the quote
//! out. A question as of a chapter is asked of the whole book as of the end of that chapter.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::{Api, Options};
use palimpsest_tests::server::{Answer, Request, Server};
use serde_json::{Value, json};

use super::{
    data::{self, Unit},
    ranking::{area, number},
};

/// Wait between two looks at the progress of the indexes.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest wait for the end of a question.
const PATIENCE: Duration = Duration::from_secs(1_800);

/// A question of the data set as it is asked.
struct Asked {
    /// The kind of the data set: `one`, `two`, `none` or `asof`.
    kind: String,
    /// Whether it is one of those that constants were fitted on.
    is_fitted: bool,
    text: String,
    work: String,
    /// The book is known up to the end of this chapter.
    last: Option<u64>,
    /// Chapter and words of each sentence that answers it.
    evidence: Vec<(u64, String)>,
    answer: String,
}

/// The sums over the questions.
#[derive(Default)]
struct Sums {
    asked: u32,
    finished: u32,
    answerable: u32,
    answered: u32,
    statements: u32,
    verified: u32,
    invented: u32,
    invented_verified: u32,
    citations: u32,
    gold_citations: u32,
    unanswerable: u32,
    recognized: u32,
    kept_unverified: u32,
    leaks: u32,
    passages_sent: u32,
    /// The questions with one quote, and those of them whose quote is in a stretch that is shown.
    one: (u32, u32),
    /// Those with two quotes, those with one of them shown, and those with both.
    two: (u32, u32, u32),
    /// The same of a chapter's end, as `one`.
    as_of: (u32, u32),
    /// The length of each stretch that is shown, in characters.
    shown_characters: Vec<u64>,
    /// The scores of questions that the book answers, and of others.
    scores: [Vec<f64>; 2],
    millis: Vec<u64>,
}

/// The source of the answers.
#[derive(Clone, Copy)]
pub enum Reader<'a> {
    Scripted,
    /// The base URL of an OpenAI-compatible server.
    Model(&'a str),
    Book,
}

/// Words of a statement that the scripted reader invents.
const INVENTED: &str = "A lighthouse keeper named Zebulon saw everything that night.";

pub fn print_asked(data: &Path, reader: Reader<'_>, only: Option<usize>) -> Result<(), String> {
    let works: Vec<Unit> = ["en", "zh", "sample"]
        .into_iter()
        .map(|name| data::works(data, name))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    let mut questions = questions(data)?;
    if let Some(only) = only {
        let step = (questions.len() / only.max(1)).max(1);
        questions = questions.into_iter().step_by(step).collect();
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (send, events) = channel();
    let send = Mutex::new(send);
    let sink = move |name: &str, payload: Value| {
        if let Ok(send) = send.lock() {
            let _sent = send.send((name.to_owned(), payload));
        }
    };
    let api =
        Api::open(Options::new(folder.path().join("memory"), Arc::new(sink))).map_err(|error| error.to_string())?;
    let server = Server::start();
    let url = match reader {
        Reader::Scripted => Some(server.url("/v1")),
        Reader::Model(url) => Some(url.to_owned()),
        Reader::Book => None,
    };
    if let Some(url) = url {
        let provider = json!({ "kind": "openAi", "name": "reader", "baseUrl": url, "key": "none" });
        let provider = answer_of(&api, "ai:provider:save", provider)?;
        let choice = json!({ "purpose": "asking", "providerId": provider["providerId"], "model": "reader" });
        answer_of(&api, "ai:purpose:set", choice)?;
    }
    let mut books: HashMap<&str, Value> = HashMap::new();
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    for (number, asked) in questions.iter().enumerate() {
        let unit = works.iter().find(|unit| unit.name == asked.work).ok_or("an unknown work")?;
        if !books.contains_key(unit.name.as_str()) {
            books.insert(&unit.name, analyzed(&api, unit)?);
        }
        let project = &books[unit.name.as_str()];
        if matches!(reader, Reader::Scripted) {
            set_replies(&server, asked, number);
        }
        let sent_before = server.requests().len();
        let done = ask(&api, project, asked, unit, &events, matches!(reader, Reader::Book))?;
        let language = if is_chinese(&asked.text) { "zh" } else { "en" };
        let half = if asked.is_fitted { "fitted" } else { "judged" };
        for row in ["all", language, half] {
            let sent: Vec<Request> = server.requests().into_iter().skip(sent_before).collect();
            sums.entry(row).or_default().add(asked, unit, &done, &sent);
        }
    }
    print_sums(&sums, reader);
    Ok(())
}

fn questions(data: &Path) -> Result<Vec<Asked>, String> {
    let mut asked = Vec::new();
    for question in data::questions(data)? {
        let text = |field: &str| question[field].as_str().unwrap_or_default().to_owned();
        let evidence = |list: &Value| -> Vec<(u64, String)> {
            let quote =
                |one: &Value| (one["chapter"].as_u64().unwrap_or(0), one["quote"].as_str().unwrap_or("").to_owned());
            list.as_array().into_iter().flatten().map(quote).collect()
        };
        let is_fitted = number(&text("id")).is_multiple_of(2);
        let first = |list: &Value| list[0].as_str().unwrap_or_default().to_owned();
        match question["states"].as_array() {
            Some(states) => {
                for state in states {
                    let last = state["until"].as_u64().or(state["from"].as_u64());
                    let answers = if state["answers"].is_array() { &state["answers"] } else { &state["answer"] };
                    asked.push(Asked {
                        kind: text("kind"),
                        is_fitted,
                        text: text("question"),
                        work: text("work"),
                        last,
                        evidence: evidence(&state["evidence"]),
                        answer: if answers.is_array() { first(answers) } else { answers.as_str().unwrap_or("").into() },
                    });
                }
            }
            None => asked.push(Asked {
                kind: text("kind"),
                is_fitted,
                text: text("question"),
                work: text("work"),
                last: None,
                evidence: evidence(&question["evidence"]),
                answer: first(&question["answers"]),
            }),
        }
    }
    Ok(asked)
}

impl Sums {
    fn add(&mut self, asked: &Asked, unit: &Unit, done: &Value, sent: &[Request]) {
        let answered = &done["answered"];
        self.asked += 1;
        self.finished += u32::from(done["status"] == "finished");
        self.millis.push(answered["millis"].as_u64().unwrap_or_default());
        let citations = answered["citations"].as_array().map(Vec::as_slice).unwrap_or_default();
        let statements = answered["statements"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text: Vec<u16> = answered["text"].as_str().unwrap_or_default().encode_utf16().collect();
        for statement in statements.iter().filter(|one| one["status"] != "plain") {
            let range = |field: &str| statement[field].as_u64().unwrap_or_default() as usize;
            let words = String::from_utf16_lossy(text.get(range("from")..range("to")).unwrap_or_default());
            let is_verified = u32::from(statement["status"] == "verified");
            if words.contains("Zebulon") {
                self.invented += 1;
                self.invented_verified += is_verified;
            } else {
                self.statements += 1;
                self.verified += is_verified;
            }
        }
        if asked.evidence.is_empty() {
            self.unanswerable += 1;
            self.recognized += u32::from(answered["notInBook"] == true || citations.is_empty());
        } else {
            self.answerable += 1;
            self.answered += u32::from(!citations.is_empty());
            self.citations += u32::try_from(citations.len()).unwrap_or(0);
            self.gold_citations +=
                u32::try_from(citations.iter().filter(|cited| is_gold(asked, unit, cited)).count()).unwrap_or(0);
        }
        if asked.last.is_none()
            && let Some(score) = answered["unanswerable"].as_f64()
        {
            self.scores[usize::from(asked.evidence.is_empty())].push(score);
        }
        self.add_shown(asked, unit, answered["passages"].as_array().map(Vec::as_slice).unwrap_or_default());
        if let Some(kept) = answered["kept"]["citations"].as_array() {
            self.kept_unverified += u32::from(kept.iter().any(|one| one["status"] != "holds"));
        }
        // What was sent as of a position is part of the text up to it.
        let known: String = unit
            .chapters
            .iter()
            .filter(|chapter| asked.last.is_none_or(|last| chapter.number <= last))
            .map(|chapter| squeezed(&chapter.text))
            .collect();
        for prompt in sent.iter().filter_map(|one| one.body["messages"][1]["content"].as_str()) {
            for line in passages_of(prompt) {
                self.passages_sent += 1;
                self.leaks += u32::from(!known.contains(&squeezed(line.1)));
            }
        }
    }

    fn add_shown(&mut self, asked: &Asked, unit: &Unit, shown: &[Value]) {
        let is_shown = |quote: &&(u64, String)| shown.iter().any(|one| holds(unit, one, quote));
        let found = u32::try_from(asked.evidence.iter().filter(is_shown).count()).unwrap_or(0);
        let is_any = u32::from(found > 0);
        match asked.kind.as_str() {
            _ if asked.evidence.is_empty() => {}
            "one" => self.one = (self.one.0 + 1, self.one.1 + is_any),
            "two" => self.two = (self.two.0 + 1, self.two.1 + is_any, self.two.2 + u32::from(found > 1)),
            _ => self.as_of = (self.as_of.0 + 1, self.as_of.1 + is_any),
        }
        let length = |one: &Value| one["quote"].as_str().unwrap_or_default().chars().count() as u64;
        self.shown_characters.extend(shown.iter().map(length));
    }
}

/// Bounds of a quote in its chapter, and of a citation, in UTF-16 code units; `None` in different chapters.
fn bounds(unit: &Unit, cited: &Value, (number, quote): &(u64, String)) -> Option<[usize; 4]> {
    let chapter: u64 = cited["chapterId"].as_str().and_then(|id| id.parse().ok())?;
    let text = unit.chapters.iter().find(|one| one.number == chapter && chapter == *number)?.text.as_str();
    let from = data::utf16(text, text.find(quote.as_str())?);
    let bound = |field: &str| cited[field].as_u64().map(|at| at as usize);
    Some([from, from + quote.encode_utf16().count(), bound("from")?, bound("to")?])
}

/// Whether a stretch has four fifths of a quote, as the measure of the data set counts it.
fn holds(unit: &Unit, shown: &Value, quote: &(u64, String)) -> bool {
    bounds(unit, shown, quote).is_some_and(|[from, to, start, end]| {
        let shared = to.min(end).saturating_sub(from.max(start));
        shared * 5 >= (to - from) * 4
    })
}

/// Whether a citation shares words with a quote of the data set.
fn is_gold(asked: &Asked, unit: &Unit, cited: &Value) -> bool {
    let overlaps = |[from, to, start, end]: [usize; 4]| start < to && from < end;
    asked.evidence.iter().any(|quote| bounds(unit, cited, quote).is_some_and(overlaps))
}

/// The words without white space and marks of punctuation that prompts change.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The passages of a prompt: their marks and their words.
fn passages_of(prompt: &str) -> Vec<(&str, &str)> {
    let inside = prompt.split("<book>\n").nth(1).and_then(|rest| rest.split("\n</book>").next()).unwrap_or_default();
    let passage = |line: &str| -> Option<(usize, usize)> {
        let mark = line.find([' ', '（'])?;
        let words = line.find("): ").map(|at| at + 3).or_else(|| line.find("）：").map(|at| at + "）：".len()))?;
        line.starts_with('P').then_some((mark, words))
    };
    inside.lines().filter_map(|line| passage(line).map(|(mark, words)| (&line[..mark], &line[words..]))).collect()
}

/// Sets the replies of the scripted reader for one question.
fn set_replies(server: &Server, asked: &Asked, number: usize) {
    let (evidence, answer) = (asked.evidence.clone(), asked.answer.clone());
    server.reply("/v1/chat/completions", move |request| {
        let prompt = request.body["messages"][1]["content"].as_str().unwrap_or_default();
        let passages = passages_of(prompt);
        let found: Vec<(&str, &str)> = evidence
            .iter()
            .filter_map(|(_, quote)| {
                let squeezed_quote = squeezed(quote);
                let (mark, _) = passages.iter().find(|(_, words)| squeezed(words).contains(&squeezed_quote))?;
                Some((*mark, quote.as_str()))
            })
            .collect();
        if request.body["response_format"].is_object() || request.body["tools"].is_array() {
            let has_searched = prompt.contains("find_in_book");
            let reply = if found.len() == evidence.len() && !found.is_empty() {
                json!({ "kind": "answer" })
            } else if has_searched {
                json!({ "kind": "stop" })
            } else {
                json!({ "kind": "act", "tool": "find_in_book", "arguments": { "query": answer, "limit": 8 } })
            };
            return Answer::chat(&[&reply.to_string()]);
        }
        if found.is_empty() {
            return Answer::chat(&["[none] The book does not say so."]);
        }
        let mut words = String::new();
        for (place, (mark, quote)) in found.iter().enumerate() {
            let statement = palimpsest_text::sentences::split(quote).first().map_or(*quote, |first| *first).trim();
            let mark = if number % 4 == 1 && place == 0 { "P97" } else { *mark };
            let mark = match number % 5 {
                2 => format!("[{mark}]"),
                _ => format!("[{mark} \"{}\"]", quote.replace(['"', '\n'], " ")),
            };
            words.push_str(&format!("{statement} {mark} "));
        }
        if number.is_multiple_of(3) {
            words.push_str(&format!("{INVENTED} [P1 \"a lighthouse keeper named Zebulon saw everything\"]"));
        }
        Answer::chat(&[words.trim()]).cut_every(11)
    });
}

fn ask(
    api: &Api,
    project: &Value,
    asked: &Asked,
    unit: &Unit,
    events: &Receiver<(String, Value)>,
    only_book: bool,
) -> Result<Value, String> {
    let mut args = json!({ "projectId": project, "question": asked.text, "fresh": true, "onlyBook": only_book });
    if let Some(last) = asked.last {
        let text = unit.chapters.iter().find(|chapter| chapter.number == last).map(|chapter| chapter.text.as_str());
        let offset = text.unwrap_or_default().encode_utf16().count();
        args["at"] = json!({ "chapterId": last.to_string(), "offset": offset });
    }
    let begun = Instant::now();
    let started = answer_of(api, "ask:run", args)?;
    loop {
        let (name, mut payload) = events.recv_timeout(PATIENCE).map_err(|_| "a question did not end".to_owned())?;
        if name == "ask:done" && payload["runId"] == started["runId"] {
            payload["answered"]["millis"] = json!(begun.elapsed().as_millis() as u64);
            return Ok(payload);
        }
    }
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// A new book with the chapters of a work, indexed by words and by meaning; its id.
fn analyzed(api: &Api, unit: &Unit) -> Result<Value, String> {
    let language = if unit.texts().iter().any(|text| is_chinese(text)) { "zh" } else { "en" };
    let project = answer_of(api, "project:create", json!({ "title": unit.name, "language": language }))?;
    let project = project["projectId"].clone();
    let chapter = |one: &data::Chapter| json!({ "chapterId": one.number.to_string(), "text": one.text });
    let chapters: Vec<Value> = unit.chapters.iter().map(chapter).collect();
    answer_of(api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }))?;
    while answer_of(api, "memory:status", json!({}))?["parts"].to_string().contains("catchingUp") {
        thread::sleep(PAUSE);
    }
    Ok(project)
}

fn answer_of(api: &Api, command: &str, args: Value) -> Result<Value, String> {
    let answer = api.call(command, args).map_err(|error| format!("{command}: {error}"))?;
    serde_json::from_str(&answer).map_err(|error| error.to_string())
}

fn share(part: u32, whole: u32) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.3} ({part}/{whole})", f64::from(part) / f64::from(whole)) }
}

fn print_sums(sums: &BTreeMap<&str, Sums>, reader: Reader<'_>) {
    let who = match reader {
        Reader::Scripted => "a scripted reader whose truth is known",
        Reader::Model(_) => "a model",
        Reader::Book => "the book alone",
    };
    println!("Questions answered by {who}.");
    if matches!(reader, Reader::Book) {
        println!(
            "| questions | N | one quote shown | one of two shown | both of two shown | as of a chapter, quote shown | \
             characters of a stretch, median and most | unanswerable recognized, area | median ms |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (row, sums) in sums {
            let [with, without] = &sums.scores;
            println!(
                "| {row} | {} | {} | {} | {} | {} | {}, {} | {:.3} | {} |",
                sums.asked,
                share(sums.one.1, sums.one.0),
                share(sums.two.1, sums.two.0),
                share(sums.two.2, sums.two.0),
                share(sums.as_of.1, sums.as_of.0),
                median(&sums.shown_characters),
                sums.shown_characters.iter().max().copied().unwrap_or_default(),
                area(with, without),
                median(&sums.millis),
            );
        }
        return;
    }
    println!(
        "| questions | N | finished | answered of those the book answers | true statements verified | invented ones \
         verified | citations in a gold passage | unanswerable recognized | kept with a quote that does not hold | \
         passages sent from behind the position | median ms |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (row, sums) in sums {
        println!(
            "| {row} | {} | {} | {} | {} | {} | {} | {} | {} | {} of {} | {} |",
            sums.asked,
            sums.finished,
            share(sums.answered, sums.answerable),
            share(sums.verified, sums.statements),
            share(sums.invented_verified, sums.invented),
            share(sums.gold_citations, sums.citations),
            share(sums.recognized, sums.unanswerable),
            sums.kept_unverified,
            sums.leaks,
            sums.passages_sent,
            median(&sums.millis),
        );
    }
}

fn median(millis: &[u64]) -> u64 {
    let mut sorted = millis.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
