//! A further kind of owners, and whole texts, in both indexes.

mod parts;

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::{Arc, Mutex},
};

use palimpsest_text::terms;
use proptest::prelude::*;
use rusqlite::{Connection, params};

use super::{
    encoders::{Encoder, Serving},
    frequencies::Frequencies,
    lexical::{Query, WordScore},
    meaning::Meaning,
    resident, text_search, word_index,
};
use crate::{
    error::Result,
    model::{OwnerKind, ProjectId},
    ports::{Concept, Embedder, EmbedderError, ModelErrorKind, Translator},
    storage::{
        Database, Schema, Tx, clear,
        sources::{EPISODES, Episodes, IndexedText, Source},
        vectors, words,
    },
};

/// Owners in memory: the numbers of their rows, their ids, texts.
struct Samples(Mutex<Vec<(i64, String, String)>>);

impl Samples {
    fn new(texts: &[&str]) -> Self {
        Self(Mutex::new((1..).zip(texts).map(|(n, text)| (n, format!("sample-{n}"), (*text).to_owned())).collect()))
    }

    fn delete_sample(&self, id: &str) {
        self.0.lock().unwrap().retain(|(_, of, _)| of != id);
    }
}

impl Source for Samples {
    fn kinds(&self) -> &'static [OwnerKind] {
        &[OwnerKind::Sample]
    }

    fn mark(&self, index: &str) -> String {
        format!("sample/{index}")
    }

    fn texts_after(&self, _: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
        let all = self.0.lock().unwrap();
        let after = all.iter().filter(|(own, ..)| *own > OwnerKind::own_row(row)).take(limit as usize);
        let text = |(own, id, text): &(i64, String, String)| IndexedText {
            row: OwnerKind::Sample.index_row(*own),
            id: id.clone(),
            project_id: book(),
            kind: OwnerKind::Sample,
            text: text.clone(),
        };
        Ok(after.map(text).collect())
    }

    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool> {
        Ok(self.count_after(db, row)? > 0)
    }

    fn count_after(&self, db: &Connection, row: i64) -> Result<u32> {
        Ok(u32::try_from(self.texts_after(db, row, u32::MAX)?.len()).unwrap())
    }

    fn count(&self, db: &Connection) -> Result<u32> {
        self.count_after(db, 0)
    }

    fn has_owner(&self, _: &Connection, row: i64, id: &str) -> Result<bool> {
        let own = OwnerKind::own_row(row);
        Ok(self.0.lock().unwrap().iter().any(|(at, of, _)| (*at, of.as_str()) == (own, id)))
    }
}

/// An encoder of letters that counts its calls, and refuses texts of more characters than its context has.
#[derive(Default)]
struct Letters {
    calls: Mutex<Vec<String>>,
    context_chars: Option<usize>,
}

impl Letters {
    fn call(&self, name: &str, pieces: usize) {
        self.calls.lock().unwrap().push(format!("{name} {pieces}"));
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        if self.context_chars.is_some_and(|most| text.chars().count() > most) {
            return Err(ModelErrorKind::ContextTooLong.into());
        }
        let mut vector = vec![0.0_f32; 64];
        text.chars().for_each(|c| vector[c as usize % 64] += 1.0);
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
        Ok(vector.into_iter().map(|value| value / length).collect())
    }
}

impl Embedder for Letters {
    fn model(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        64
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        self.vector(text)
    }

    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.call("all", texts.len());
        texts.iter().map(|text| self.vector(text)).collect()
    }

    fn embed_stretches(&self, text: &str, stretches: &[Range<usize>]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.call("stretches", stretches.len());
        stretches.iter().map(|range| self.vector(&text[range.clone()])).collect()
    }
}

fn book() -> ProjectId {
    "book".into()
}

struct Memory {
    db: Database,
    meaning: Meaning,
    frequencies: Frequencies,
    encoder: Arc<Letters>,
    _folder: tempfile::TempDir,
}

