//! Names that are everyday words in lower case.

/// Given names and family names that English prose uses as words, in lower case. Written for this program: names of the
/// usual lists of the United States and Great Britain, as far as a general dictionary has them in lower case.
const WORDS: &str = "\
ace ada aid al alba amber an ann angel apple april aria art ash aspen august aurora autumn axel baker ball banks bard barker \
barley baron basil bay bean bear beau bell belle ben berry beryl best beth bill billy birch bird bishop black blaze bliss bloom blossom blue bob \
bolt bond bonny book booker boone booth bow bowman boy brady branch brand bravery breeze brick bridge bright brook brooke brooks brown \
buck bud buddy bunny burns bush butcher butler buster butter cage cake calm cameo candy cap capper carol carpenter carter case cash cat cedar \
chance chandler channing chants charity charm chase chastity cherish cherry chip christian chuck church clay clement clever \
cliff cloud clove clover cole colt con constance cook cool cooper coral cotton courage court craft crane creed crew cricket \
cross crow crystal curt cyan cypress dab dahlia daisy dale dan dane dash dawn day deacon dean dee deed den destiny dew diamond \
dick dill dimple divine dixie doc dolly don dot dove drake dream drew duke dusk dusty earl early earnest easter easy ebony echo eden \
elder elm ember emerald en ever faith fall falcon farmer fawn fay fennel fern field finch fisher flame fleet fletcher flint flora florence \
flower forest forester fortune fox frank freedom french frost gale garland garnet gay gem gene genesis gin ginger \
glass glen glory gold golden grace graham grand grant gray green grey grove guard gull gunner guy hale hall hank hardy harmony harper \
harp harry hart haven hawk hazel heath heather heaven hector herb hero hill holly honest honey honor honour hood hope house hudson hugh \
hunter hyacinth ice ida ike in indie indigo iris irons iron isle ivory ivy jack jade jam jasmine jasper jay jazz jean jenny jerry jersey jess jet jewel jill jimmy job jock joe john johns \
jolly joy juke july june junior juniper just justice justus keen kerry key king kit kitty knight lacy lad lake lance land lane \
lark laurel lavender law lawyer lea leaf leal lee legend leigh leo les levy li liberty lien light lilac lily lime linden line link lion little \
lock lodge long lord lot lotus love lovely loyal luce luck lucky lune lux lynx lyric mace madge magic magnolia maid major male man manner many maple \
marble march marina mark marks marsh marshal marshall martin marvel mary mason master mat matt maverick max may mead meadow \
melody mercury mercy merit merry mica mike mild mile miles mill miller mina mine minor mint miracle misty moon moor morgan morning \
moss mercer mister moses myrtle nan navy ned new nick nights noble noel north norm nova oak oakley ocean odd olive opal orchid \
orion otter owl page paige palm pansy paris park parker parks parson pat patience paul peace peach peal pearl pearls pebble peg penny \
pepper perry pet petal peter petunia phoenix pierce pike pine piper pip plain plum poe poet pole pollen polly pool poor pope poppy \
porter post potter power precious price prince princess primrose prior promise prosper prudence pry purity queen quest quick \
quill rabbit radish rain raine ram ran randy ranger raven ray read red reed reef reeve rein remedy rex rice rich ridge riot \
rip rise river rivers rob robin rock rocket rocky rod rogue roman roman rook roots rose roses rosemary rosy rowan row roy royal ruby rue \
rush russet rust rusty rye saber sable sadie sage sailor sally sam sand sandy sapphire savage sawyer scarlet scout sea \
season self senior serene serenity shade shadow shark sharp shaw shell shepherd sheriff shore short sierra silence silk silver \
sincere singer sky skylark slate small smart smith snow sol solace solo song sorrel south sparks sparrow spencer spring \
spruce star starling steel stella sterling stone stoner storm story strange stranger street strong sue sugar summer sun sunday sunny \
sunshine swan sweet swift tab talent talon tanner tansy tate tawny taylor ted teal temperance temple terrace terry thane thorn thyme \
tide tiger tim timber tod toil tom tony topaz town trace treasure tree trees trinity trip trot troy true truly trust truth tuck tucker tulip turner \
twain tyke tyler unique unity valley valour van vale velvet venture venus vera verity vernal verse vesper vest via vic victor victory \
viola violet virtue vision wade walker wall waller ward warden ware warner watch water waters waverly way weaver webb webs wells west wheeler \
white wild wilder will willow wills wind winds wing winner winter wise wish wisdom wit wolf wonder wood woods woody worth wren wright \
yale york young yule zeal zen zephyr zest zinnia";

/// Whether a name is an everyday word when it is written in lower case; its lower case is then hidden only if the
/// writer asks for it. Chinese has no case, so no Chinese name is one.
#[must_use]
pub fn is_everyday(name: &str) -> bool {
    let word = name.trim();
    word.is_ascii() && {
        let word = word.to_ascii_lowercase();
        WORDS.split_ascii_whitespace().any(|one| one == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_a_word_is_known_and_another_is_not() {
        for name in ["Al", "Will", "Rose", "Mark", "Hope", "GRACE", "hunter", " May "] {
            assert!(is_everyday(name), "{name}");
        }
        for name in ["Anna", "陈默", "Zorblax", "Mark Twain", "", "Wystan", "McKay"] {
            assert!(!is_everyday(name), "{name}");
        }
    }
}
