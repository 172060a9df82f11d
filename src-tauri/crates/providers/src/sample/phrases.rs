//! Splits a text into phrases for streaming.

/// Cuts after every run of punctuation with the quotes and spaces that follow. Joined, the phrases are the text.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut ended = false;
        let cut = rest
            .char_indices()
            .find(|&(_, c)| {
                let mark = is_mark(c);
                let follows = mark || c.is_whitespace() || matches!(c, '”' | '’' | '」' | '』' | '"');
                let here = ended && !follows;
                ended = ended || mark;
                here
            })
            .map_or(rest.len(), |(at, _)| at);
        let (phrase, after) = rest.split_at(cut);
        rest = after;
        Some(phrase)
    })
}

fn is_mark(c: char) -> bool {
    matches!(c, '，' | '。' | '；' | '：' | '！' | '？' | '…' | '—' | ',' | '.' | ';' | ':' | '!' | '?' | '\n')
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn phrases_end_after_punctuation_and_closing_quotes() {
        let text = "他站起来，又坐下了。“忘了。”他说。";
        assert_eq!(split(text).collect::<Vec<_>>(), ["他站起来，", "又坐下了。", "“忘了。”", "他说。"]);
        let text = "He stood up, then sat. “Forgot,” he said.\n\nSo.";
        let phrases: Vec<_> = split(text).collect();
        assert_eq!(phrases.concat(), text);
        assert_eq!(phrases[0], "He stood up, ");
        assert_eq!(phrases[2], "“Forgot,” ");
    }

    #[test]
    fn nothing_is_no_phrase() {
        assert_eq!(split("").count(), 0);
        assert_eq!(split("风").collect::<Vec<_>>(), ["风"]);
    }
}
