//! The plainer prompt of a second try: the text, and the task in a sentence, as one says it to a person.

use palimpsest_text::tokens;

use super::{labels, render};
use crate::{
    model::{AssembledContext, Language},
    ports::{Message, Role},
};

/// Maximum tokens of the text before the position in a plainer prompt.
const MAX_PLAIN_BEFORE: usize = 500;

/// The task of one of the program's own skills in a sentence; `None` for a skill of the writer's.
fn task_sentence(language: Language, skill: &str) -> Option<&'static str> {
    Some(match skill {
        "continue" => labels::pick(
            language,
            "从正文的最后一句接着往下写，人称和时态不变，写一百五十字左右。只写后面的正文，不重复已有的文字。",
            "Go on from the last sentence of the text, in the same person and tense, about 120 words. Write only what \
             comes next, and repeat nothing that is there already.",
        ),
        "polish" => labels::pick(
            language,
            "把选中的文字润色一遍，意思和长度不变。只写润色后的文字。",
            "Polish the selected text; keep its meaning and its length. Write only the polished text.",
        ),
        "rewrite" => labels::pick(
            language,
            "把选中的文字换一种写法，事情不变，长度差不多。只写改写后的文字。",
            "Write the selected text in another way: the same events, about the same length. Write only the new text.",
        ),
        "expand" => labels::pick(
            language,
            "把选中的文字写得更细，长度约为两倍。只写扩写后的文字。",
            "Write the selected text in more detail, about twice as long. Write only the expanded text.",
        ),
        "condense" => labels::pick(
            language,
            "把选中的文字写得更短，长度约为一半。只写缩写后的文字。",
            "Write the selected text more briefly, about half as long. Write only the condensed text.",
        ),
        _ => return None,
    })
}

/// The prompt for a second try after a draft that cannot be used: the text and the task, without memories, tags and
/// rules, which small models repeat. `None` for a skill of the writer's, whose task has no sentence, and without a
/// text.
#[must_use]
pub fn plainer_prompt(context: &AssembledContext, skill: &str) -> Option<AssembledContext> {
    let language = context.language;
    let task = task_sentence(language, skill)?;
    let prompt = &context.messages.iter().rev().find(|message| message.role == Role::User)?.content;
    // The names in it are hidden already, and its texts cannot look like tags.
    let text_of = |tag| render::section_in(prompt, tag).unwrap_or_default();
    let (before, selection, instruction) = (text_of("before"), text_of("selection"), text_of("wish"));
    let text = match skill {
        "continue" => [before, selection].concat(),
        _ => selection.to_owned(),
    };
    if text.trim().is_empty() {
        return None;
    }
    let text = tokens::truncate_start(&text, MAX_PLAIN_BEFORE.max(tokens::count(selection)));
    let wish = match (instruction, language) {
        ("", _) => String::new(),
        (words, Language::Zh) => format!("作者的要求：{words}\n"),
        (words, Language::En) => format!("The author's wish: {words}\n"),
    };
    let system = labels::pick(
        language,
        "你替小说作者写小说。用中文写，只写小说的正文。",
        "You write fiction for a novelist, in English. Write only the text of the novel.",
    );
    let user = format!("{text}\n\n{wish}{task}");
    let total_tokens = tokens::count(system) + tokens::count(&user);
    Some(AssembledContext {
        layers: Vec::new(),
        references: Vec::new(),
        cut: Vec::new(),
        messages: vec![
            Message { role: Role::System, content: system.into() },
            Message { role: Role::User, content: user },
        ],
        total_tokens: u32::try_from(total_tokens).unwrap_or(u32::MAX),
        ..context.clone()
    })
}
