//! The length of a continuation that the writer keeps.

use palimpsest_text::count;

use crate::model::ChangedText;

/// Minimum texts from which a habit is taken.
const MIN_TEXTS: usize = 5;
/// A text has another length than its draft from this share of the longer one on.
const CHANGED_SHARE: f64 = 0.2;

/// The length of a text, if the writer gave it another one than its draft has. A draft that was taken with its length
/// tells nothing: it is as long as the model wrote it.
fn chosen_words(changed: &ChangedText) -> Option<u32> {
    let words = count::words(&changed.text);
    let Some(draft) = &changed.draft else { return Some(words) };
    let drafted = count::words(draft);
    let is_other = f64::from(words.abs_diff(drafted)) > CHANGED_SHARE * f64::from(words.max(drafted));
    is_other.then_some(words)
}

/// The median length of the texts to which the writer gave their length, in words or Han characters: of those in the
/// scene type if there are enough, else of all. `None` for too few.
pub(crate) fn usual_length(texts: &[ChangedText], scene_type: Option<&str>) -> Option<u32> {
    let is_here = |text: &&ChangedText| scene_type.is_some() && text.scene_type.as_deref() == scene_type;
    let here = texts.iter().filter(is_here).filter_map(chosen_words).collect();
    median(here).or_else(|| median(texts.iter().filter_map(chosen_words).collect()))
}

fn median(mut words: Vec<u32>) -> Option<u32> {
    if words.len() < MIN_TEXTS {
        return None;
    }
    let middle = words.len() / 2;
    Some(*words.select_nth_unstable(middle).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(scene: Option<&str>, drafted: Option<usize>, written: usize) -> ChangedText {
        let of = |words: usize| "rain ".repeat(words);
        ChangedText { scene_type: scene.map(Into::into), draft: drafted.map(of), text: of(written) }
    }

    #[test]
    fn the_usual_length_is_that_of_texts_whose_length_the_writer_changed() {
        let shortened: Vec<ChangedText> = [60, 50, 70, 40, 80].map(|words| text(None, Some(120), words)).into();
        assert_eq!(usual_length(&shortened, None), Some(60));
        assert_eq!(usual_length(&shortened[..4], None), None, "too few");
        let reworded: Vec<ChangedText> = [110, 115, 120, 100, 130].map(|words| text(None, Some(120), words)).into();
        assert_eq!(usual_length(&reworded, None), None, "as long as the model wrote them");
        let own: Vec<ChangedText> = [200; 5].map(|words| text(None, None, words)).into();
        assert_eq!(usual_length(&own, None), Some(200));
    }

    #[test]
    fn a_scene_type_with_enough_texts_has_a_length_of_its_own() {
        let mut texts: Vec<ChangedText> = [30; 5].map(|words| text(Some("dialogue"), Some(120), words)).into();
        texts.extend([240; 9].map(|words| text(Some("description"), Some(120), words)));
        assert_eq!(usual_length(&texts, Some("dialogue")), Some(30));
        assert_eq!(usual_length(&texts, Some("action")), Some(240));
        assert_eq!(usual_length(&texts, None), Some(240));
    }
}
