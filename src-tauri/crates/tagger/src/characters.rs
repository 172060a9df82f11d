//! The ids of characters.

use std::collections::HashMap;

use crate::files::{Malformed, entries, only_character};
use crate::network::KNOWN_CHARACTERS;

/// The entry with the id of all unknown characters.
const UNKNOWN: &str = "OOV";

/// Known characters with their ids.
pub(crate) struct Ids {
    known: HashMap<char, u16>,
    unknown: u16,
}

/// Characters that are read as others: full width as half width, capitals as small letters, traditional characters as
/// simplified ones, and many more. Some pairs look wrong and have to stay, because the network was trained with them.
pub(crate) struct Fold(HashMap<char, char>);

impl Ids {
    pub(crate) fn parse(contents: &[u8]) -> Result<Self, Malformed> {
        let (mut known, mut unknown) = (HashMap::new(), None);
        for entry in entries(contents) {
            let (id, value) = entry?;
            let number: u16 = id.parse().map_err(|_| Malformed::new("an id is no number"))?;
            if value == UNKNOWN {
                unknown = Some(number);
            } else {
                let character = only_character(value).filter(|_| usize::from(number) < KNOWN_CHARACTERS);
                known.insert(character.ok_or_else(|| Malformed::new(format!("id {number}: out of range")))?, number);
            }
        }
        let unknown = unknown.filter(|&id| usize::from(id) >= KNOWN_CHARACTERS);
        Ok(Self { known, unknown: unknown.ok_or_else(|| Malformed::new("no id for unknown characters"))? })
    }

    /// The id of a character behind `fold`, which is looked up once, also where its target has a target of its own.
    pub(crate) fn get(&self, character: char, fold: &Fold) -> u16 {
        let folded = fold.0.get(&character).unwrap_or(&character);
        *self.known.get(folded).unwrap_or(&self.unknown)
    }
}

impl Fold {
    pub(crate) fn parse(contents: &[u8]) -> Result<Self, Malformed> {
        let pairs = entries(contents).map(|entry| {
            let (from, to) = entry?;
            let pair = only_character(from).zip(only_character(to));
            pair.ok_or_else(|| Malformed::new("an entry is no pair of characters"))
        });
        Ok(Self(pairs.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "0\t \n1\ta\n2\tA\n3\t万\n58223\tOOV\n";

    #[test]
    fn the_fold_is_looked_up_once() {
        let (ids, fold) =
            (Ids::parse(SMALL.as_bytes()).unwrap(), Fold::parse("Ａ\tA\nA\ta\n萬\t万\n".as_bytes()).unwrap());
        let found: Vec<u16> = "Ａ Aa萬万?".chars().map(|c| ids.get(c, &fold)).collect();
        assert_eq!(found, [2, 0, 1, 1, 3, 3, 58223]);
    }

    #[test]
    fn ids_that_no_row_can_have_are_refused() {
        for wrong in ["8223\ta\n58223\tOOV", "x\ta", "-1\ta", "70000\ta", "0\tab", "0\t", "0\ta", "5\tOOV", ""] {
            assert!(Ids::parse(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        for wrong in ["ab\tc", "a\t", "\tb", "a"] {
            assert!(Fold::parse(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
    }
}
