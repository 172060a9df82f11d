//! The words of a page in both languages, and the words for kinds of entities in lorebooks.

use crate::model::{Certainty, EntityKind, Language, Visibility};

/// A word in Chinese and English.
pub(super) type Word = (&'static str, &'static str);

/// Each kind in its order on the page, with its heading and with other words for it.
pub(super) const KINDS: [(EntityKind, Word, &[&str]); 7] = [
    (EntityKind::Character, ("人物", "Characters"), &["character", "person", "people", "npc", "persona", "角色"]),
    (EntityKind::Place, ("地方", "Places"), &["place", "location", "locations", "地点", "场景"]),
    (EntityKind::Thing, ("东西", "Things"), &["thing", "object", "objects", "item", "items", "物品", "道具"]),
    (
        EntityKind::Faction,
        ("家族与组织", "Factions"),
        &[
            "势力",
            "家族或组织",
            "faction",
            "group",
            "groups",
            "organization",
            "organizations",
            "organisation",
            "race",
            "组织",
            "家族",
        ],
    ),
    (EntityKind::Thread, ("线索", "Threads"), &["thread", "subplot", "subplots", "plot", "伏笔"]),
    (
        EntityKind::WorldRule,
        ("世界的规矩", "Rules of the world"),
        &["规矩", "规则", "worldrule", "rule", "rules", "lore", "world", "magic", "设定", "世界观", "世界规则"],
    ),
    (EntityKind::Event, ("事件", "Events"), &["event", "history", "大事"]),
];

pub(super) const TITLE: Word = ("故事设定", "The story");
pub(super) const ALSO: Word = ("也叫", "also");
pub(super) const NAMED: Word = ("书里叫", "named in the text");
pub(super) const PINNED: Word = ("钉住", "pinned");

/// The words that say when models are given an entity.
pub(super) const VISIBILITIES: [(Visibility, Word); 3] = [
    (Visibility::AsOf, ("到光标为止带给模型", "given to models up to the caret")),
    (Visibility::Always, ("总是带给模型", "always given to models")),
    (Visibility::Hidden, ("从不带给模型", "never given to models")),
];

pub(super) const CERTAINTIES: [(Certainty, Word); 4] = [
    (Certainty::Told, ("书里写明", "the book says so")),
    (Certainty::Said, ("有人说", "someone says so")),
    (Certainty::Believed, ("有人以为", "someone believes so")),
    (Certainty::Planned, ("打算，还没写", "planned, not written yet")),
];

/// A detail of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Certainty,
    Object,
    Chapter,
    From,
    Until,
    Knowers,
    Before,
}

pub(super) const DETAILS: [(Detail, Word); 7] = [
    (Detail::Certainty, ("有多确定", "certainty")),
    (Detail::Object, ("关联", "related to")),
    (Detail::Chapter, ("读到", "known from")),
    (Detail::From, ("从", "from")),
    (Detail::Until, ("到", "until")),
    (Detail::Knowers, ("知道的", "known to")),
    (Detail::Before, ("起先", "at first")),
];

pub(super) fn word((zh, en): Word, language: Language) -> &'static str {
    match language {
        Language::Zh => zh,
        Language::En => en,
    }
}

/// Whether a text is a word in either language.
pub(super) fn is_word((zh, en): Word, text: &str) -> bool {
    zh == text || en.eq_ignore_ascii_case(text)
}

pub(super) fn detail_of(text: &str) -> Option<Detail> {
    DETAILS.iter().find(|(_, word)| is_word(*word, text)).map(|(detail, _)| *detail)
}

pub(super) fn detail_word(detail: Detail, language: Language) -> &'static str {
    DETAILS.iter().find(|(one, _)| *one == detail).map_or("", |(_, one)| word(*one, language))
}

/// The kind that a heading or a field of a lorebook says.
pub(super) fn kind_of_word(text: &str) -> Option<EntityKind> {
    let text = text.trim().to_lowercase();
    let is = |(_, (zh, en), others): &&(EntityKind, Word, &[&str])| {
        *zh == text || en.to_lowercase() == text || others.contains(&text.as_str())
    };
    KINDS.iter().find(is).map(|(kind, ..)| *kind)
}

/// The word for a kind that is the same in all languages.
pub(super) fn kind_id(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Character => "character",
        EntityKind::Place => "place",
        EntityKind::Thing => "thing",
        EntityKind::Faction => "faction",
        EntityKind::Thread => "thread",
        EntityKind::WorldRule => "worldRule",
        EntityKind::Event => "event",
    }
}

/// The words for the number of a chapter, in brackets behind a name or a quote.
pub(super) fn chapter_words(number: u32, language: Language) -> String {
    match language {
        Language::Zh => format!("第 {number} 章"),
        Language::En => format!("chapter {number}"),
    }
}

/// The number of a chapter that words say.
pub(super) fn chapter_of(words: &str) -> Option<u32> {
    let words = words.trim();
    let zh = words.strip_prefix('第').and_then(|rest| rest.strip_suffix('章'));
    let en = words.to_lowercase();
    let en = en.strip_prefix("chapter ").or_else(|| en.strip_prefix("ch. ")).map(str::to_owned);
    zh.map(str::to_owned).or(en)?.trim().parse().ok().filter(|number| *number > 0)
}
