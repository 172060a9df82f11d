//! The corpora, and the tables that are measured on each. Tables of the same texts share an opened memory.

use std::path::Path;

use crate::{
    events::{self, List, Size},
    long,
    memory::{Ask, BOX, DEEP},
    prompts::{self, Prompts},
    sets::{self, Query, Set, Text},
    short,
};

/// Names of sets for the command line.
pub const NAMES: [&str; 9] = [
    "fairytale_instory",
    "fairytale_all",
    "cmrc2018_dev",
    "madial_en",
    "long",
    "short",
    "events",
    "more_events",
    "prompts",
];

/// The kind of a table.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Recall,
    Short,
    Prompt,
}

/// Queries that are reported together.
pub struct Table {
    pub kind: Kind,
    pub title: String,
    pub ask: Ask,
    pub queries: Vec<Query>,
}

impl Table {
    fn new(kind: Kind, title: &str, queries: Vec<Query>) -> Self {
        let ask = match kind {
            Kind::Recall => DEEP,
            Kind::Short => BOX,
            Kind::Prompt => Ask::Prompt,
        };
        Self { kind, title: title.to_owned(), ask, queries }
    }

    /// Whether an answer has so many texts that they can be put into another order.
    pub fn has_deep_answers(&self) -> bool {
        self.ask == DEEP
    }
}

/// Changes of a memory, and the tables that are measured after them.
#[derive(Default)]
pub struct Phase {
    /// Ids of texts.
    pub deleted: Vec<String>,
    pub texts: Vec<Text>,
    pub tables: Vec<Table>,
}

/// The phases of one memory.
pub struct Corpus {
    pub phases: Vec<Phase>,
}

impl Corpus {
    fn of(texts: Vec<Text>, tables: Vec<Table>) -> Option<Self> {
        (!tables.is_empty()).then(|| Self { phases: vec![Phase { texts, tables, ..Phase::default() }] })
    }

    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.phases.iter().flat_map(|phase| &phase.tables)
    }
}