impl Memory {
    fn new(episodes: &[&str], encoder: Letters) -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        let db = Database::open(&folder.path().join("episodes.db"), Schema::Episodes).unwrap();
        let (meaning, encoder) = (Meaning::default(), Arc::new(encoder));
        meaning.encoders.set_bundled(Encoder::Ready(Arc::clone(&encoder) as _));
        let memory = Self { db, meaning, frequencies: Frequencies::default(), encoder, _folder: folder };
        memory.insert_episodes(1, episodes);
        memory
    }

    /// Inserts episodes with these texts, whose ids count from `first`.
    fn insert_episodes(&self, first: u32, texts: &[&str]) {
        let insert = |tx: &Tx<'_>| {
            for (n, text) in (first..).zip(texts) {
                tx.execute(
                    "INSERT INTO episodes (id, project_id, chapter_id, version, created_at, skill_used, input_context, \
                     candidates, selected_index, final_text, implicit, implicit_weight, importance) \
                     VALUES (?1, ?2, 'c', 1, 0, 's', '', '[\"a\"]', 0, ?3, 'neutral', 0, 0)",
                    params![format!("episode-{n}"), book(), text],
                )?;
            }
            Ok(())
        };
        self.db.write("test", insert).unwrap();
    }

    fn index_words(&self) {
        while word_index::catch_up(&self.db, &self.frequencies, EPISODES, 500).unwrap().more {}
    }

    /// Number of episodes with a term, and whether that is known in memory.
    fn frequency(&self, term: &str) -> (u32, bool) {
        let reader = self.db.reader().unwrap();
        let (kinds, project_id) = ([OwnerKind::Episode], book());
        let index = words::project_index(&reader, &project_id).unwrap().unwrap();
        let frequencies = self.frequencies.project_frequencies(&reader, &index, &kinds, &project_id).unwrap();
        let found = frequencies.of_term(&reader, terms::hash_term(term), term).unwrap();
        (found[OwnerKind::Episode], frequencies.are_in_memory())
    }

    fn remove_from_words(&self, row: i64) {
        self.db.write("test", |tx| words::delete(tx, &book(), row)).unwrap();
    }

    fn serving(&self) -> Serving {
        self.meaning.encoders.ready().unwrap()
    }

    fn index(&self, sources: &[&dyn Source]) {
        while word_index::catch_up(&self.db, &self.frequencies, sources, 3).unwrap().more {}
        while self.meaning.make(&self.db, &self.serving(), sources, 2).unwrap().more {}
    }

    /// The rows of a kind that share words with a text.
    fn with_words(&self, kind: OwnerKind, text: &str) -> BTreeSet<i64> {
        let reader = self.db.reader().unwrap();
        let index = words::project_index(&reader, &book()).unwrap().unwrap();
        let project_id = book();
        let frequencies = self.frequencies.project_frequencies(&reader, &index, &[kind], &project_id).unwrap();
        let terms: Vec<words::QueryTerm> = terms::query_terms(text)
            .into_iter()
            .map(|term| {
                let code = terms::hash_term(&term);
                let counted = frequencies.of_term(&reader, code, &term).unwrap();
                words::QueryTerm { term, frequencies: counted, rarity: 1.0 }
            })
            .collect();
        words::search(&reader, &index, kind, &terms, 100, |_| true).unwrap().into_iter().collect()
    }

    /// The rows of a kind with a vector in memory.
    fn with_vectors(&self, kind: OwnerKind) -> BTreeSet<i64> {
        let query = self.meaning.encode(&book(), OwnerKind::Episode, "雨夜").unwrap();
        let similar = self.meaning.compare(&self.db, &book(), kind, &query).unwrap().unwrap();
        similar.texts.into_iter().map(|one| one.row).collect()
    }

    /// The rows that a search of episodes finds, with the score of their words and their similarity.
    fn episodes(&self, text: &str) -> Vec<(i64, f64, f64)> {
        let reader = self.db.reader().unwrap();
        let vector = self.meaning.encode(&book(), OwnerKind::Episode, text).unwrap();
        let query =
            Query::new(&reader, &book(), &OwnerKind::OF_EPISODES, text, &self.frequencies, None).unwrap().unwrap();
        let mut found = Vec::new();
        for kind in OwnerKind::OF_EPISODES {
            let similar = self.meaning.compare(&self.db, &book(), kind, &vector).unwrap().unwrap();
            let mut rows = query.search(&reader, kind, 50, |_| true).unwrap();
            rows.extend(similar.texts.iter().map(|similar| similar.row));
            rows.sort_unstable();
            for row in rows {
                let score = words::with_codes(&reader, &book(), row, |codes| query.score(kind, codes)).unwrap();
                found.push((row, score.unwrap().share, resident::of_row(&similar.texts, row)));
            }
        }
        found
    }

    fn count(&self, select: &str) -> i64 {
        let reader = self.db.reader().unwrap();
        reader.query_row(&format!("SELECT count(*) FROM {select}"), [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn a_further_kind_is_indexed_searched_and_removed_apart_and_no_search_of_episodes_finds_it() {
    let memory = Memory::new(&["雨夜，手稿。灯灭了。", "雪停了。门开着。", "雨夜的码头。"], Letters::default());
    memory.index(EPISODES);
    let before = memory.episodes("雨夜的手稿");
    assert_eq!(before.iter().map(|(row, ..)| *row).collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3]));

    let samples = Samples::new(&["雨夜里的手稿。雨夜里的灯。", "雨夜。", "海上的风。", "要删的一句。"]);
    let sources: &[&dyn Source] = &[&Episodes, &samples];
    let rows = |rows: &[i64]| rows.iter().map(|row| OwnerKind::Sample.index_row(*row)).collect::<BTreeSet<_>>();
    assert!(word_index::is_behind(&memory.db.reader().unwrap(), sources).unwrap());
    memory.index(sources);
    assert!(!word_index::is_behind(&memory.db.reader().unwrap(), sources).unwrap());
    assert_eq!(memory.with_words(OwnerKind::Sample, "雨夜"), rows(&[1, 2]));
    assert_eq!(memory.with_vectors(OwnerKind::Sample), rows(&[1, 2, 3, 4]));

    // A search of episodes is the same to the last digit: rarity, lengths and vectors are those of episodes.
    assert_eq!(memory.episodes("雨夜的手稿"), before);
    assert_eq!(memory.with_words(OwnerKind::Episode, "雨夜"), BTreeSet::from([1, 3]));
    assert_eq!(memory.with_vectors(OwnerKind::Episode), BTreeSet::from([1, 2, 3]));
    assert!(
        Query::new(&memory.db.reader().unwrap(), &book(), &OwnerKind::OF_EPISODES, "海上风", &memory.frequencies, None)
            .unwrap()
            .is_none_or(|query| query
                .search(&memory.db.reader().unwrap(), OwnerKind::Episode, 9, |_| true)
                .unwrap()
                .is_empty())
    );
    let stats = |kind| words::project_index(&memory.db.reader().unwrap(), &book()).unwrap().unwrap().stats(kind);
    assert_eq!((stats(OwnerKind::Episode).documents, stats(OwnerKind::Sample).documents), (3, 4));

    // One is removed.
    let row = OwnerKind::Sample.index_row(2);
    samples.delete_sample("sample-2");
    memory
        .db
        .write("test", |tx| {
            words::delete(tx, &book(), row)?;
            vectors::delete(tx, &book(), &samples, "sample-2")
        })
        .unwrap();
    memory.meaning.remove_rows(&[row]);
    assert_eq!(memory.with_words(OwnerKind::Sample, "雨夜"), rows(&[1]));
    assert_eq!(memory.with_vectors(OwnerKind::Sample), rows(&[1, 3, 4]));
    assert_eq!((stats(OwnerKind::Episode).documents, stats(OwnerKind::Sample).documents), (3, 3));
    assert_eq!(memory.count("vectors WHERE owner_id = 'sample-2'"), 0);
    assert_eq!(memory.episodes("雨夜的手稿"), before);

    // All of it goes with the book.
    while memory.db.write("test", |tx| clear::erase_some(tx, Some(&book()), 2)).unwrap() {}
    for table in ["word_rows", "vectors", "index_stats", "project_keys"] {
        assert_eq!(memory.count(table), 0, "{table}");
    }
}

#[test]
fn terms_of_a_small_memory_are_counted_exactly_after_each_change() {
    let memory = Memory::new(&["雨夜，手稿。", "雪停了。"], Letters::default());
    memory.index_words();
    assert_eq!((memory.frequency("雨夜"), memory.frequency("码头")), ((1, true), (0, true)));
    memory.insert_episodes(3, &["雨夜的码头。"]);
    memory.index_words();
    assert_eq!((memory.frequency("雨夜"), memory.frequency("码头")), ((2, true), (1, true)));
    memory.remove_from_words(1);
    assert_eq!((memory.frequency("雨夜"), memory.frequency("手稿")), ((1, true), (0, true)));
}

#[test]
fn terms_of_a_large_memory_are_counted_by_the_index_until_they_are_read_in_the_background() {
    let texts: Vec<&str> = ["雨夜，手稿。", "雪停了。", "海上的风。"].into_iter().cycle().take(1_200).collect();
    let memory = Memory::new(&texts, Letters::default());
    memory.index_words();
    assert_eq!((memory.frequency("雨夜"), memory.frequency("码头")), ((400, false), (0, false)));
    assert!(memory.frequencies.wants_reading());
    assert!(memory.frequencies.load_requested_vocabulary(&memory.db).unwrap());
    assert!(!memory.frequencies.wants_reading());
    assert_eq!((memory.frequency("雨夜"), memory.frequency("码头")), ((400, true), (0, true)));

    // A text that came later counts at once.
    memory.insert_episodes(1_201, &["雨夜的码头。"]);
    memory.index_words();
    assert_eq!((memory.frequency("雨夜"), memory.frequency("码头")), ((401, true), (1, true)));

    // Removed texts count until an eighth of all are, and they are then read again in the background.
    (1..=200).for_each(|row| memory.remove_from_words(row));
    assert_eq!(memory.frequency("雨夜"), (401, true));
    assert!(memory.frequencies.wants_reading() && memory.frequencies.load_requested_vocabulary(&memory.db).unwrap());
    assert_eq!(memory.frequency("雨夜"), (334, true));

    // Nothing of a cleared project stays.
    while memory.db.write("test", |tx| clear::erase_some(tx, Some(&book()), 500)).unwrap() {}
    memory.frequencies.reset(Some(&book()));
    memory.insert_episodes(2_000, &texts[..1_100]);
    memory.index_words();
    assert_eq!(memory.frequency("码头"), (0, false));
}

/// A source whose owners were deleted while their texts were being indexed.
struct Deleted(Samples);

impl Source for Deleted {
    fn kinds(&self) -> &'static [OwnerKind] {
        self.0.kinds()
    }

    fn mark(&self, index: &str) -> String {
        self.0.mark(index)
    }

    fn texts_after(&self, db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
        self.0.texts_after(db, row, limit)
    }

    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool> {
        self.0.is_any_after(db, row)
    }

    fn count_after(&self, db: &Connection, row: i64) -> Result<u32> {
        self.0.count_after(db, row)
    }

    fn count(&self, db: &Connection) -> Result<u32> {
        self.0.count(db)
    }

    fn has_owner(&self, _: &Connection, _: i64, _: &str) -> Result<bool> {
        Ok(false)
    }
}

