//! Words of English statements of attributes.

use super::super::{AMBER, Attribute, BLACK, BLUE, BROWN, FAIR, GREEN, GREY, Limb, Mark, RED, VIOLET, Value};
use crate::en::KIN;

/// Colours of eyes. Red is left out: eyes are red from weeping.
const EYES: [(&str, Value); 27] = [
    ("blue", BLUE),
    ("azure", BLUE),
    ("sapphire", BLUE),
    ("cornflower", BLUE),
    ("turquoise", BLUE | GREEN),
    ("green", GREEN),
    ("emerald", GREEN),
    ("grey", GREY),
    ("gray", GREY),
    ("greyish", GREY),
    ("grayish", GREY),
    ("steel", GREY),
    ("brown", BROWN),
    ("chestnut", BROWN),
    ("chocolate", BROWN),
    ("hazel", BROWN | GREEN | AMBER),
    ("amber", AMBER | BROWN),
    ("golden", AMBER),
    ("topaz", AMBER),
    ("tawny", AMBER | BROWN),
    ("black", BLACK),
    ("ebony", BLACK),
    ("jet", BLACK),
    ("dark", BLACK | BROWN),
    ("violet", VIOLET),
    ("bluish", BLUE),
    ("greenish", GREEN),
];
/// Colours of hair and beard. Grey, silver and white are left out: age gives them to everybody.
const HAIR: [(&str, Value); 33] = [
    ("black", BLACK),
    ("raven", BLACK),
    ("ebony", BLACK),
    ("jet", BLACK),
    ("dark", BLACK | BROWN),
    ("brown", BROWN),
    ("brunette", BROWN),
    ("mousy", BROWN | FAIR),
    ("chestnut", BROWN | RED),
    ("mahogany", BROWN | RED),
    ("auburn", RED | BROWN),
    ("red", RED),
    ("reddish", RED),
    ("ginger", RED),
    ("copper", RED),
    ("coppery", RED),
    ("carroty", RED),
    ("carrot", RED),
    ("russet", RED | BROWN),
    ("rusty", RED),
    ("flaming", RED),
    ("tawny", FAIR | BROWN),
    ("sandy", FAIR | RED),
    ("fair", FAIR),
    ("blond", FAIR),
    ("blonde", FAIR),
    ("golden", FAIR),
    ("gold", FAIR),
    ("yellow", FAIR),
    ("flaxen", FAIR),
    ("tow", FAIR),
    ("honey", FAIR | BROWN),
    ("straw", FAIR),
];
/// Things of a colour, behind `the colour of`.
const THINGS: [(&str, Value); 17] = [
    ("wheat", FAIR),
    ("corn", FAIR),
    ("straw", FAIR),
    ("honey", FAIR | AMBER | BROWN),
    ("butter", FAIR),
    ("copper", RED),
    ("rust", RED),
    ("fire", RED),
    ("coal", BLACK),
    ("ink", BLACK),
    ("pitch", BLACK),
    ("soot", BLACK),
    ("steel", GREY),
    ("slate", GREY),
    ("smoke", GREY),
    ("chestnuts", BROWN | RED),
    ("moss", GREEN),
];

/// The attribute of a noun.
pub(super) fn coloured(noun: &str) -> Option<Attribute> {
    match noun {
        "eyes" => Some(Attribute::Eyes),
        "hair" | "curls" | "locks" | "tresses" | "braid" | "braids" | "plait" | "plaits" | "ringlets" | "ponytail"
        | "pigtail" | "pigtails" | "head" => Some(Attribute::Hair),
        "beard" => Some(Attribute::Beard),
        _ => None,
    }
}

/// The attribute of the last part of a compound: `brown-eyed`.
pub(super) fn compound(ending: &str) -> Option<Attribute> {
    match ending {
        "eyed" => Some(Attribute::Eyes),
        "haired" | "headed" => Some(Attribute::Hair),
        "bearded" => Some(Attribute::Beard),
        _ => None,
    }
}

/// The colour of a word, with all the colours of a compound: `blue-grey`.
pub(super) fn colour(word: &str, attribute: Attribute) -> Option<Value> {
    let list: &[(&str, Value)] = if attribute == Attribute::Eyes { &EYES } else { &HAIR };
    let parts = word.split('-').filter_map(|part| list.iter().find(|(colour, _)| *colour == part));
    parts.map(|(_, value)| *value).reduce(|one, other| one | other)
}

/// The colour that a comparison with something means: that of `hazel` is brown.
pub(super) fn colour_of_thing(word: &str) -> Option<Value> {
    THINGS.iter().find(|(thing, _)| *thing == word).map(|(_, value)| *value)
}

/// The limb of a noun.
pub(super) fn limb(noun: &str) -> Option<Limb> {
    Some(match noun {
        "leg" | "foot" | "knee" | "ankle" | "hip" | "thigh" | "shin" | "calf" => Limb::Leg,
        "arm" | "forearm" | "sleeve" => Limb::Arm,
        "elbow" => Limb::Elbow,
        "wrist" => Limb::Wrist,
        "hand" => Limb::Hand,
        "shoulder" => Limb::Shoulder,
        "eye" => Limb::Eye,
        "ear" | "earlobe" => Limb::Ear,
        "cheek" | "cheekbone" | "jaw" => Limb::Cheek,
        "brow" | "eyebrow" => Limb::Brow,
        _ => return None,
    })
}

