//! Changes of the book: scripted edits around quotes, and sentences that say what an answer did not find.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
    sync::Arc,
};

use flate2::read::GzDecoder;
use palimpsest_answers::nearness::{Nearness, QuestionWords, nearness};
use palimpsest_api::{Api, EncoderSource, Options};
use palimpsest_embedder::Encoder;
use palimpsest_tests::copy_folder;
use palimpsest_text::{paragraphs, random::SplitMix64, sentences, terms};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Chapters of a book.
const CHAPTERS: usize = 12;
/// Answers of a book, each with a quote of its own.
const ANSWERS: usize = 100;
/// Edits of a book.
const EDITS: usize = 500;
/// Questions of each half of a set.
const QUESTIONS: usize = 500;
/// Paragraphs of other texts for each question.
const OTHERS: usize = 3;
/// The most checks after an edit. The program's own check may have seen a part of the files, and sees the others later.
const CHECKS: usize = 20;
const KINDS: [&str; 8] =
    ["in the quote", "outside of it", "blank lines", "space in it", "moved", "renamed", "split", "deleted"];

/// The chapters of a text of the story data, each as a file of the book.
fn story_chapters(data: &Path, language: &str) -> Result<Vec<String>, String> {
    let path = data.join("story").join("text").join(format!("{language}.jsonl.gz"));
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = BufReader::new(GzDecoder::new(BufReader::new(file))).lines();
    let chapter = |line: std::io::Result<String>| {
        let line: Value = serde_json::from_str(&line.map_err(|error| error.to_string())?).map_err(|e| e.to_string())?;
        Ok(format!("# {}\n\n{}\n", line["title"].as_str().unwrap_or("-"), line["text"].as_str().unwrap_or_default()))
    };
    lines.take(CHAPTERS).map(chapter).collect()
}

/// A quote, and the chapter that it is from.
struct Quoted {
    answer_id: String,
    chapter: usize,
    quote: String,
}

/// Prints how many edits that take a quote out of the book are found, and how many others are taken for one.
pub fn print_edits(data: &Path) {
    println!("edits around quotes: answers on changed text that are found, and others that are taken for such");
    println!("| language | edit | edits | found | false alarms |");
    println!("| --- | --- | ---: | ---: | ---: |");
    let mut total = [0_usize; 4];
    for language in ["en", "zh"] {
        match edits(data, language) {
            Ok(counts) => {
                for (kind, [changing, found, others, alarms]) in KINDS.iter().zip(counts) {
                    println!(
                        "| {language} | {kind} | {} | {found} of {changing} | {alarms} of {others} |",
                        changing + others
                    );
                    for (sum, one) in total.iter_mut().zip([changing, found, others, alarms]) {
                        *sum += one;
                    }
                }
            }
            Err(error) => println!("{language}: not run: {error}"),
        }
    }
    let [changing, found, others, alarms] = total;
    println!(
        "| both | all | {} | {found} of {changing} ({:.3}) | {alarms} of {others} ({:.3}) |\n",
        changing + others,
        found as f64 / changing.max(1) as f64,
        alarms as f64 / others.max(1) as f64
    );
}