#[test]
fn an_owner_that_was_deleted_while_it_was_indexed_gets_no_rows() {
    let memory = Memory::new(&[], Letters::default());
    assert_eq!(memory.with_vectors(OwnerKind::Sample), BTreeSet::new(), "loaded, and empty");
    memory.index(&[&Deleted(Samples::new(&["雨夜。", "灯。"]))]);
    assert_eq!(memory.with_vectors(OwnerKind::Sample), BTreeSet::new());
    assert_eq!((memory.count("word_rows"), memory.count("vectors")), (0, 0));
    assert_eq!(memory.count("watermarks WHERE name IN ('sample/words-4', 'sample/vectors:letters')"), 2);
}

/// A text of this many sentences, the first one about something else.
fn session(sentences: usize) -> String {
    format!("绿色鲸鱼唱歌。{}", "他合上手稿看着雨。".repeat(sentences))
}

#[test]
fn words_see_the_beginning_of_a_text_of_a_hundred_thousand_characters() {
    let (short, long) = (session(11_000), session(12_000));
    assert!((90_000..100_000).contains(&short.chars().count()) && long.chars().count() > 100_000);
    let memory = Memory::new(&[&short, &long], Letters::default());
    memory.index(EPISODES);
    assert_eq!(memory.with_words(OwnerKind::Episode, "鲸鱼"), BTreeSet::from([1]));
}

