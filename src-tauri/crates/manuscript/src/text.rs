//! The contents of a chapter's file: encoding, title, and a sketch of its lines for recognition.

use palimpsest_text::normalize_line_ends;

/// The byte order mark that some editors put at the start of a file.
const BOM: &str = "\u{feff}";

/// The most lines of a chapter in its sketch.
const SKETCH_LINES: usize = 64;

/// The least common lines of two chapters that are recognized as the same.
pub(crate) const MIN_SHARED_LINES: usize = 3;

/// The hash of a content: BLAKE3 of the raw bytes, in hexadecimal.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The text for an editor: no byte order mark, and every line ended by LF.
pub(crate) fn decode(raw: &str) -> String {
    normalize_line_ends(raw.strip_prefix(BOM).unwrap_or(raw))
}

/// Encodes the text of an editor for the disk, in the style of `previous`, the file's content so far: its byte order
/// mark; the line ends that the untouched lines at the start and at the end had; for all others the most frequent one.
pub(crate) fn encode(text: &str, previous: &str) -> String {
    let text = normalize_line_ends(text);
    let (bom, previous) = match previous.strip_prefix(BOM) {
        Some(rest) => (BOM, rest),
        None => ("", previous),
    };
    if !previous.contains('\r') {
        return format!("{bom}{text}");
    }
    let old = split_lines(previous);
    let new: Vec<&str> = text.split('\n').collect();
    let usual = most_frequent_line_end(&old);
    let shorter = old.len().min(new.len());
    let head = (0..shorter).take_while(|&i| old[i].0 == new[i]).count();
    let tail = (1..=shorter - head).take_while(|&i| old[old.len() - i].0 == new[new.len() - i]).count();
    let mut out = String::with_capacity(bom.len() + text.len() + new.len());
    out.push_str(bom);
    for (i, line) in new.iter().enumerate() {
        out.push_str(line);
        if i + 1 == new.len() {
            break;
        }
        let old_end = if i < head {
            old[i].1
        } else if i + tail >= new.len() {
            old[i + old.len() - new.len()].1
        } else {
            ""
        };
        // The last line of the old file has no line end.
        let end = if old_end.is_empty() { usual } else { old_end };
        // After a lone CR, the LF of an empty line would form a CRLF.
        out.push_str(if end == "\n" && out.ends_with('\r') { "\r\n" } else { end });
    }
    out
}

/// Every line with its line end; the last one has none.
fn split_lines(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        let length = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        lines.push((&rest[..at], &rest[at..at + length]));
        rest = &rest[at + length..];
    }
    lines.push((rest, ""));
    lines
}

fn most_frequent_line_end<'a>(lines: &[(&'a str, &'a str)]) -> &'static str {
    let count = |end: &str| lines.iter().filter(|line| line.1 == end).count();
    let (lf, crlf, cr) = (count("\n"), count("\r\n"), count("\r"));
    if crlf >= lf && crlf >= cr {
        "\r\n"
    } else if lf >= cr {
        "\n"
    } else {
        "\r"
    }
}

/// The line of the first `# ` heading in a text with LF ends: `(start, end)` in bytes, end before the LF. Front matter
/// (`---` … `---` at the very start) and fenced code are skipped.
pub(crate) fn heading(text: &str) -> Option<(usize, usize)> {
    headings(text).find(|&(_, _, level)| level == 1).map(|(start, end, _)| (start, end))
}

