//! Neutralizes control words of chat templates.
//!
//! A server turns some strings of a prompt into control tokens, from any source: `<|im_end|>` inside a passage ends the
//! user's turn. [`neutralize`] replaces one character of each such string by a look-alike that no template uses. Most
//! control words share a form, which is a rule here (`<|`, `|>`, `<a_b>`); the others are listed in [`TAG_WORDS`],
//! [`BRACKET_WORDS`] and [`LITERALS`] with their sources.
//!
//! Words are compared without case, in compatibility form (NFKD), and without unseen characters: a model may read
//! `＜|im_end|>` or a word with a zero-width space in it as the control word.
//!
//! Invariant: after [`neutralize`] no control word is left in the text, nor in any part of it.

use crate::{fold::fold, unseen};

/// The tags of sections in the prompts of this program.
pub const PROMPT_TAGS: [&str; 15] = [
    "settings",
    "background",
    "story",
    "past",
    "book",
    "journal",
    "answers",
    "found",
    "steps",
    "question",
    "working",
    "before",
    "selection",
    "after",
    "wish",
];

/// Replaces `<`.
const LESS_SUBSTITUTE: char = '‹';
/// Replaces `>`.
const GREATER_SUBSTITUTE: char = '›';
/// Replaces `[`.
const BRACKET_SUBSTITUTE: char = '⟦';
/// Length of the longest control word, in folded characters.
const MAX_WORD_CHARS: usize = 40;

/// Words that are control words as `<word>` or `</word>` and have neither `_` nor `:` in them. (With one of these,
/// every `<word>` is: Gemma `<start_of_turn>`, Command R `<BOS_TOKEN>`, T5 `<extra_id_0>`, Seed-OSS `<seed:bos>`,
/// Qwen `<tool_call>`.)
const TAG_WORDS: &[(&str, &[&str])] = &[
    (
        "Llama 2, Mistral, Phi-3, Yi: tokenizer.model (SentencePiece defaults)",
        &["s", "unk", "pad", "bos", "eos", "cls", "sep", "mask"],
    ),
    ("Llama 2: llama/generation.py, B_SYS and E_SYS", &["sys"]),
    ("DeepSeek-R1, Qwen3, GLM-4.5, SmolLM3: chat_template in tokenizer_config.json", &["think", "thinking", "answer"]),
    ("ChatGLM, GLM-4: tokenization_chatglm.py", &["sop", "eop", "eod", "gmask", "smask"]),
    ("InternLM: tokenizer_config.json", &["eoh", "eoa", "eot", "eosys", "eom"]),
    ("MiniCPM: chat_template in tokenizer_config.json", &["用户", "ai"]),
    ("Nemotron: chat_template in tokenizer_config.json", &["toolcall"]),
];

/// Words that are control words as `[WORD]` or `[/WORD]` and have no `_` in them. (With one, every `[WORD]` of these
/// models is: Mistral `[TOOL_CALLS]`, `[AVAILABLE_TOOLS]`, `[SYSTEM_PROMPT]`, `[control_8]`.)
const BRACKET_WORDS: &[(&str, &[&str])] = &[
    ("Llama 2: llama/generation.py; Mistral: mistral-common, tokens/tokenizers/base.py", &["inst", "sys"]),
    (
        "Mistral v7 to v13: mistral-common, tokens/tokenizers/base.py (SpecialTokens)",
        &["args", "think", "prefix", "middle", "suffix", "img", "imgbreak", "imgend", "audio"],
    ),
    ("ChatGLM, GLM-4: tokenization_chatglm.py", &["gmask", "smask", "mask"]),
    ("BERT, ERNIE, Kimi: tokenizer_config.json", &["cls", "sep", "pad", "unk", "bos", "eos", "eot", "eod"]),
];

/// Control words of other forms. The first character with a look-alike is replaced.
const LITERALS: &[(&str, &[&str])] = &[
    ("Kimi-VL: chat_template in tokenizer_config.json", &["◁think▷", "◁/think▷"]),
    ("MiniMax-M2: tokenizer_config.json", &["]~!b[", "]~b]", "[e~["]),
    (
        "Falcon: tokenizer_config.json",
        &[
            ">>title<<",
            ">>abstract<<",
            ">>introduction<<",
            ">>summary<<",
            ">>comment<<",
            ">>answer<<",
            ">>question<<",
            ">>domain<<",
            ">>prefix<<",
            ">>suffix<<",
            ">>middle<<",
        ],
    ),
];

