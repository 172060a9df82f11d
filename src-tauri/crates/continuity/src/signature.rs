//! The signature of an issue.

use palimpsest_text::single_spaced;

use crate::Kind;

/// The BLAKE3 hash of a kind, a name and the words of two quotes, 64 hexadecimal digits. White space, the kind of
/// apostrophes and the order of the quotes have no influence.
pub(crate) fn of_issue(kind: Kind, entity: &str, quotes: [&str; 2]) -> String {
    let mut folded = quotes.map(folded);
    folded.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for part in [kind.name(), entity, &folded[0], &folded[1]] {
        // The length before each part: two lists of parts never hash the same bytes.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn folded(quote: &str) -> String {
    single_spaced(quote).trim().replace('’', "'").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_order_have_no_influence_and_words_have() {
        let signature = of_issue(Kind::Age, "Mara", ["She was  ten.", "She was\ntwelve."]);
        assert_eq!(signature, of_issue(Kind::Age, "Mara", ["She was twelve.", "She was ten."]));
        assert_eq!(signature.len(), 64);
        for other in [
            of_issue(Kind::Age, "Mara", ["She was ten.", "She was eleven."]),
            of_issue(Kind::Date, "Mara", ["She was ten.", "She was twelve."]),
            of_issue(Kind::Age, "Tobias", ["She was ten.", "She was twelve."]),
        ] {
            assert_ne!(signature, other);
        }
    }
}
