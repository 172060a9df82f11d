//! The style profile of a book's chapters: a description for the writer, from which nothing is learned.

use palimpsest_manuscript::ChapterId;
use palimpsest_memory::model::Language;
use palimpsest_text::{
    count, paragraphs,
    style::profile::{FeatureSummary, Profile, style_profile},
};
use serde::Serialize;
use specta::Type;

use crate::{
    Api,
    books::from_book,
    dto::{ProjectArguments, saturating_u32},
    error::{ApiError, OrLog, manuscript},
};

/// The style profile of a book.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StyleProfile {
    /// Number of chapters read.
    pub chapters: u32,
    /// Number of measured passages, of about three hundred words, or Chinese characters, each.
    pub passages: u32,
    /// Number of words, or Chinese characters, in them.
    pub words: u32,
    /// Number of words left out because the assistant wrote them.
    pub by_assistant: u32,
    /// Empty where there is no passage.
    pub sides: Vec<StyleSide>,
}

/// One feature of a style. Its unit depends on the feature: units a sentence, sentences a paragraph, a share (0..1), a
/// rate for each hundred units, or marks a sentence.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StyleSide {
    /// The feature, as in a rule's pattern.
    pub feature: String,
    /// Mean over the passages, ≥ 0.
    pub mean: f32,
    /// Lower quartile over the passages.
    pub low: f32,
    /// Upper quartile over the passages.
    pub high: f32,
}

impl Api {
    /// Computed from the chapters on disk, without the passages marked as written by the assistant.
    pub(crate) fn project_style(&self, args: ProjectArguments) -> Result<StyleProfile, ApiError> {
        let language = self.engine.known_project(&args.project_id)?.language;
        let open = self.book(&args.project_id)?;
        let chapters: Vec<ChapterId> = {
            let book = self.lock_refreshed(&args.project_id, &open)?;
            book.chapters().iter().map(|chapter| chapter.chapter_id.clone()).collect()
        };
        let mut texts = Vec::new();
        let mut by_assistant = 0;
        for chapter_id in chapters {
            // A chapter that cannot be read now is skipped; opening it reports the reason.
            let read = open.lock().read(&chapter_id).map_err(manuscript);
            let Some(read) = read.or_log("read a chapter") else { continue };
            let marks = self.marks_in(&args.project_id, &from_book(&chapter_id), &read.text);
            let ranges = marks.iter().map(|mark| (mark.from, mark.to));
            let (own, left) = without_ranges(&read.text, ranges);
            texts.push(own);
            by_assistant += left;
        }
        let language = match language {
            Language::Zh => palimpsest_text::Language::Zh,
            Language::En => palimpsest_text::Language::En,
        };
        let found = style_profile(texts.iter().map(String::as_str), language);
        let Profile { passages, units, features } =
            found.unwrap_or(Profile { passages: 0, units: 0, features: Vec::new() });
        let side = |FeatureSummary { feature, mean, low, high }| StyleSide {
            feature: feature.as_str().into(),
            mean,
            low,
            high,
        };
        Ok(StyleProfile {
            chapters: saturating_u32(texts.len()),
            passages,
            words: units,
            by_assistant,
            sides: features.into_iter().map(side).collect(),
        })
    }
}

/// A text without the paragraphs that overlap one of these ranges, in UTF-16 units; and the words of those paragraphs.
fn without_ranges(text: &str, ranges: impl Iterator<Item = (u32, u32)> + Clone) -> (String, u32) {
    let (mut own, mut left) = (String::with_capacity(text.len()), 0);
    let (mut start, mut at) = (0, 0_u32);
    for paragraph in paragraphs::ranges(text) {
        // With the line ends behind it.
        let rest = text.get(paragraph.end..).unwrap_or_default();
        let end = paragraph.end + rest.len() - rest.trim_start_matches(['\n', '\r']).len();
        let words = text.get(start..end).unwrap_or_default();
        start = end;
        let after = at.saturating_add(saturating_u32(words.encode_utf16().count()));
        if ranges.clone().any(|(from, to)| from < after && at < to) {
            left += count::words(words);
        } else {
            own.push_str(words);
        }
        at = after;
    }
    (own, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_with_text_of_the_assistant_does_not_count_as_the_writers() {
        let text = "雨停了。\n灯亮着，😀他没动。\n门开了。\n";
        let from = "雨停了。\n灯亮着，😀".encode_utf16().count() as u32;
        assert_eq!(without_ranges(text, [(from, from + 3)].into_iter()), ("雨停了。\n门开了。\n".into(), 6));
        assert_eq!(without_ranges(text, [].into_iter()).0, text);
        let wrapped = "He had read all of what stood in the book\nand knew that the ferry would be late once\nmore. He waited.\n\n";
        let text = format!("{wrapped}{wrapped}It came.\n");
        let from = u32::try_from(wrapped.len() + 5).unwrap();
        assert_eq!(without_ranges(&text, [(from, from + 3)].into_iter()), (format!("{wrapped}It came.\n"), 22));
    }
}