/// For each kind of edit: edits that take a quote away, those that were found, other edits, false alarms.
fn edits(data: &Path, language: &str) -> Result<Vec<[usize; 4]>, String> {
    let chapters = story_chapters(data, language)?;
    let folder = TempDir::new().map_err(|error| error.to_string())?;
    let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
    options.encoder = EncoderSource::Nowhere;
    let api = Api::open(options).expect("the memory opens");
    let call = |command: &str, args: Value| -> Value {
        let answer = api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"));
        serde_json::from_str(&answer).expect("an answer is JSON")
    };
    let book = folder.path().join("book");
    let write_all = |files: &[(String, String)]| {
        fs::remove_dir_all(&book).ok();
        fs::create_dir_all(&book).expect("a folder");
        for (name, text) in files {
            fs::write(book.join(name), text).expect("a chapter");
        }
    };
    let original: Vec<(String, String)> =
        chapters.iter().enumerate().map(|(at, text)| (format!("{at:02}.md"), text.clone())).collect();
    write_all(&original);
    let opened = call("project:open", json!({ "path": book }))["book"].clone();
    let project = opened["project"]["projectId"].clone();
    let ids = fs::read_dir(&book).expect("the folder").filter_map(Result::ok);
    let hidden: Vec<_> = ids.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    let kept = folder.path().join("kept");
    for path in &hidden {
        copy_folder(path, &kept.join(path.file_name().expect("a name")));
    }
    let mut random = SplitMix64::new(if language == "en" { 1 } else { 2 });
    let mut quoted: Vec<Quoted> = Vec::new();
    let whole = chapters.concat();
    while quoted.len() < ANSWERS {
        let chapter = random.below(chapters.len());
        let all = sentences::split(&chapters[chapter]);
        let quote = all[random.below(all.len())];
        let length = quote.chars().count();
        let is_usable = (16..300).contains(&length) && !quote.contains('\n') && !quote.starts_with('#');
        if !is_usable || whole.matches(quote).count() != 1 || quoted.iter().any(|one| one.quote == quote) {
            continue;
        }
        let citation = json!({ "chapterId": opened["chapters"][chapter]["chapterId"], "quote": quote, "from": 0 });
        let number = quoted.len();
        let recorded = call(
            "answer:record",
            json!({ "projectId": project, "question": format!("Question {number}?"), "answer": format!("Answer {number}."),
                "citations": [citation] }),
        );
        let answer_id = recorded["answer"]["answerId"].as_str().unwrap_or_default().to_owned();
        quoted.push(Quoted { answer_id, chapter, quote: quote.to_owned() });
    }
    let stale = || -> HashSet<String> {
        call("chapter:list", json!({ "projectId": project }));
        call("answer:recheck", json!({ "projectId": project }));
        let page = call("answer:list", json!({ "projectId": project, "filter": "stale", "limit": 200 }));
        let answers = page["answers"].as_array().cloned().unwrap_or_default();
        answers.iter().filter_map(|one| one["answerId"].as_str().map(str::to_owned)).collect()
    };
    let restore = |files: &[(String, String)]| {
        write_all(files);
        for path in &hidden {
            copy_folder(&kept.join(path.file_name().expect("a name")), path);
        }
    };
    assert!(stale().is_empty(), "no answer is stale before an edit");
    let mut counts = vec![[0_usize; 4]; KINDS.len()];
    for number in 0..EDITS {
        let kind = number % KINDS.len();
        let target = &quoted[random.below(quoted.len())];
        let mut files = original.clone();
        edit(&mut files, kind, target, &mut random);
        restore(&files);
        let is_gone = |one: &&Quoted| {
            // A space says nothing between Han characters.
            let space = if language == "zh" { "" } else { " " };
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(space);
            let quote = plain(&one.quote);
            !files.iter().any(|(_, text)| plain(text).contains(&quote))
        };
        let expected: HashSet<String> = quoted.iter().filter(is_gone).map(|one| one.answer_id.clone()).collect();
        let found = (0..CHECKS).map(|_| stale()).find(|found| *found == expected).unwrap_or_else(stale);
        let count = &mut counts[kind];
        if expected.is_empty() {
            count[2] += 1;
        } else {
            count[0] += 1;
            count[1] += usize::from(expected.is_subset(&found));
        }
        count[3] += usize::from(!found.is_subset(&expected));
        restore(&original);
        let is_restored = (0..CHECKS).any(|_| stale().is_empty());
        assert!(is_restored, "no answer is stale once the text is as it was");
    }
    Ok(counts)
}

/// One edit of the files of a book.
fn edit(files: &mut Vec<(String, String)>, kind: usize, target: &Quoted, random: &mut SplitMix64) {
    let text = files[target.chapter].1.clone();
    let start = text.find(&target.quote).expect("the quote");
    let end = start + target.quote.len();
    let all = paragraphs::ranges(&text);
    let paragraph = all.iter().find(|range| range.end > start).expect("a paragraph").clone();
    let inner: Vec<usize> = target.quote.char_indices().map(|(at, _)| at).collect();
    let middle = start + inner[inner.len() / 2];
    let (before, after) = (&text[..middle], &text[middle..]);
    match kind {
        0 => files[target.chapter].1 = format!("{before}qx{}", after.chars().skip(2).collect::<String>()),
        1 => {
            let other = &all[random.below(all.len())];
            let at = if (start..end).contains(&other.end) { text.len() } else { other.end };
            files[target.chapter].1 = format!("{}\n\nZq wrote this.\n\n{}", &text[..at], &text[at..]);
        }
        2 => files[target.chapter].1 = text.replace("\n\n", "\n\n\n"),
        3 => files[target.chapter].1 = format!("{before} {after}"),
        4 | 7 => {
            files[target.chapter].1 = format!("{}{}", &text[..paragraph.start], text[paragraph.end..].trim_start());
            if kind == 4 {
                let to = (target.chapter + 1) % files.len();
                let moved = format!("{}\n{}\n", files[to].1, &text[paragraph]);
                files[to].1 = moved;
            }
        }
        5 => files[target.chapter].0 = format!("{:02} renamed.md", target.chapter),
        _ => {
            files[target.chapter].1 = text[..paragraph.start].to_owned();
            files.push((format!("{:02}b.md", target.chapter), format!("# Part\n\n{}", &text[paragraph.start..])));
        }
    }
}

/// A question with the passage that says it.
pub struct Sought {
    pub question: String,
    /// The text that its passage is from.
    pub work: String,
    pub passage: String,
    /// Of its passage: 0 even, 1 odd.
    pub half: usize,
}

