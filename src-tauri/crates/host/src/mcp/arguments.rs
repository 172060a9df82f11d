//! The arguments of the tools. Fields have the names of the commands that they become arguments of.

use rmcp::{model::JsonObject, schemars::JsonSchema};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::results::{Refusal, into_fields};

/// The position that is behind the end of every chapter.
const CHAPTER_END: u32 = u32::MAX;

/// Parses the arguments of a tool. A refusal names the field, never its value, which may be the writer's text.
pub(super) fn parse<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.inner().to_string();
        // A missing field is named by the message alone, and its name is one of ours.
        match message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
            Some(field) if path == "." => Refusal::argument(field, "missing"),
            Some(field) => Refusal::argument(&format!("{path}.{field}"), "missing"),
            None if message.starts_with("unknown field") => Refusal::argument("arguments", "unknown field"),
            None => Refusal::argument(if path == "." { "arguments" } else { &path }, "not of the form in the schema"),
        }
    })
}

/// Arguments as those of a command: fields that are not given are left out.
pub(super) fn to_fields(arguments: &impl Serialize) -> JsonObject {
    let mut fields = into_fields(json!(arguments));
    fields.retain(|_, value| !value.is_null());
    fields
}

/// A position as the argument `at` of a command: the end of the chapter, if there is no offset.
pub(super) fn set_position(fields: &mut JsonObject) {
    let (chapter, offset) = (fields.remove("chapterId"), fields.remove("offset"));
    if let Some(chapter) = chapter {
        let offset = offset.unwrap_or_else(|| CHAPTER_END.into());
        fields.insert("at".to_owned(), json!({ "chapterId": chapter, "offset": offset }));
    }
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $($(#[$doc])*
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[schemars(crate = "rmcp::schemars")]
        pub(super) struct $name { $($(#[$field_doc])* pub(super) $field: $type,)* })*
    };
}

arguments! {
    NoArguments {}

    RecallEpisodes {
        /// A passage or a description of it, at most 400,000 bytes; its last part counts.
        query_text: String,
        /// Only episodes of this scene type, such as `dialogue`.
        scene_type: Option<String>,
        /// Only episodes of this skill, such as `continue`.
        skill_used: Option<String>,
        /// 1 to 50; default 8.
        limit: Option<u32>,
    }

    ListRules {
        /// Leaves out rules for other scene types.
        scene_type: Option<String>,
        /// Leaves out rules for other skills.
        skill_used: Option<String>,
    }

    PromptContext {
        /// Id of the chapter.
        chapter_id: String,
        /// The text before the caret or the selection, at most 400,000 bytes; its end counts.
        before: String,
        /// The text after, at most 400,000 bytes; its beginning counts.
        after: Option<String>,
        /// The selected text, at most 100,000 bytes.
        selection: Option<String>,
        /// The skill to run. Default `continue`.
        skill: Option<String>,
        /// The kind of scene; guessed from the passage by default.
        scene_type: Option<String>,
        /// The writer's instruction for this run, at most 10,000 bytes.
        instruction: Option<String>,
        /// The whole prompt, 1,000 to 200,000 tokens; default 6,000.
        budget_tokens: Option<u32>,
        /// The position of the end of `before` in its chapter, in UTF-16 code units. Default: the length of `before`.
        offset: Option<u32>,
    }

    RecordEpisode {
        /// Id of the chapter, 1 to 200 characters.
        chapter_id: String,
        /// The skill that was asked for, such as `continue`, 1 to 40 characters.
        skill_used: String,
        /// The kind of scene, 1 to 40 characters.
        scene_type: Option<String>,
        /// The text before, at most 100,000 bytes; may be empty.
        input_context: String,
        /// The drafts in the order in which they were shown, at most 16.
        candidates: Vec<String>,
        /// Index of the draft that the writer took; -1 if all were rejected.
        selected_index: i32,
        /// The text as it is in the chapter after the writer's edits; empty if all were rejected.
        final_text: String,
        /// The writer's remark in words, at most 10,000 bytes.
        explicit: Option<String>,
    }

    StoryCard {
        /// The name of a character, place or thing, in any form that the book has.
        name: Option<String>,
        /// Its id, instead of the name.
        entity_id: Option<String>,
        /// The card is as of the end of this chapter, without an influence of later text. Default: the whole book.
        chapter_id: Option<String>,
        /// As of this offset in the chapter, in UTF-16 code units, instead of its end.
        offset: Option<u32>,
    }

    FindInBook {
        /// Words, or a description of the passage, also in the other language.
        query_text: String,
        /// 1 to 50; default 8.
        limit: Option<u32>,
    }

    AskBook {
        /// 1 to 10,000 bytes.
        question: String,
        /// The book is known up to the end of this chapter. Default: the whole book.
        chapter_id: Option<String>,
        /// Up to this offset in the chapter, in UTF-16 code units, instead of its end.
        offset: Option<u32>,
        /// True to ask although an answer to the same question is kept. Default false.
        fresh: Option<bool>,
        /// True to ask no model: the result has the passages that bear on the question. Default false.
        only_book: Option<bool>,
    }

    SearchAnswers {
        /// A question, 1 to 10,000 bytes.
        query: String,
        /// 1 to 50; default 6.
        limit: Option<u32>,
        /// Only answers of these kinds.
        kinds: Option<Vec<AnswerKind>>,
        /// Lowest validation level, 0 to 3; default 0.
        min_level: Option<u8>,
    }

    PrepareAnswer {
        /// The question, 1 to 10,000 bytes.
        query: String,
        /// Its subject. Default `research`.
        kind: Option<AnswerKind>,
        /// Answers that rest on text after the end of this chapter are left out.
        chapter_id: Option<String>,
        /// After this offset in the chapter, in UTF-16 code units, instead of its end.
        offset: Option<u32>,
    }

    CompleteAnswer {
        /// `runId` of the result of prepare_answer.
        run_id: String,
        /// The answer, at most 100,000 bytes; may be empty.
        answer: String,
        /// 0 if the run went well.
        exit_code: i32,
        /// Sentences of the book that say so, at most 8. An answer about the book is kept only with one.
        citations: Option<Vec<Citation>>,
        /// True if the answer says that something is not in the book.
        not_in_book: Option<bool>,
    }

    /// A sentence of the book.
    Citation {
        /// Id of the chapter.
        chapter_id: String,
        /// The words as the chapter has them, 1 to 500 characters.
        quote: String,
        /// Where the words begin in the chapter, in UTF-16 code units; the nearest place counts. Default 0.
        #[serde(default)]
        from: u32,
    }

    RecallJournal {
        /// A description of the information that is needed.
        query: String,
        /// 1 to 50; default 5.
        top_k: Option<u32>,
        /// Only entries of this kind.
        kind: Option<JournalKind>,
    }

    StoreJournalEntry {
        /// The action and its outcome, 1 to 1,200 characters. An entry can never be changed.
        content: String,
        /// Default `note`.
        kind: Option<JournalKind>,
    }
}

/// The subject of a question: `canon` is the book.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "rmcp::schemars")]
pub(super) enum AnswerKind {
    Canon,
    Research,
    Craft,
    Decision,
    Task,
}

/// The kind of the event that an entry is about.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "rmcp::schemars")]
pub(super) enum JournalKind {
    Skill,
    Ask,
    Study,
    Session,
    Note,
}