#[test]
fn the_bundled_encoder_reads_each_text_once_in_blocks_of_about_four_thousand_characters() {
    let memory = Memory::new(&[&session(400), "一句。", &session(1_500)], Letters::default());
    memory.index(EPISODES);
    let calls = memory.encoder.calls.lock().unwrap().join(", ");
    assert_eq!(calls, "stretches 5, stretches 1, stretches 5, stretches 5, stretches 5, stretches 5");
    assert_eq!(memory.count("vectors WHERE owner_id = 'episode-3'"), 17, "the whole, and four windows a block");
    // The window at the beginning of a long text is among them.
    let whale = memory.meaning.encode(&book(), OwnerKind::Episode, "绿色鲸鱼唱歌。").unwrap();
    let similarity = |text: &str| {
        let memory = Memory::new(&[text], Letters::default());
        memory.index(EPISODES);
        memory.meaning.compare(&memory.db, &book(), OwnerKind::Episode, &whale).unwrap().unwrap().texts[0].cosine
    };
    let others = "他合上手稿看着雨。".repeat(1_500);
    assert!(similarity(&format!("{}{others}", "绿色鲸鱼唱歌。".repeat(120))) > similarity(&others) + 0.2);
}

#[test]
fn a_step_takes_no_further_text_after_sixteen_thousand_characters() {
    let memory = Memory::new(&[&session(1_000), &session(1_000), "一句。"], Letters::default());
    let step = || memory.meaning.make(&memory.db, &memory.serving(), EPISODES, 4).unwrap().indexed;
    assert_eq!([step(), step(), step()], [1, 2, 0]);
}