/// The mark that a word tells of, if a limb may have it.
pub(super) fn mark(word: &str, limb: Limb) -> Option<Mark> {
    let is_limb = !matches!(limb, Limb::Cheek | Limb::Brow | Limb::Eye | Limb::Ear);
    let (mark, fits) = match word {
        "scar" | "scars" | "scarred" | "burn" | "burned" | "burnt" => (Mark::Scar, true),
        "mole" | "birthmark" => (Mark::Mole, true),
        "tattoo" | "tattooed" => (Mark::Tattoo, true),
        "limp" | "limped" | "limping" | "lame" | "lamed" | "dragged" | "hobbled" => (Mark::Injury, limb == Limb::Leg),
        "blind" | "blinded" | "sightless" | "glass" | "patch" => (Mark::Injury, limb == Limb::Eye),
        "deaf" => (Mark::Injury, limb == Limb::Ear),
        "lost" | "missing" | "gone" => (Mark::Injury, !matches!(limb, Limb::Cheek | Limb::Brow)),
        "broke" | "broken" | "fracture" | "fractured" | "shattered" | "crushed" | "crippled" | "wooden"
        | "amputated" | "severed" | "injured" | "sprained" | "twisted" | "withered" | "paralysed" | "paralyzed"
        | "stiff" | "bad" | "game" | "useless" | "artificial" | "prosthetic" | "mangled" | "maimed" | "stump"
        | "bullet" | "shrapnel" | "wound" | "wounded" | "splinted" | "dislocated" => (Mark::Injury, is_limb),
        _ => return None,
    };
    fits.then_some(mark)
}

/// Words that may stand between a mark and the limb behind it: `scar that ran down her right cheek`.
pub(super) const LINKS: [&str; 44] = [
    "a", "above", "across", "along", "at", "below", "beneath", "both", "crossed", "down", "entered", "finger",
    "fingers", "from", "gone", "had", "half", "hit", "in", "into", "its", "left", "mark", "of", "on", "over", "part",
    "ran", "running", "struck", "that", "the", "three", "through", "to", "toe", "toes", "two", "under", "which",
    "with", "ploughed", "marked", "four",
];
/// Words that may stand between a limb and the mark behind it: `his left leg had been badly broken`.
pub(super) const STATES: [&str; 27] = [
    "was", "were", "is", "are", "had", "has", "been", "being", "still", "a", "the", "always", "badly", "quite", "now",
    "all", "but", "that", "which", "he", "she", "there", "bore", "half", "once", "one", "hung",
];
/// Words that may stand between a noun and its colour: `eyes, which were of a very deep blue`.
pub(super) const COPULAS: [&str; 46] = [
    "was",
    "were",
    "is",
    "are",
    "had",
    "been",
    "always",
    "of",
    "a",
    "an",
    "the",
    "very",
    "so",
    "as",
    "quite",
    "rather",
    "which",
    "that",
    "deep",
    "pale",
    "palest",
    "light",
    "soft",
    "bright",
    "brightest",
    "clear",
    "colour",
    "color",
    "same",
    "still",
    "all",
    "both",
    "pure",
    "deepest",
    "darkest",
    "strange",
    "shade",
    "large",
    "big",
    "long",
    "thick",
    "curly",
    "straight",
    "startling",
    "dull",
    "lightest",
];
/// Words that are no adjective: they end a noun phrase.
pub(super) const NO_ADJECTIVES: [&str; 70] = [
    "a", "about", "above", "across", "after", "against", "all", "along", "an", "and", "around", "as", "at", "before",
    "behind", "beneath", "beside", "between", "but", "by", "down", "for", "from", "had", "has", "have", "having", "he",
    "her", "his", "i", "in", "into", "is", "it", "its", "like", "my", "no", "not", "of", "off", "on", "or", "our",
    "out", "over", "round", "she", "so", "such", "than", "that", "the", "their", "these", "they", "those", "through",
    "to", "too", "toward", "towards", "under", "up", "was", "were", "while", "with", "your",
];
/// Nouns for somebody else or for an animal, beside those of [`KIN`].
const OTHERS: [&str; 57] = [
    "man",
    "men",
    "woman",
    "women",
    "boy",
    "boys",
    "girl",
    "girls",
    "lad",
    "lass",
    "child",
    "youth",
    "fellow",
    "lady",
    "ladies",
    "gentleman",
    "gentlemen",
    "bachelor",
    "widow",
    "widower",
    "soldier",
    "sailor",
    "maid",
    "maiden",
    "infant",
    "person",
    "people",
    "sisters",
    "brothers",
    "strangers",
    "doctor",
    "captain",
    "officer",
    "priest",
    "nurse",
    "king",
    "queen",
    "dog",
    "dogs",
    "cat",
    "cats",
    "horse",
    "mare",
    "doll",
    "wig",
    "mask",
    "spaniel",
    "monkey",
    "owl",
    "bird",
    "creature",
    "animal",
    "beast",
    "wolf",
    "lion",
    "fox",
    "devil",
];

/// Whether a noun is for somebody else or for an animal, whose attribute it may be.
pub(super) fn is_other(word: &str) -> bool {
    OTHERS.contains(&word) || KIN.contains(&word)
}
/// Words of change, and of disguise. `Turned grey` is none of the forms of a statement by itself.
pub(super) const CHANGES: [&str; 8] = ["longer", "dyed", "dye", "changed", "bleached", "disguise", "disguised", "wig"];
/// Verbs of which another one's eyes and hair are the object: `Mara met his blue eyes`.
pub(super) const TOWARDS_OTHERS: [&str; 18] = [
    "met", "kissed", "stroked", "looked", "gazed", "stared", "peered", "saw", "watched", "caught", "studied",
    "noticed", "admired", "loved", "ruffled", "searched", "faced", "seen",
];