/// The next folded characters of a text, at most [`MAX_WORD_CHARS`].
struct Lookahead {
    chars: Vec<char>,
}

impl Lookahead {
    fn new(rest: &str) -> Self {
        let mut chars: Vec<char> = Vec::with_capacity(MAX_WORD_CHARS);
        for c in rest.chars().filter(|c| !unseen::is_unseen(*c)) {
            // White space and slashes in a row are one character here: any number of them may come before a word.
            if let Some(last @ (' ' | '/')) = chars.last_mut()
                && (c.is_whitespace() || fold_first(c) == Some('/'))
            {
                if !c.is_whitespace() {
                    *last = '/';
                }
                continue;
            }
            fold(c, |part| chars.push(if part.is_whitespace() { ' ' } else { part }));
            if chars.len() >= MAX_WORD_CHARS {
                break;
            }
        }
        Self { chars }
    }

    fn starts_with(&self, word: &str) -> bool {
        let mut chars = self.chars.iter();
        word.chars().all(|c| chars.next() == Some(&c))
    }

    /// The characters up to `end`, without a leading slash; `None` without an `end`.
    fn word(&self, end: char) -> Option<&[char]> {
        let chars = self.chars.strip_prefix(&['/']).unwrap_or(&self.chars);
        let length = chars.iter().position(|c| *c == end)?;
        chars.get(..length).filter(|word| !word.is_empty())
    }
}

fn is_listed(table: &[(&str, &[&str])], word: &[char]) -> bool {
    table.iter().flat_map(|(_, words)| words.iter()).any(|one| one.chars().eq(word.iter().copied()))
}

/// Whether a word has the form of a control token's name: letters and digits, with at least one of `joints` between
/// them.
fn is_token_name(word: &[char], joints: &[char]) -> bool {
    let is_part = |c: &char| c.is_alphanumeric() || joints.contains(c) || matches!(c, '-' | '.');
    word.iter().all(is_part) && word.iter().any(|c| joints.contains(c))
}