#[test]
fn a_remote_encoder_gets_one_request_for_all_texts_and_the_end_of_one_that_it_refuses() {
    let long = session(300);
    let remote = |memory: &Memory| {
        let mut serving = memory.serving();
        serving.remote = true;
        serving
    };
    let texts: &[&str] = &["雨停了。灯灭了。", &long, "一句。"];
    let memory = Memory::new(texts, Letters::default());
    memory.meaning.names.set_all(std::collections::HashMap::new());
    let step = memory.meaning.make(&memory.db, &remote(&memory), EPISODES, 1).unwrap();
    assert_eq!((step.indexed, memory.encoder.calls.lock().unwrap().clone()), (3, vec!["all 9".to_owned()]));

    let memory = Memory::new(texts, Letters { context_chars: Some(1_500), ..Letters::default() });
    memory.meaning.names.set_all(std::collections::HashMap::new());
    memory.meaning.make(&memory.db, &remote(&memory), EPISODES, 1).unwrap();
    assert_eq!(memory.count("vectors WHERE owner_id = 'episode-2'"), 5);
    assert_eq!(memory.with_vectors(OwnerKind::Episode), BTreeSet::from([1, 2, 3]));
}

/// A dictionary in which every query names one thing, with these translations.
struct Translations(&'static [&'static str]);

impl Translator for Translations {
    fn concepts(&self, _: &str) -> Vec<Concept> {
        vec![Concept { alternatives: self.0.iter().map(|term| vec![(*term).to_owned()]).collect() }]
    }
}

/// The word scores of the episodes for a query, in the order of the episodes.
fn word_scores(episodes: &[&str], query: &str, translator: Option<&dyn Translator>) -> Vec<f64> {
    let memory = Memory::new(episodes, Letters::default());
    memory.index(&[&Episodes]);
    let reader = memory.db.reader().unwrap();
    let query =
        Query::new(&reader, &book(), &OwnerKind::OF_EPISODES, query, &memory.frequencies, translator).unwrap().unwrap();
    let score = |row| words::with_codes(&reader, &book(), row, |codes| query.score(OwnerKind::Episode, codes));
    (1..=episodes.len()).map(|row| score(i64::try_from(row).unwrap()).unwrap().unwrap().share).collect()
}

