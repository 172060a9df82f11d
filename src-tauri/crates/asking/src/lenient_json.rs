//! JSON as models write it: single or curly quotation marks, commas at the end, keys without quotation marks,
//! full-width punctuation, line breaks in strings, `True` and `None`.

use serde_json::{Map, Number, Value};

/// Maximum depth of objects and lists.
const MAX_DEPTH: usize = 16;

/// The object that begins at the start of `text`, which begins with a brace, and its length in bytes; `None` if it does
/// not end or is broken.
pub(crate) fn parse_object(text: &str) -> Option<(Map<String, Value>, usize)> {
    let mut strict = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(Value::Object(object))) = strict.next() {
        return Some((object, strict.byte_offset()));
    }
    let mut reader = Reader { chars: text.chars().collect(), at: 0 };
    match reader.value(0)? {
        Value::Object(object) => Some((object, reader.chars.iter().take(reader.at).map(|c| c.len_utf8()).sum())),
        _ => None,
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn skip_one_of(&mut self, wanted: &[char]) -> bool {
        self.skip_space();
        let is_next = self.peek().is_some_and(|c| wanted.contains(&c));
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.list(depth),
            c if closing_mark(c).is_some() => self.string().map(Value::String),
            _ => self.word_value(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut object = Map::new();
        loop {
            if self.skip_one_of(&['}']) {
                return Some(Value::Object(object));
            }
            self.skip_space();
            let key = if closing_mark(self.peek()?).is_some() { self.string()? } else { self.word()? };
            if !self.skip_one_of(&[':', '：', '=']) {
                return None;
            }
            object.insert(key, self.value(depth + 1)?);
            if !self.skip_one_of(&[',', '，', ';']) {
                return self.skip_one_of(&['}']).then_some(Value::Object(object));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut list = Vec::new();
        loop {
            if self.skip_one_of(&[']']) {
                return Some(Value::Array(list));
            }
            list.push(self.value(depth + 1)?);
            if !self.skip_one_of(&[',', '，']) {
                return self.skip_one_of(&[']']).then_some(Value::Array(list));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let closing = closing_mark(self.peek()?)?;
        self.at += 1;
        let mut text = String::new();
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                '\\' => self.escape(&mut text)?,
                // An apostrophe inside of a word ends no string.
                '\'' if closing.contains(&c) && self.is_inside_word() => text.push(c),
                c if closing.contains(&c) => return Some(text),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let c = self.peek()?;
        self.at += 1;
        match c {
            'n' | 'r' => text.push('\n'),
            't' => text.push('\t'),
            'b' | 'f' => {}
            'u' => {
                let digits: String = self.chars.get(self.at..self.at + 4)?.iter().collect();
                self.at += 4;
                text.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            c => text.push(c),
        }
        Some(())
    }

    fn is_inside_word(&self) -> bool {
        let before = self.at.checked_sub(2).and_then(|at| self.chars.get(at));
        before.is_some_and(|c| c.is_alphanumeric()) && self.peek().is_some_and(char::is_alphanumeric)
    }

    fn word(&mut self) -> Option<String> {
        let is_word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
        let word: String = self.chars.get(self.at..)?.iter().take_while(|c| is_word(c)).collect();
        self.at += word.chars().count();
        (!word.is_empty()).then_some(word)
    }

    /// A number, or a word without quotation marks.
    fn word_value(&mut self) -> Option<Value> {
        let word = self.word()?;
        Some(match word.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "none" => Value::Null,
            number => match number.parse::<i64>() {
                Ok(number) => Value::from(number),
                Err(_) => match number.parse::<f64>().ok().and_then(Number::from_f64) {
                    Some(number) => Value::Number(number),
                    None => Value::String(word),
                },
            },
        })
    }
}

/// The marks that end a string that begins with this one; `None` for any other character.
fn closing_mark(opening: char) -> Option<&'static [char]> {
    match opening {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '“' | '”' => Some(&['”', '“']),
        '‘' | '’' => Some(&['’']),
        '「' => Some(&['」']),
        '`' => Some(&['`']),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variants_of_json_are_read() {
        for text in [
            r#"{"kind": "need", "need": "Mei's eyes", "n": 3}"#,
            r#"{"kind": "need", "need": "Mei's eyes", "n": 3,} and more"#,
            r#"{'kind': 'need', 'need': 'Mei's eyes', 'n': 3}"#,
            r#"{kind: need, need: "Mei's eyes", n: 3}"#,
            r#"{“kind”：“need”，“need”：“Mei's eyes”，“n”：3}"#,
            r#"{"kind": 'need', "need": 'Mei\'s eyes', "n": 3.0}"#,
        ] {
            let object = Value::Object(parse_object(text).unwrap().0);
            assert_eq!((&object["kind"], &object["need"]), (&json!("need"), &json!("Mei's eyes")), "{text}");
            assert_eq!(object["n"].as_f64(), Some(3.0), "{text}");
        }
        let object = Value::Object(parse_object("{'a': [1, True, None,], b: {c: 'x\ny \\u4f60',}}").unwrap().0);
        assert_eq!(object, json!({ "a": [1, true, null], "b": { "c": "x\ny 你" } }));
    }

    #[test]
    fn broken_and_endless_objects_are_refused() {
        for text in ["{", "{\"a\"", "{\"a\": ", "{\"a\": \"b", "{a b}", "{]}", "{\"a\": 1 \"b\": 2}"] {
            assert_eq!(parse_object(text), None, "{text}");
        }
        assert_eq!(parse_object(&"{\"a\":".repeat(10_000)), None);
        assert_eq!(parse_object(&format!("{{a: {}", "[".repeat(100_000))), None);
    }
}
