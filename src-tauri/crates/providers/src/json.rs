//! Lenient parsing of JSON as models write it: in a code fence, with prose around it, with extra commas, or truncated.

use serde_json::{Map, Value};

/// The most positions that are tried as the beginning.
const MAX_BEGINNINGS: usize = 64;

/// The deepest nesting.
const MAX_DEPTH: usize = 128;

/// Parses the JSON in a text. Valid JSON is parsed exactly. Of truncated JSON the complete parts remain: a truncated
/// string, number or list item is omitted. `None` if there is no JSON.
#[must_use]
pub fn parse_lenient(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut empty = None;
    let mut from = 0;
    for _ in 0..MAX_BEGINNINGS {
        let Some(found) = text[from..].find(['{', '[']) else { break };
        from += found;
        let mut parser = Parser { text, at: from, cut: false };
        match parser.value(0) {
            Some(value) if !is_empty(&value) => return Some(value),
            // A later beginning would be a part of this truncated value.
            _ if parser.cut => return None,
            value => empty = empty.or(value),
        }
        from += 1;
    }
    empty
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(all) => all.is_empty(),
        _ => false,
    }
}

/// A recursive parser. `None` from any method is an error, unless `cut` is set: then the text ended.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    cut: bool,
}

impl Parser<'_> {
    /// The next non-blank byte; sets `cut` at the end of the text.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let next = self.text.as_bytes().get(self.at).copied();
        self.cut |= next.is_none();
        next
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            b'{' | b'[' if depth >= MAX_DEPTH => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut object = Map::new();
        self.at += 1;
        loop {
            match self.peek() {
                None => break,
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let key = self.string();
                    let colon = key.is_some() && self.peek() == Some(b':');
                    if self.cut {
                        break;
                    }
                    if !colon {
                        return None;
                    }
                    self.at += 1;
                    let value = self.value(depth + 1);
                    match (key, value) {
                        (Some(key), Some(value)) if !(self.cut && is_empty(&value)) => drop(object.insert(key, value)),
                        _ if self.cut => {}
                        _ => return None,
                    }
                    if self.cut {
                        break;
                    }
                }
                Some(_) => return None,
            }
        }
        Some(Value::Object(object))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let mut array = Vec::new();
        self.at += 1;
        loop {
            match self.peek() {
                None => break,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                Some(_) => match self.value(depth + 1) {
                    // A truncated object is incomplete and omitted.
                    Some(value) if self.cut && (value.is_object() || is_empty(&value)) => {}
                    Some(value) => array.push(value),
                    None if self.cut => {}
                    None => return None,
                },
            }
            if self.cut {
                break;
            }
        }
        Some(Value::Array(array))
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at + 1;
        let mut escaped = false;
        for (offset, byte) in self.text.as_bytes().get(start..)?.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at = start + offset + 1;
                    return unescape(&self.text[start..start + offset]);
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        self.cut = true;
        None
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let Some(end) = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')) else {
            // The word may be truncated: 1 of 12.
            self.at = self.text.len();
            self.cut = true;
            return None;
        };
        self.at += end;
        match &rest[..end] {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            word => serde_json::from_str(word).ok().filter(|value: &Value| !value.is_string()),
        }
    }
}

/// Unescapes the inside of a string. Accepts raw line ends and tabs, which JSON forbids and models write.
fn unescape(inside: &str) -> Option<String> {
    let mut whole = String::with_capacity(inside.len() + 2);
    whole.push('"');
    for c in inside.chars() {
        match c {
            '\n' => whole.push_str("\\n"),
            '\r' => whole.push_str("\\r"),
            '\t' => whole.push_str("\\t"),
            c if c.is_control() && c.is_ascii() => {}
            c => whole.push(c),
        }
    }
    whole.push('"');
    serde_json::from_str(&whole).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_the_text_that_models_write_around_it() {
        for (text, found) in [
            ("```json\n{\"a\": 1}\n```", json!({ "a": 1 })),
            ("好的，[如下]：\n{\"a\": [1, 2,], }\n希望有帮助。", json!({ "a": [1, 2] })),
            ("{\"a\": \"一\n二\", \"b\": True}", json!({ "a": "一\n二", "b": true })),
            ("[{\"a\": \"\\u96e8\"} {\"a\": null}]", json!([{ "a": "雨" }, { "a": null }])),
            ("none: [] but {\"a\": {}}", json!({ "a": {} })),
            ("```\n[]\n```", json!([])),
        ] {
            assert_eq!(parse_lenient(text), Some(found), "{text}");
        }
    }

    #[test]
    fn complete_parts_of_truncated_json_remain() {
        for (text, found) in [
            (
                "{\"rules\": [{\"rule\": \"短句\", \"n\": 12}, {\"rule\": \"长",
                json!({ "rules": [{ "rule": "短句", "n": 12 }] }),
            ),
            (
                "{\"rules\": [{\"rule\": \"短句\", \"n\": 12}, {\"rule\": \"长句\"",
                json!({ "rules": [{ "rule": "短句", "n": 12 }] }),
            ),
            ("{\"a\": 1, \"b", json!({ "a": 1 })),
            ("{\"a\": 1, \"b\"", json!({ "a": 1 })),
            ("{\"a\": 1, \"b\": ", json!({ "a": 1 })),
            ("{\"a\": 1, \"b\": 12", json!({ "a": 1 })),
            ("{\"a\": {\"b\": [1, 2, 3", json!({ "a": { "b": [1, 2] } })),
        ] {
            assert_eq!(parse_lenient(text), Some(found), "{text}");
        }
    }

    #[test]
    fn where_there_is_none_none_is_made_up() {
        for text in [
            "",
            "   ",
            "我不会写 JSON。",
            "{",
            "[",
            "{\"rule\": \"hal",
            "[{\"a\": 1",
            "{a: 1}",
            "{\"a\" 1}",
            "{\"a\": 他}",
            "\u{feff}",
        ] {
            assert_eq!(parse_lenient(text), None, "{text}");
        }
        assert_eq!(parse_lenient(&"[".repeat(100_000)), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[ -~雨\\n\"\\\\]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-z雨\"]{0,4}", inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_that_is_right_is_read_as_it_is(value in any_json(), pretty: bool) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            prop_assert_eq!(parse_lenient(&text), Some(value));
        }

        #[test]
        fn json_in_a_fence_is_read_as_it_is(value in any_json()) {
            prop_assume!(value.is_object() || value.is_array());
            prop_assert_eq!(parse_lenient(&format!("Here you are:\n```json\n{value}\n```\nDone.")), Some(value));
        }

        #[test]
        fn json_cut_anywhere_gives_nothing_that_was_not_there(value in any_json(), cut in 0_usize..200) {
            let text = value.to_string();
            let letters: String = text.chars().take(cut).collect();
            if let Some(found) = parse_lenient(&letters) && (value.is_object() || value.is_array()) {
                prop_assert!(is_part(&found, &value), "{} of {}", found, value);
            }
        }

        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}") {
            drop(parse_lenient(&text));
        }

        #[test]
        fn anything_that_looks_like_json_is_survived(text in "[\\[\\]{}:,\"\\\\a1 雨\\n]{0,60}") {
            drop(parse_lenient(&text));
        }
    }

    fn is_part(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| is_part(part, whole)))
            }
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
            }
            _ => part == whole,
        }
    }
}