#[test]
fn a_common_translation_takes_no_weight_from_a_rare_one() {
    let episodes = [
        "The letter lay on the table.",
        "Rain fell on the quay.",
        "他把书信放进抽屉。",
        "我不信他的话。",
        "没有人相信那个信号。",
        "他信步走过码头。",
    ];
    let alone = word_scores(&episodes, "a letter", Some(&Translations(&["书信"])));
    let both = word_scores(&episodes, "a letter", Some(&Translations(&["信", "书信"])));
    assert_eq!(alone[3..], [0.0; 3]);
    assert!(both[3] > 0.0);
    assert!((both[2] - alone[2]).abs() < 1e-9, "{alone:?} {both:?}");
    assert!(both[2] > both[3], "{both:?}");
    assert_eq!(word_scores(&episodes, "a letter", None)[2..], [0.0; 4]);
}

#[test]
fn a_word_that_the_index_divides_counts_and_does_not_disturb_the_search() {
    let memory = Memory::new(&["The writer's lamp, 3.14 of it.", "A lamp on the quay."], Letters::default());
    memory.index_words();
    let reader = memory.db.reader().unwrap();
    let query =
        Query::new(&reader, &book(), &OwnerKind::OF_EPISODES, "the writer's 3.14 lamp", &memory.frequencies, None)
            .unwrap()
            .unwrap();
    let found = query.search(&reader, OwnerKind::Episode, 9, |_| true).unwrap();
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([1, 2]));
    let score = |row| words::with_codes(&reader, &book(), row, |codes| query.score(OwnerKind::Episode, codes));
    assert!(score(1).unwrap().unwrap().share > 2.0 * score(2).unwrap().unwrap().share);
}

#[test]
fn of_a_long_query_the_last_terms_are_weighed() {
    let filler: String = ('\u{4e10}'..'\u{5f10}').collect();
    let scores = word_scores(&["灯塔", "渡船"], &format!("灯塔。{filler}。渡船"), None);
    assert_eq!(scores[0], 0.0);
    assert!(scores[1] > 0.0);
}

/// Calls `check` with the word scores of any text for a query, in a book with these episodes.
fn with_scores(episodes: &[&str], query: &str, check: impl Fn(&dyn Fn(&str) -> WordScore)) {
    let memory = Memory::new(episodes, Letters::default());
    memory.index(&[&Episodes]);
    let reader = memory.db.reader().unwrap();
    let query =
        Query::new(&reader, &book(), &OwnerKind::OF_EPISODES, query, &memory.frequencies, None).unwrap().unwrap();
    check(&|text| {
        query.score(OwnerKind::Episode, &mut terms::index_terms(text).iter().map(|term| terms::hash_term(term)))
    });
}

const QUAY: [&str; 4] = ["The duel in the fog.", "A lamp on the quay.", "A bride on the quay.", "镜子后面有一间密室。"];

#[test]
fn a_text_with_one_of_two_typed_words_counts_less_beside_meaning_than_one_with_both() {
    with_scores(&QUAY, "fog on the quay", |score| {
        let (both, one) = (score("Fog lay on the quay."), score("Fog, and more fog."));
        assert!(one.search_share > 0.0 && one.search_share < both.search_share, "{one:?} {both:?}");
        let (kept_of_one, kept_of_both) = (one.search_share / one.share, both.search_share / both.share);
        assert!(kept_of_one < 0.8 * kept_of_both, "{one:?} {both:?}");
    });
    // The words of a longer query count as before, and those of a Chinese one.
    for (query, text) in
        [("the bride and the lamp on the quay, the duel in the fog", "Fog, and more fog."), ("镜后密室", "镜子碎了。")]
    {
        with_scores(&QUAY, query, |score| {
            let one = score(text);
            assert!(one.share > 0.0 && (one.search_share - one.share).abs() < f64::EPSILON, "{query}: {one:?}");
        });
    }
}

#[test]
fn the_words_of_a_typed_query_never_count_more_than_their_share_and_each_more_of_them_counts() {
    with_scores(&QUAY, "fog duel", |score| {
        proptest!(|(words in prop::collection::vec(prop::sample::select(&["fog", "duel", "lamp"][..]), 0..12))| {
            let text = words.join(" ");
            let score_of_text = score(&text);
            prop_assert!(score_of_text.search_share <= score_of_text.share);
            prop_assert_eq!(score_of_text.search_share > 0.0, text.contains("fog") || text.contains("duel"));
            let (fog, both) = (score(&text.replace("duel", "lamp")), score(&text));
            prop_assert!(both.search_share >= fog.search_share);
        });
    });
}