/// Prints the head of the table of [`print_nearness`].
pub fn print_nearness_header() {
    println!(
        "the sentence that says what an answer did not find, paragraphs of other texts, and others of the same text"
    );
    println!(
        "| set | book | half | signals | questions | doubted by the sentence | by another text | by the same text |"
    );
    println!("| --- | --- | --- | --- | ---: | ---: | ---: | ---: |");
}

/// The number of passages of a book that have each term.
struct Terms {
    passages: f64,
    counts: HashMap<String, f64>,
}

impl Terms {
    fn count(passages: &BTreeSet<&str>) -> Self {
        let mut counts = HashMap::new();
        for term in passages.iter().flat_map(|passage| distinct_terms(passage)) {
            *counts.entry(term).or_default() += 1.0;
        }
        Self { passages: passages.len() as f64, counts }
    }

    /// The rarity of a word as the word index has it, without the passage that has the terms `own`.
    fn rarity(&self, word: &str, own: &HashSet<String>) -> f64 {
        let others = self.counts.get(word).copied().unwrap_or_default() - f64::from(u8::from(own.contains(word)));
        (1.0 + (self.passages - others + 0.5) / (others + 0.5)).ln()
    }
}

fn distinct_terms(text: &str) -> HashSet<String> {
    terms::index_terms(text).into_iter().collect()
}

/// Prints how often the sentence that says it makes an answer doubtful, and how often other paragraphs do. The book, in
/// which rarity is counted, is the whole set or the text alone, without the passage that says it.
pub fn print_nearness(name: &str, sought: &[Sought], encoder: &Path) {
    let encoder = Encoder::load(encoder).expect("the encoder");
    let whole = Terms::count(&sought.iter().map(|one| one.passage.as_str()).collect());
    let mut works: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for one in sought {
        works.entry(&one.work).or_default().insert(&one.passage);
    }
    let of_work: HashMap<&str, Terms> = works.iter().map(|(work, passages)| (*work, Terms::count(passages))).collect();
    // A set of single passages has no texts of their own.
    let books: &[&str] = if works.values().any(|passages| passages.len() > 1) { &["set", "text"] } else { &["set"] };
    for (book, half) in books.iter().flat_map(|book| [(*book, 0), (*book, 1)]) {
        let mut random = SplitMix64::new(3 + half as u64);
        let mut of_half: Vec<&Sought> = sought.iter().filter(|one| one.half == half).collect();
        random.shuffle(&mut of_half);
        of_half.truncate(QUESTIONS);
        let mut counts = [[0_usize; 3]; 2];
        let mut seen = [of_half.len(), 0, 0];
        for one in &of_half {
            let own = distinct_terms(&one.passage);
            let terms = if book == "set" { &whole } else { &of_work[one.work.as_str()] };
            let words = QuestionWords::new(&one.question, |word| terms.rarity(word, &own));
            let vector = encoder.embed(&one.question);
            let is_near = |paragraph: &str, by_meaning: bool| {
                sentences::split(paragraph).into_iter().any(|sentence| {
                    let share = words.share_in(sentence);
                    let cosine = || {
                        let other = encoder.embed(sentence);
                        vector.iter().zip(&other).map(|(a, b)| f64::from(a * b)).sum::<f64>()
                    };
                    share > 0.0 && nearness(share, by_meaning.then(cosine)) == Nearness::Near
                })
            };
            // The sentence with most of the words, whatever their rarity.
            let equal = QuestionWords::new(&one.question, |_| 1.0);
            let said = sentences::split(&one.passage)
                .into_iter()
                .max_by(|a, b| equal.share_in(a).total_cmp(&equal.share_in(b)))
                .unwrap_or_default();
            let mut add = |column: usize, paragraph: &str| {
                for (by_meaning, count) in [false, true].into_iter().zip(&mut counts) {
                    count[column] += usize::from(is_near(paragraph, by_meaning));
                }
            };
            add(0, said);
            for _ in 0..OTHERS {
                let other = &sought[random.below(sought.len())];
                if other.work != one.work {
                    seen[1] += 1;
                    add(1, &other.passage);
                }
            }
            let is_beside = |other: &&Sought| other.work == one.work && other.passage != one.passage;
            let beside: Vec<&Sought> = sought.iter().filter(is_beside).collect();
            if !beside.is_empty() {
                seen[2] += 1;
                add(2, &beside[random.below(beside.len())].passage);
            }
        }
        for (how, counts) in ["words", "words and meaning"].into_iter().zip(counts) {
            let share = |column: usize| match seen[column] {
                0 => "–".to_owned(),
                of => format!("{:.3} of {of}", counts[column] as f64 / of as f64),
            };
            let half = if half == 0 { "even (tuned)" } else { "odd" };
            println!("| {name} | {book} | {half} | {how} | {} | {} | {} | {} |", seen[0], share(0), share(1), share(2));
        }
    }
}