/// The lines of all headings, `(start, end, level)`: in bytes, and 1 to 6.
pub(crate) fn headings(text: &str) -> impl Iterator<Item = (usize, usize, u8)> {
    let mut start = front_matter(text);
    let mut fence: Option<&str> = None;
    std::iter::from_fn(move || {
        while start < text.len() {
            let from = start;
            let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
            let line = &text[start..end];
            let bare = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
            start = end + 1;
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), Some(close)) if open == close => fence = None,
                (None, None) if line.len() - bare.len() < 4 => {
                    if let Some((level, _)) = heading_words(bare) {
                        return Some((from, end, level));
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// The words of a heading's line.
pub(crate) fn heading_title(line: &str) -> Option<&str> {
    heading_words(line.trim_start()).map(|(_, words)| words)
}

/// The level and the words of a line `# words` or `## words ##`.
fn heading_words(line: &str) -> Option<(u8, &str)> {
    let words = line.trim_start_matches('#');
    let level = u8::try_from(line.len() - words.len()).ok().filter(|level| (1..=6).contains(level))?;
    if !words.starts_with([' ', '\t', '　']) {
        return None;
    }
    let words = words.trim();
    let without = words.trim_end_matches('#');
    let words = if without.is_empty() || without.ends_with(char::is_whitespace) { without.trim_end() } else { words };
    (!words.is_empty()).then_some((level, words))
}

/// The length of the front matter, in bytes; 0 without one.
pub(crate) fn front_matter(text: &str) -> usize {
    let mut length = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        length += line.len();
        match (number, line.trim_end()) {
            (0, "---") => {}
            (0, _) => return 0,
            (_, "---" | "...") => return length,
            _ => {}
        }
    }
    0
}

/// The title in the text: the first `# ` heading.
pub(crate) fn title(text: &str) -> Option<&str> {
    let (start, end) = heading(text)?;
    heading_title(&text[start..end])
}

/// The text with another title: its heading replaced, or a new one before everything but the front matter.
pub(crate) fn with_title(text: &str, title: &str) -> String {
    match heading(text) {
        Some((start, end)) => format!("{}# {title}{}", &text[..start], &text[end..]),
        None => {
            let (front, body) = text.split_at(front_matter(text));
            let gap = if front.is_empty() || front.ends_with('\n') { "" } else { "\n" };
            format!("{front}{gap}# {title}\n\n{body}")
        }
    }
}

/// The smallest hashes of the distinct lines of a chapter (a bottom-k sketch). Two sketches give an estimate of how
/// many lines two chapters share, without either text. Blank lines and headings do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sketch(Vec<u64>);

impl Sketch {
    /// The sketch of a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut hashes: Vec<u64> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| {
                let hash = blake3::hash(line.as_bytes());
                hash.as_bytes()[..8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
            })
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(SKETCH_LINES);
        Self(hashes)
    }

    /// 16 hexadecimal digits per line.
    pub(crate) fn to_hex(&self) -> String {
        self.0.iter().map(|hash| format!("{hash:016x}")).collect()
    }

    /// Parses [`Sketch::to_hex`]; skips invalid digits, since a sketch is optional.
    pub(crate) fn from_hex(hex: &str) -> Self {
        let mut hashes: Vec<u64> = hex
            .as_bytes()
            .chunks(16)
            .filter_map(|digits| std::str::from_utf8(digits).ok())
            .filter_map(|digits| u64::from_str_radix(digits, 16).ok())
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(SKETCH_LINES);
        Self(hashes)
    }

    /// Whether there are too few lines to compare.
    pub(crate) fn is_too_short(&self) -> bool {
        self.0.len() < MIN_SHARED_LINES
    }

    /// Whether two chapters share most of their lines: at least [`MIN_SHARED_LINES`], and at least half of all
    /// the distinct lines of both (Jaccard, estimated on the smallest hashes of the union; Broder 1997).
    pub(crate) fn shares_most_lines(&self, other: &Self) -> bool {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let (mut union, mut shared) = (0, 0);
        while union < SKETCH_LINES {
            match (a, b) {
                ([], []) => break,
                ([x, rest_of_a @ ..], [y, rest_of_b @ ..]) if x == y => {
                    shared += 1;
                    (a, b) = (rest_of_a, rest_of_b);
                }
                ([x, rest @ ..], [y, ..]) if x < y => a = rest,
                ([_, rest @ ..], []) => a = rest,
                (_, [_, rest @ ..]) => b = rest,
            }
            union += 1;
        }
        shared >= MIN_SHARED_LINES && shared * 2 >= union
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_title_is_the_first_heading() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(title(text), expected, "{text:?}");
        check("# 第一章 雨\n\n正文", Some("第一章 雨"));
        check("text\n## part\n#  Storm  ##\n", Some("Storm"));
        check("# C#\n", Some("C#"));
        check("#hashtag\n# \n", None);
        check("---\n# a comment\ntitle: x\n---\n# Real\n", Some("Real"));
        check("```\n# code\n```\n# Real", Some("Real"));
        check("---\nno end\n# Heading", Some("Heading"));
        check("", None);
    }

    #[test]
    fn a_new_title_replaces_the_heading_and_nothing_else() {
        assert_eq!(with_title("a\n# Old\nb\n# Other", "New"), "a\n# New\nb\n# Other");
        assert_eq!(with_title("正文", "雨"), "# 雨\n\n正文");
        assert_eq!(with_title("---\nx: 1\n---\nbody", "T"), "---\nx: 1\n---\n# T\n\nbody");
        assert_eq!(with_title("---\nx: 1\n---", "T"), "---\nx: 1\n---\n# T\n\n");
    }

    #[test]
    fn changed_lines_take_the_usual_end_and_the_others_keep_theirs() {
        assert_eq!(encode("a\nb\nc\n", "a\r\nb\r\nc\r\n"), "a\r\nb\r\nc\r\n");
        assert_eq!(encode("a\nnew\nb\nc\n", "a\nb\r\nc\r\n"), "a\nnew\r\nb\r\nc\r\n");
        assert_eq!(encode("a\nb", "\u{feff}a"), "\u{feff}a\nb");
        assert_eq!(encode("a\nb\n", "a\r\nb"), "a\r\nb\r\n");
        assert_eq!(encode("", "a\r\nb"), "");
    }

    #[test]
    fn sketches_survive_being_written_down() {
        let sketch = Sketch::new("一\n二\n三\n四\n");
        assert_eq!(Sketch::from_hex(&sketch.to_hex()), sketch);
        assert_eq!(Sketch::from_hex("not hex, and no multiple of sixteen 雨雨"), Sketch::default());
    }

    #[test]
    fn most_lines_shared_means_half_of_all() {
        let lines =
            |range: std::ops::Range<u32>| Sketch::new(&range.map(|n| format!("line {n}\n")).collect::<String>());
        assert!(lines(0..30).shares_most_lines(&lines(5..35)));
        assert!(!lines(0..30).shares_most_lines(&lines(20..50)));
        assert!(lines(0..1000).shares_most_lines(&lines(100..1100)));
        assert!(!lines(0..1000).shares_most_lines(&lines(800..1800)));
        assert!(!lines(0..2).shares_most_lines(&lines(0..2)), "two lines are too few to say");
    }

    proptest! {
        #[test]
        fn an_untouched_file_goes_back_byte_for_byte(raw in "\u{feff}?([a雨 ]{0,3}(\r\n|\r|\n)?){0,12}") {
            prop_assert_eq!(encode(&decode(&raw), &raw), raw);
        }

        #[test]
        fn what_is_written_reads_back_the_same(text in "([a雨# ]{0,3}\n?){0,12}", previous in "\u{feff}?([a雨 ]{0,3}(\r\n|\r|\n)?){0,12}") {
            prop_assert_eq!(decode(&encode(&text, &previous)), text);
        }

        #[test]
        fn a_given_title_is_the_title(text in "([a雨#`~ -]{0,4}\n?){0,12}") {
            let renamed = with_title(&text, "新的 title");
            prop_assert_eq!(title(&renamed), Some("新的 title"));
        }
    }
}
