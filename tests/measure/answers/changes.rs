//! Changes of the book: scripted edits around quotes, and sentences that say what an answer did not find.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
    sync::Arc,
};

use flate2::read::GzDecoder;
use palimpsest_answers::nearness::{QuestionWords, is_near};
use palimpsest_api::{Api, EncoderSource, Options};
use palimpsest_embedder::Encoder;
use palimpsest_tests::copy_folder;
use palimpsest_text::{paragraphs, random::SplitMix64, sentences};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Chapters of a book.
const CHAPTERS: usize = 12;
/// Answers of a book, each with a quote of its own.
const ANSWERS: usize = 100;
/// Edits of a book.
const EDITS: usize = 500;
/// Questions of each half of a set.
const QUESTIONS: usize = 150;
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

/// A question with the sentence that says it, and paragraphs of other texts.
pub struct Sought {
    pub question: String,
    pub passage: String,
    /// Of its passage: 0 even, 1 odd.
    pub half: usize,
}

/// Prints the head of the table of [`print_nearness`].
pub fn print_nearness_header() {
    println!("the sentence that says what an answer did not find, and paragraphs of other texts");
    println!("| set | half | signals | questions | doubted by the sentence | by another paragraph |");
    println!("| --- | --- | --- | ---: | ---: | ---: |");
}

/// Prints how often the sentence that says it makes an answer doubtful, and how often a paragraph of another text does.
pub fn print_nearness(name: &str, sought: &[Sought], encoder: &Path) {
    let encoder = Encoder::load(encoder).expect("the encoder");
    let mut random = SplitMix64::new(3);
    for half in [0, 1] {
        let mut of_half: Vec<&Sought> = sought.iter().filter(|one| one.half == half).collect();
        random.shuffle(&mut of_half);
        of_half.truncate(QUESTIONS);
        let mut counts = [[0_usize; 2]; 2];
        let mut others = 0;
        for one in &of_half {
            let words = QuestionWords::new(&one.question);
            let vector = encoder.embed(&one.question);
            let near = |paragraph: &str, by_meaning: bool| {
                sentences::split(paragraph).into_iter().any(|sentence| {
                    let share = words.share_in(sentence);
                    let cosine = || {
                        let other = encoder.embed(sentence);
                        vector.iter().zip(&other).map(|(a, b)| f64::from(a * b)).sum::<f64>()
                    };
                    share > 0.0 && is_near(share, by_meaning.then(cosine))
                })
            };
            let said = sentences::split(&one.passage)
                .into_iter()
                .max_by(|a, b| words.share_in(a).total_cmp(&words.share_in(b)))
                .unwrap_or_default();
            for (by_meaning, count) in [false, true].into_iter().zip(&mut counts) {
                count[0] += usize::from(near(said, by_meaning));
            }
            for _ in 0..OTHERS {
                let other = &sought[random.below(sought.len())];
                if other.passage == one.passage {
                    continue;
                }
                others += 1;
                for (by_meaning, count) in [false, true].into_iter().zip(&mut counts) {
                    count[1] += usize::from(near(&other.passage, by_meaning));
                }
            }
        }
        for (how, [said, other]) in ["words", "words and meaning"].into_iter().zip(counts) {
            println!(
                "| {name} | {} | {how} | {} | {:.3} | {:.3} of {others} |",
                if half == 0 { "even (tuned)" } else { "odd" },
                of_half.len(),
                said as f64 / of_half.len().max(1) as f64,
                other as f64 / others.max(1) as f64
            );
        }
    }
}