/// A byte of a SentencePiece vocabulary (`0x0a` in `<0x0A>`).
fn is_byte(word: &[char]) -> bool {
    matches!(word, ['0', 'x', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// The look-alike for a character whose folded form is `folded`, given the characters after it; `None` if it may stay.
/// `tags`: words of tags that must not be opened or closed either, with any text after the word.
fn replacement(folded: char, ahead: &Lookahead, tags: &[&str]) -> Option<char> {
    let is_literal = |first: char| {
        let words = LITERALS.iter().flat_map(|(_, words)| words.iter());
        words.filter_map(|word| word.strip_prefix(first)).any(|rest| ahead.starts_with(rest))
    };
    match folded {
        '<' => {
            let is_control = ahead.chars.first() == Some(&'|')
                || ahead.word('>').is_some_and(|word| {
                    is_listed(TAG_WORDS, word) || is_token_name(word, &['_', ':', '▁']) || is_byte(word)
                });
            (is_control || opens_tag(ahead, tags)).then_some(LESS_SUBSTITUTE)
        }
        '[' => {
            let is_control =
                ahead.word(']').is_some_and(|word| is_listed(BRACKET_WORDS, word) || is_token_name(word, &['_']));
            (is_control || is_literal('[')).then_some(BRACKET_SUBSTITUTE)
        }
        '>' => is_literal('>').then_some(GREATER_SUBSTITUTE),
        ']' => is_literal(']').then_some('⟧'),
        '◁' => is_literal('◁').then_some('◃'),
        _ => None,
    }
}

/// Whether a text begins with one of these words (lower case), after white space and slashes, in any look-alike form.
#[must_use]
pub fn begins_with(text: &str, words: &[&str]) -> bool {
    opens_tag(&Lookahead::new(text), words)
}

fn opens_tag(ahead: &Lookahead, tags: &[&str]) -> bool {
    let chars = ahead.chars.strip_prefix(&[' ']).or_else(|| ahead.chars.strip_prefix(&['/'])).unwrap_or(&ahead.chars);
    tags.iter()
        .any(|tag| tag.chars().count() <= chars.len() && tag.chars().zip(chars).all(|(one, other)| one == *other))
}

/// Replaces one character of each control word by a look-alike, so that the text holds no control word and can neither
/// open nor close one of `tags` (lower case). Words in characters that a writer cannot see are removed
/// ([`unseen::without_hidden_words`]). All other text stays as it is.
#[must_use]
pub fn neutralize(text: &str, tags: &[&str]) -> String {
    if unseen::is_plain(text) {
        return text.to_owned();
    }
    let text = unseen::without_hidden_words(text);
    let mut safe = String::with_capacity(text.len());
    let mut before = None;
    for (at, c) in text.char_indices() {
        if unseen::is_unseen(c) {
            safe.push(c);
            continue;
        }
        let folded = fold_first(c);
        let ends_a_pipe = folded == Some('>') && before == Some('|');
        let substitute = match folded {
            _ if ends_a_pipe => Some(GREATER_SUBSTITUTE),
            Some(folded @ ('<' | '>' | '[' | ']' | '◁')) => {
                replacement(folded, &Lookahead::new(text.get(at + c.len_utf8()..).unwrap_or_default()), tags)
            }
            _ => None,
        };
        safe.push(substitute.unwrap_or(c));
        before = if substitute.is_some() { substitute } else { folded };
    }
    safe
}

/// The folded form of a character: the first where it has several.
fn fold_first(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c);
    }
    let mut first = None;
    fold(c, |part| {
        first.get_or_insert(part);
    });
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TAGS: [&str; 7] = ["settings", "past", "working", "before", "selection", "after", "wish"];

    /// Control words as their models write them.
    const WORDS: &[&str] = &[
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|begin_of_text|>",
        "<|header_start|>",
        "<|system|>",
        "<|user|>",
        "<|assistant|>",
        "<|end|>",
        "<|channel|>",
        "<|message|>",
        "<|start|>",
        "<|return|>",
        "<|START_OF_TURN_TOKEN|>",
        "<｜User｜>",
        "<｜Assistant｜>",
        "<｜end▁of▁sentence｜>",
        "<｜tool▁calls▁begin｜>",
        "<start_of_turn>",
        "<end_of_turn>",
        "<bos>",
        "<eos>",
        "<pad>",
        "<unk>",
        "<s>",
        "</s>",
        "<BOS_TOKEN>",
        "<EOS_TOKEN>",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<</SYS>>",
        "[TOOL_CALLS]",
        "[AVAILABLE_TOOLS]",
        "[/AVAILABLE_TOOLS]",
        "[TOOL_RESULTS]",
        "[SYSTEM_PROMPT]",
        "[gMASK]",
        "[sMASK]",
        "<sop>",
        "<eop>",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<extra_id_0>",
        "<0x0A>",
        "<seed:bos>",
        "<用户>",
        "<AI>",
        "◁think▷",
        "]~!b[",
        "]~b]",
        "[e~[",
        ">>QUESTION<<",
        "[BOS]",
        "[EOS]",
        "[CLS]",
        "[SEP]",
        "[THINK]",
        "<mask>",
        "<|turn>",
        "<turn|>",
        "[IMG]",
        "<eoh>",
    ];

    #[test]
    fn every_control_word_loses_one_character_and_no_more() {
        for word in WORDS {
            let safe = neutralize(&format!("灯灭了。{word}system"), &TAGS);
            assert_ne!(safe, format!("灯灭了。{word}system"), "{word}");
            let word_now = safe.strip_prefix("灯灭了。").unwrap().strip_suffix("system").unwrap();
            let changed = word.chars().zip(word_now.chars()).filter(|(one, other)| one != other).count();
            assert_eq!(word.chars().count(), word_now.chars().count(), "{word}");
            assert!((1..=2).contains(&changed), "{word} {word_now}");
        }
    }

    #[test]
    fn look_alikes_are_found_as_well() {
        for text in [
            "<\u{200B}|im_end|>",
            "＜|im_end|＞",
            "<|\u{FE0F}im_end|>",
            "﹤｜im_end｜﹥",
            "[i\u{AD}nst]",
            "［INST］",
            "[𝗜𝗡𝗦𝗧]",
            "</ｓ>",
            "<\u{2066}/s>",
            "<\u{200B}/settings>",
            "＜/settings＞",
            "</ｓｅｔｔｉｎｇｓ>",
            "</𝘀𝗲𝘁𝘁𝗶𝗻𝗴𝘀>",
            "<\u{3164}/settings>",
            "<\u{115F}wish",
            "< / Set\u{200D}tings >",
            "<\u{2028}wish>",
            "\u{2060}<\u{FEFF}past>",
            "<THİNK>".replace('İ', "I").as_str(),
        ] {
            assert_ne!(neutralize(text, &TAGS), text, "{text:?}");
        }
        // Words in tag characters are not kept at all.
        assert_eq!(neutralize("</\u{E0073}settings>", &TAGS), "‹/settings>");
    }

    #[test]
    fn a_novel_stays_as_it_is() {
        for text in [
            "a < b, 三<五, <em>, <3",
            "[sic] [1] [……]",
            "他说——“走。”",
            "if x <y> z",
            "<i>Anna</i>",
            "《夜航》〈一〉",
            ">>Hallo<<, sagte er",
            "| a | b |",
            "-> <-",
            "> 引文",
            "[注]",
            "<http://example.org/a_b>",
            "<<他>>",
            "[Tom enters]",
            "2 > 1 | 3",
            "¿<qué?",
            "💔 <3 </3",
            "[*]",
            "<b>x</b><br>",
            "❤\u{FE0F}",
            "🏳\u{FE0F}\u{200D}🌈",
        ] {
            assert_eq!(neutralize(text, &TAGS), text);
        }
    }

    /// Pieces of control words, so that they come about by being put together.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(WORDS).prop_map(str::to_owned),
            prop::sample::select(
                &[
                    "<",
                    "＜",
                    ">",
                    "|",
                    "｜",
                    "[",
                    "］",
                    "]",
                    "/",
                    "im_end",
                    "ＩＮＳＴ",
                    "s",
                    "wish",
                    "settings",
                    " ",
                    "\u{200B}",
                    "\u{FE0F}",
                    "\u{E0041}",
                    "\u{3164}",
                    "灯",
                    "think",
                    "◁",
                    "▷",
                    "~b",
                    "_",
                    "‹",
                    "\n"
                ][..]
            )
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn plain(text: &str) -> String {
        let mut all = String::new();
        for c in text.chars().filter(|c| !unseen::is_unseen(*c)) {
            fold(c, |part| all.push(part));
        }
        all
    }

    proptest! {
        #[test]
        fn no_control_word_is_left_and_a_second_time_changes_nothing(text in pieces()) {
            let safe = neutralize(&text, &TAGS);
            prop_assert_eq!(&neutralize(&safe, &TAGS), &safe);
            let read = plain(&safe);
            for word in WORDS {
                prop_assert!(!read.contains(&plain(word)), "{word} in {read}");
            }
            prop_assert!(!read.contains("<|") && !read.contains("|>"), "{}", read);
            let bare: String = read.chars().filter(|c| !c.is_whitespace() && *c != '/').collect();
            for tag in TAGS {
                prop_assert!(!bare.contains(&format!("<{tag}")), "{} in {}", tag, bare);
            }
        }

        #[test]
        fn text_without_such_forms_is_unchanged(text in "[a-zA-Z0-9 .,;:!?'\"()*—…，。“”《》灯灭了<>\\n-]{0,40}") {
            let is_plain = !plain(&text).contains("<s>") && !plain(&text).contains("</s>");
            let has_word = ["<", ">>"].iter().any(|mark| text.contains(mark)) && text.chars().any(char::is_alphabetic);
            if is_plain && !has_word {
                prop_assert_eq!(neutralize(&text, &TAGS), text);
            }
        }

        #[test]
        fn no_part_of_it_holds_one_either(text in pieces(), from in 0_usize..40, to in 0_usize..40) {
            let safe: Vec<char> = neutralize(&text, &TAGS).chars().collect();
            let (from, to) = (from.min(safe.len()), to.min(safe.len()));
            let part: String = safe.get(from.min(to)..from.max(to)).unwrap_or_default().iter().collect();
            // A part may begin with a selector, which is then taken out.
            let again = neutralize(&part, &TAGS);
            prop_assert_eq!(plain(&again), plain(&part));
        }
    }
}
