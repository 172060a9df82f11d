//! Variety of examples: three copies of one scene teach a model no more than two, and take the place of another.

use palimpsest_text::terms;

use crate::model::{Episode, Recalled};

/// Two episodes whose terms overlap at least this much are copies of one scene (Jaccard's index of their term sets,
/// 0..1). Half was chosen by eye, on pairs like those of the test below.
const MIN_OVERLAP: f64 = 0.5;
/// Maximum number of copies of one scene: a second one shows which features stay the same.
const MAX_COPIES: usize = 2;

/// Episodes selected for variety, and those left out.
#[derive(Debug, Default)]
pub(crate) struct Varied {
    /// Best first.
    pub taken: Vec<Recalled>,
    /// Left out as copies of those.
    pub alike: Vec<Recalled>,
}

/// The first `limit` of `found`, best first, without episodes that are copies of [`MAX_COPIES`] taken before them.
#[must_use]
pub(crate) fn varied(found: Vec<Recalled>, limit: usize) -> Varied {
    let mut taken: Vec<(Recalled, Vec<u32>)> = Vec::new();
    let mut alike = Vec::new();
    for one in found {
        if taken.len() == limit {
            break;
        }
        let terms = terms_of(&one.episode);
        if taken.iter().filter(|(_, other)| are_alike(&terms, other)).count() < MAX_COPIES {
            taken.push((one, terms));
        } else {
            alike.push(one);
        }
    }
    Varied { taken: taken.into_iter().map(|(one, _)| one).collect(), alike }
}

/// The terms of the passage and of the final text.
fn terms_of(episode: &Episode) -> Vec<u32> {
    let written = [episode.final_text.as_str(), episode.explicit.as_deref().unwrap_or_default()].concat();
    codes([episode.input_context.as_str(), &written])
}

/// The terms of texts, each once, as codes in order.
fn codes<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
    let mut codes = Vec::new();
    for text in texts {
        terms::each_index_term(text, |term| codes.push(terms::hash_term(term)));
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn are_alike(one: &[u32], other: &[u32]) -> bool {
    let common = one.iter().filter(|code| other.binary_search(code).is_ok()).count();
    let all = one.len() + other.len() - common;
    all == 0 || common as f64 / all as f64 >= MIN_OVERLAP
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn are(one: &str, other: &str) -> bool {
        are_alike(&codes([one]), &codes([other]))
    }

    #[test]
    fn drafts_of_one_paragraph_are_alike_and_paragraphs_of_one_scene_are_not() {
        assert!(are("他慢慢地沿着走廊走过去，灯灭了。", "他沿着走廊慢慢走过去，灯灭了，没有声音。"));
        assert!(!are("他沿着走廊慢慢走过去，灯灭了。", "她在门后听见脚步，把手稿合上，屏住了气。"));
        assert!(are("He walked down the long wet corridor.", "He walked slowly down the long wet corridor."));
        assert!(!are("He walked down the long wet corridor.", "Behind the door she heard steps and held her breath."));
        assert!(are("", ""));
    }

    proptest! {
        #[test]
        fn no_text_is_more_like_another_than_like_itself(one in "\\PC{0,40}", other in "\\PC{0,40}") {
            prop_assert!(are(&one, &one));
            prop_assert_eq!(are(&one, &other), are(&other, &one));
        }
    }
}
