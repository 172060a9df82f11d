//! Detects the encoding of a text file and decodes it.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, Encoding, GB18030, GBK, UTF_8, UTF_16BE, UTF_16LE};

use super::Unreadable;

/// At most one character in this many may be undecodable in a text file: a download truncated inside a character is
/// still text.
const MIN_CHARS_PER_ERROR: usize = 500;

/// The most bytes of a file that are used to detect its encoding.
const MAX_SAMPLE_BYTES: usize = 256 * 1024;

/// A decoded text with its encoding.
pub(super) struct Decoded {
    pub text: String,
    /// The encoding's usual name.
    pub encoding: &'static str,
    /// Number of undecodable positions; each is a `�` in the text.
    pub unreadable: u32,
}

/// Decodes the bytes of a text file. `chinese` decides between encodings that the bytes alone do not distinguish.
pub(super) fn decode(bytes: &[u8], chinese: bool) -> Result<Decoded, Unreadable> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, bytes.get(mark..).unwrap_or_default());
    }
    if bytes.contains(&0) {
        return decode_utf16_without_bom(bytes);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return decode_as(UTF_8, bytes);
    }
    // Damaged UTF-8 is more likely than another encoding that happens to be almost UTF-8.
    if let Ok(decoded) = decode_as(UTF_8, bytes)
        && !decoded.text.is_ascii()
    {
        return Ok(decoded);
    }
    // A sample from the first byte beyond ASCII is as informative as the whole file, and faster.
    let from = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or_default();
    let rest = bytes.get(from..).unwrap_or_default();
    let sample = rest.get(..MAX_SAMPLE_BYTES).unwrap_or(rest);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // A character can be truncated at the end of a sample.
    detector.feed(sample, sample.len() == rest.len());
    let guess = |hint: Option<&[u8]>| detector.guess(hint, Utf8Detection::Deny);
    // The hint is used only if neither of the two Chinese encodings is detected: it can turn one into the other.
    let unhinted = guess(None);
    let hinted = chinese && unhinted != GBK && unhinted != BIG5;
    decode_as(if hinted { guess(Some(b"cn")) } else { unhinted }, bytes)
}

/// Decodes UTF-16 without a byte order mark, in the byte order that gives more likely characters.
fn decode_utf16_without_bom(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    let writing = |text: &str| text.chars().filter(|&c| is_likely(c)).count();
    [UTF_16LE, UTF_16BE]
        .into_iter()
        .filter_map(|encoding| decode_as(encoding, bytes).ok())
        .filter(|decoded| writing(&decoded.text) * 10 >= decoded.text.chars().count() * 9)
        .max_by_key(|decoded| writing(&decoded.text))
        .ok_or(Unreadable::NotText)
}

fn is_likely(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | ' '..='~' | '\u{a0}'..='\u{17f}' | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{30ff}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ff5e}')
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> Result<Decoded, Unreadable> {
    // GB18030 contains GBK and is the name that writers know.
    let encoding = if encoding == GBK { GB18030 } else { encoding };
    let (text, failed) = encoding.decode_without_bom_handling(bytes);
    let unreadable = if failed { text.matches('\u{fffd}').count() } else { 0 };
    // The end of file mark of DOS and form feeds are no text, and no errors.
    let is_text = |c: &char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    let controls = text.chars().filter(|c| !is_text(c) && !matches!(c, '\u{1a}' | '\u{c}')).count();
    if (unreadable + controls) * MIN_CHARS_PER_ERROR > text.chars().count() {
        return Err(Unreadable::NotText);
    }
    let text = text.replace('\u{c}', "\n").chars().filter(is_text).collect();
    let encoding = if encoding == UTF_16LE || encoding == UTF_16BE { "UTF-16" } else { encoding_name(encoding) };
    Ok(Decoded { text, encoding, unreadable: u32::try_from(unreadable).unwrap_or(u32::MAX) })
}

fn encoding_name(encoding: &'static Encoding) -> &'static str {
    if encoding == GB18030 { "GB18030" } else { encoding.name() }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{SHIFT_JIS, WINDOWS_1252};

    use super::*;

    const STORY: &str =
        "第一章　雨夜\r\n\r\n　　渡船靠岸时，灯已经亮了。他把伞收起来，没有回头。\r\n　　“你来晚了。”她说。\r\n";

    fn check(bytes: &[u8], chinese: bool, encoding: &str, text: &str) {
        let decoded = decode(bytes, chinese).unwrap();
        assert_eq!((decoded.encoding, decoded.text.as_str(), decoded.unreadable), (encoding, text, 0));
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn chinese_files_of_every_usual_program_can_be_read() {
        check(STORY.as_bytes(), true, "UTF-8", STORY);
        check(format!("\u{feff}{STORY}").as_bytes(), true, "UTF-8", STORY);
        for chinese in [true, false] {
            check(&GB18030.encode(STORY).0, chinese, "GB18030", STORY);
        }
        check(&utf16(&format!("\u{feff}{STORY}"), false), true, "UTF-16", STORY);
        check(&utf16(&format!("\u{feff}{STORY}"), true), true, "UTF-16", STORY);
        check(&utf16(STORY, false), true, "UTF-16", STORY);
        check(&utf16(STORY, true), true, "UTF-16", STORY);
        let traditional = "第一章\n渡船靠岸時，燈已經亮了。他把傘收起來，沒有回頭。「你來晚了。」她說。\n";
        check(&BIG5.encode(traditional).0, true, "Big5", traditional);
    }

    #[test]
    fn characters_beyond_the_old_code_pages_are_read_too() {
        // Four bytes each in GB18030: a rare surname, and one from a later plane.
        check(
            &GB18030.encode("他姓㛃，她姓𠮷，住在镇上很多年了。").0,
            true,
            "GB18030",
            "他姓㛃，她姓𠮷，住在镇上很多年了。",
        );
    }

    #[test]
    fn a_short_line_is_enough() {
        check(&GB18030.encode("下雨了。").0, true, "GB18030", "下雨了。");
    }

    #[test]
    fn other_scripts_are_not_taken_for_chinese() {
        let japanese = "第一章\n渡し船が岸に着いたとき、あかりはもうついていた。「遅かったね」と彼女は言った。\n";
        check(&SHIFT_JIS.encode(japanese).0, false, "Shift_JIS", japanese);
        let french =
            "Chapitre premier\n\nLe bac accostait, déjà la lumière était allumée. « Tu es en retard », dit-elle.\n";
        check(&WINDOWS_1252.encode(french).0, false, "windows-1252", french);
    }

    #[test]
    fn a_download_that_was_cut_off_is_read_and_the_place_is_counted() {
        let long = STORY.repeat(20);
        for bytes in [long.as_bytes().to_vec(), GB18030.encode(&long).0.into_owned()] {
            let mut cut = bytes;
            cut.truncate(cut.len() - 6);
            while std::str::from_utf8(&cut).is_ok() {
                cut.pop();
            }
            let decoded = decode(&cut, true).unwrap();
            assert!(decoded.unreadable <= 1 && decoded.text.starts_with("第一章"), "{}", decoded.encoding);
        }
    }

    #[test]
    fn a_file_that_is_no_text_is_refused() {
        let noise: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert!(matches!(decode(&noise, true), Err(Unreadable::NotText)));
        assert!(matches!(decode(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", true), Err(Unreadable::NotText)));
    }
}