/// Whether a set was asked for by its name.
type IsWanted<'a> = &'a dyn Fn(&str) -> bool;
/// Reads a corpus; `None` when none of its tables is wanted.
type Read = fn(&Path, IsWanted<'_>) -> Result<Option<Corpus>, String>;

/// All corpora, with their titles.
pub const CORPORA: [(&str, Read); 9] = [
    ("FairytaleQA, one story", |data, wanted| public(data, wanted, "fairytale_instory", "FairytaleQA, one story")),
    ("FairytaleQA, over all", |data, wanted| public(data, wanted, "fairytale_all", "FairytaleQA, over all")),
    ("CMRC 2018 (zh)", |data, wanted| public(data, wanted, "cmrc2018_dev", "CMRC 2018 (zh)")),
    ("MADial-Bench (en)", |data, wanted| public(data, wanted, "madial_en", "MADial-Bench (en)")),
    ("long texts", long_texts),
    ("sixty events", |data, wanted| if wanted("events") { sixty_events(data, List::First) } else { Ok(None) }),
    (
        "sixty more events",
        |data, wanted| {
            if wanted("more_events") { sixty_events(data, List::Second) } else { Ok(None) }
        },
    ),
    ("prompts (en)", |data, wanted| {
        let stories = || Ok(prompts::stories_of(&sets::read(data, "fairytale_all")?));
        examples(wanted, "FairytaleQA (en)", &stories)
    }),
    ("prompts (zh)", |data, wanted| {
        let stories = || Ok(prompts::works_of(&sets::chapters(data, "zh")?));
        examples(wanted, "Lu Xun (zh)", &stories)
    }),
];

/// A public set, with short queries made from its questions where they are short enough.
fn public(data: &Path, wanted: IsWanted<'_>, name: &str, title: &str) -> Result<Option<Corpus>, String> {
    let short: Option<fn(&Set) -> Vec<Query>> = match name {
        "fairytale_instory" | "fairytale_all" => Some(short::of_words),
        "cmrc2018_dev" => Some(short::of_phrases),
        _ => None,
    };
    let short = short.filter(|_| wanted("short"));
    if short.is_none() && !wanted(name) {
        return Ok(None);
    }
    let set = sets::read(data, name)?;
    let mut tables = Vec::new();
    if let Some(short) = short {
        tables.push(Table::new(Kind::Short, &format!("key words: {title}"), short(&set)));
    }
    if wanted(name) {
        tables.push(Table::new(Kind::Recall, title, set.queries));
    }
    Ok(Corpus::of(set.texts, tables))
}

fn long_texts(data: &Path, wanted: IsWanted<'_>) -> Result<Option<Corpus>, String> {
    if !wanted("long") {
        return Ok(None);
    }
    let stories = long::of_stories(&sets::read(data, "fairytale_all")?, "stories");
    let articles = long::of_articles(&sets::read(data, "cmrc2018_dev")?, "articles");
    // A third of the many questions is enough for a figure.
    let some = articles.queries.into_iter().step_by(3).collect();
    let tables = vec![
        Table::new(Kind::Recall, &format!("long: FairytaleQA, {} sessions", stories.texts.len()), stories.queries),
        Table::new(Kind::Recall, &format!("long: CMRC (zh), {} sessions", articles.texts.len()), some),
    ];
    Ok(Corpus::of([stories.texts, articles.texts].concat(), tables))
}

fn sixty_events(data: &Path, list: List) -> Result<Option<Corpus>, String> {
    let name = match list {
        List::First => "",
        List::Second => "second list: ",
    };
    // Within a language, and across.
    let tables = |to: &str, size: Size, book: &str| {
        let across = if to == "zh" { "en" } else { "zh" };
        let table = |from: &str| {
            let title = format!("{name}{from} → {to}, {book}");
            Table::new(Kind::Short, &title, events::queries(list, from, to, size))
        };
        vec![table(to), table(across)]
    };
    let of_language = |language: &str| {
        let texts = [
            events::texts(list, language, Size::Ten),
            events::texts(list, language, Size::Large),
            events::others(data, list, language, Size::Large)?,
        ];
        let others = texts[2].len();
        let ten = tables(language, Size::Ten, "ten episodes");
        let large = tables(language, Size::Large, &format!("among {others} {language}"));
        Ok::<_, String>(Phase {
            texts: texts.concat(),
            tables: ten.into_iter().chain(large).collect(),
            ..Phase::default()
        })
    };
    let (chinese, english) = (of_language("zh")?, of_language("en")?);
    let added = events::others(data, list, "zh", Size::Mixed)?;
    let count = added.len() + events::others(data, list, "en", Size::Mixed)?.len();
    let mixed = format!("among {count} zh and en");
    let with_english = Phase { texts: added, tables: tables("en", Size::Mixed, &mixed), ..Phase::default() };
    let with_chinese = Phase {
        deleted: events::texts(list, "en", Size::Mixed).into_iter().map(|text| text.id).collect(),
        texts: events::texts(list, "zh", Size::Mixed),
        tables: tables("zh", Size::Mixed, &mixed),
    };
    Ok(Some(Corpus { phases: vec![chinese, english, with_english, with_chinese] }))
}

fn examples(
    wanted: IsWanted<'_>,
    title: &str,
    stories: &dyn Fn() -> Result<Vec<Vec<String>>, String>,
) -> Result<Option<Corpus>, String> {
    if !wanted("prompts") {
        return Ok(None);
    }
    let Prompts { texts, several, one, nothing } = Prompts::new(title, stories()?);
    let tables = [("several stories", several), ("one relevant among many", one), ("nothing to find", nothing)]
        .map(|(what, queries)| Table::new(Kind::Prompt, &format!("{title}, {what}"), queries));
    Ok(Corpus::of(texts, tables.into()))
}
