//! Scenarios of the rules that find Chinese names which a tagger misses, or that drop what it wrongly takes for names.

use palimpsest_reader::{
    drift,
    names::{EntityKind, Names, TaggedChapter, TaggedWord, WordKind, detect_zh, words_by_rules},
};

/// A text of words that are divided by `|`; a word before `/人` is a person.
fn tagged(marked: &str) -> (String, Vec<TaggedWord>) {
    let (mut text, mut words) = (String::new(), Vec::new());
    for word in marked.split('|') {
        let (word, kind) = match word.strip_suffix("/人") {
            Some(word) => (word, WordKind::Person),
            None => (word, WordKind::Other),
        };
        words.push(TaggedWord { range: text.len()..text.len() + word.len(), kind });
        text.push_str(word);
    }
    (text, words)
}

fn find(marked: &str) -> Names {
    let (text, words) = tagged(marked);
    detect_zh(&[TaggedChapter { text: &text, words: &words }], &[])
}

/// The forms of each entity of a kind, in the order of their texts.
fn forms_of(names: &Names, kind: EntityKind) -> Vec<Vec<String>> {
    let forms = |one: &palimpsest_reader::names::DetectedEntity| {
        let mut forms: Vec<String> = one.forms.iter().map(|form| form.text.clone()).collect();
        forms.sort_unstable();
        forms
    };
    let mut found: Vec<Vec<String>> = names.entities.iter().filter(|one| one.kind == kind).map(forms).collect();
    found.sort_unstable();
    found
}

fn persons(marked: &str) -> Vec<Vec<String>> {
    forms_of(&find(marked), EntityKind::Character)
}

#[test]
fn a_word_that_stands_where_persons_do_is_a_name_unless_it_is_an_ordinary_word() {
    let text = "阔亭|说|好|。|阔亭|便|走|。|阔亭|笑|了|。|他|对|阔亭|说|。|阔亭|走|。";
    assert_eq!(persons(text), [["阔亭"]]);
    assert!(persons(&text.replace("阔亭", "母亲")).is_empty());
    assert!(persons(&text.replace("阔亭", "院中")).is_empty(), "a part of a house");
    let seldom = "看|阔亭|的|书|。|看|阔亭|的|花|。|看|阔亭|的|门|。|看|阔亭|的|手|。|看|阔亭|的|脸|。";
    assert!(persons(seldom).is_empty());
}

#[test]
fn words_that_always_stand_together_are_one() {
    let text = "老|拱|说|好|。|老|拱|笑|了|。|老|拱|便|走|。|老|拱|问|。|老|拱|走|。";
    assert_eq!(persons(text), [["老拱"]]);
    let described = "胖|大汉|说|好|。|胖|大汉|笑|了|。|胖|大汉|便|走|。|胖|大汉|问|。|胖|大汉|走|。";
    assert!(persons(described).is_empty());
}

#[test]
fn a_word_that_never_stands_where_persons_do_is_no_person() {
    assert!(persons("的|严威/人|。|的|严威/人|。|的|严威/人|。|的|严威/人").is_empty(), "a surname is not enough");
    assert!(persons("拔|芦柴/人|烧|。|拔|芦柴/人|烧|").is_empty());
    assert!(persons("那|闰土/人|说|。|那|闰土/人|说|").is_empty(), "a common noun is behind a pronoun");
    assert_eq!(persons("的|阿随/人|。|的|阿随/人|。|的|阿随/人|。|的|阿随/人"), [["阿随"]]);
}

#[test]
fn a_rank_or_a_surname_with_a_title_is_a_person() {
    assert_eq!(persons("看|四爷|来|。|看|四爷|去|"), [["四爷"]]);
    assert_eq!(persons("看|六一|公公|来|。|看|六一|公公|去|"), [["六一公公"]]);
    assert_eq!(persons("看|赵太爷|来|。|看|赵太爷|去|"), [["赵太爷"]]);
}

#[test]
fn a_surname_with_a_house_is_a_family() {
    let names = find("曹家/人|来|了|。|曹家/人|说|。|曹先生/人|说|。|曹先生/人|走|");
    assert_eq!(forms_of(&names, EntityKind::Faction), [["曹家"]]);
    assert_eq!(forms_of(&names, EntityKind::Character), [["曹先生"]]);
}

#[test]
fn a_name_does_not_contain_the_words_beside_it() {
    let text = "闰土/人|说|。|闰土/人|笑|。|闰土道/人|，|闰土道/人|，|他|向闰土/人|说|，|他|向闰土/人|说";
    assert_eq!(persons(text), [["闰土"]]);
}

#[test]
fn a_name_of_one_character_needs_many_readings() {
    let text = "羿/人|说|。|".repeat(8);
    assert_eq!(persons(&text), [["羿"]]);
    assert!(persons(&"羿/人|说|。|".repeat(4)).is_empty());
    assert!(persons(&text.replace('羿', "王")).is_empty(), "a surname");
}

#[test]
fn a_given_name_alone_and_a_full_name_that_stands_once_are_one_person() {
    let text = "陈士成/人|说|。|陈士成/人|笑|。|士成|走|。";
    assert_eq!(persons(text), [["士成", "陈士成"]]);
    let once = "连殳/人|说|。|连殳/人|笑|。|他|叫|魏连殳/人|。|连殳/人|走";
    assert_eq!(persons(once), [["连殳", "魏连殳"]]);
    let with_verb = "连殳/人|说|。|连殳/人|笑|。|他|谢连殳/人|。|连殳/人|走";
    assert_eq!(persons(with_verb), [["连殳"]]);
}

#[test]
fn a_character_of_the_given_name_with_a_familiar_word_is_the_same_person() {
    let text = "何道纲/人|说|。|何道纲/人|笑|。|道翁|，|请|。|道翁|，|坐|。";
    assert_eq!(persons(text), [["何道纲", "道翁"]]);
    let father_and_son = "华老栓/人|说|。|华老栓/人|笑|。|小栓/人|说|。|小栓/人|走";
    assert_eq!(persons(father_and_son), [["华老栓"], ["小栓"]]);
    let masters = "老子/人|说|。|老子/人|笑|。|孔子/人|说|。|孔子/人|走";
    assert_eq!(persons(masters), [["孔子"], ["老子"]]);
}

#[test]
fn a_title_of_respect_joins_a_whole_name_but_a_title_of_kin_does_not() {
    assert_eq!(persons("八三/人|说|。|八三/人|笑|。|八三哥/人|走|。|八三哥/人|坐"), [["八三", "八三哥"]]);
    assert_eq!(persons("单明/人|说|。|单明/人|笑|。|单明嫂/人|走|。|单明嫂/人|坐"), [["单明"], ["单明嫂"]]);
    assert_eq!(persons("小Ｄ/人|说|。|小Ｄ/人|笑|。|小Ｄｏｎ/人|走|。|小Ｄｏｎ/人|坐"), [["小Ｄ", "小Ｄｏｎ"]]);
    assert_eq!(persons("普悌思/人|说|。|普悌思/人|笑|。|普大夫/人|走|。|普大夫/人|坐"), [["普大夫", "普悌思"]]);
    assert_eq!(persons("曹氏/人|说|。|曹氏/人|笑|。|曹先生/人|走|。|曹先生/人|坐"), [["曹先生"], ["曹氏"]]);
}

/// The misspellings in the last of several chapters.
fn drifts(chapters: &[&str]) -> Vec<String> {
    let read: Vec<(String, Vec<TaggedWord>)> = chapters.iter().map(|chapter| tagged(chapter)).collect();
    let chapters: Vec<TaggedChapter<'_>> = read.iter().map(|(text, words)| TaggedChapter { text, words }).collect();
    let entities = detect_zh(&chapters, &[]).entities;
    drift::detect_zh(&chapters, &entities)
        .into_iter()
        .map(|one| format!("{}→{}", &chapters[one.chapter].text[one.range], one.meant))
        .collect()
}

fn drift_in(name: &str, sentence: &str) -> Vec<String> {
    drifts(&[&format!("{}{sentence}", format!("{name}/人|说|。|{name}/人|笑|。|").repeat(3))])
}

#[test]
fn a_misspelling_of_two_characters_needs_a_like_sound_or_shape() {
    assert_eq!(drift_in("林深", "后来|林申|走|了|。"), ["林申→林深"], "a like sound");
    assert_eq!(drift_in("闰土", "后来|闰士|说|。"), ["闰士→闰土"], "a like shape");
    assert!(drift_in("林深", "后来|林宽/人|走|了|。").is_empty());
}

#[test]
fn a_misspelling_in_a_longer_name_that_stands_once_is_found() {
    assert_eq!(drift_in("闰土", "后来|，|润土哥/人|，|来|了|。"), ["润土→闰土"]);
}

#[test]
fn an_ordinary_word_or_a_part_of_one_is_no_misspelling() {
    assert!(drift_in("石投", "后来|石头|走|了|。").is_empty());
    assert_eq!(drift_in("沛君", "后来|，|沛|军|走|了|。"), ["沛军→沛君"]);
    assert!(drift_in("沛君", "后来|，|沛|军队|走|了|。").is_empty());
    assert!(drift_in("阿河", "后来|阿|和|他|走|了|。").is_empty(), "a word of its own");
    assert!(drift_in("水生", "潺潺|的|水升|。").is_empty(), "a noun behind an attribute");
}

#[test]
fn any_character_inside_a_longer_name_may_be_wrong_where_the_tagger_reads_a_name() {
    assert_eq!(drift_in("卫老婆子", "后来|卫若婆子/人|走|了|。"), ["卫若婆子→卫老婆子"]);
    assert!(drift_in("卫老婆子", "后来|卫若婆子|走|了|。").is_empty());
    assert!(drift_in("木公公", "后来|八公公/人|走|了|。").is_empty(), "another man with the same title");
    assert!(drift_in("周明远", "后来|王明远/人|走|了|。").is_empty(), "another surname");
    assert!(drift_in("周明远", "后来|周明翁/人|走|了|。").is_empty(), "a familiar form");
    assert!(drift_in("祁老太爷", "后来|祁老太太/人|走|了|。").is_empty(), "his wife");
}

#[test]
fn a_word_beside_a_known_name_is_no_part_of_a_misspelling() {
    let names = "赵明远/人|说|。|赵明远/人|笑|。|赵明远/人|来|。|明远/人|说|。|明远/人|笑|。";
    assert!(drifts(&[&format!("{names}|后来|照|明远/人|说|。")]).is_empty());
    let read_together = format!("{names}后来|，|兆明/人|远|说|。");
    assert_eq!(drifts(&[&read_together]), ["兆明远→赵明远"]);
    let names = format!("{}{}", "林深/人|说|。|林深/人|笑|。|".repeat(3), "申屠/人|说|。|申屠/人|笑|。|".repeat(3));
    assert!(drifts(&[&format!("{names}后来|，|林|申屠/人|走|了|。")]).is_empty());
}

#[test]
fn the_person_who_is_meant_is_named_in_the_same_chapter() {
    let names = "林深/人|说|。|林深/人|笑|。".repeat(3);
    assert_eq!(drifts(&[&names, "林深/人|来|。|后来|林申|走|了|。"]), ["林申→林深"]);
    assert!(drifts(&[&names, "后来|林申|走|了|。"]).is_empty());
}

#[test]
fn a_stranger_with_a_like_name_is_no_misspelling() {
    assert!(drift_in("林深", "门口|站|着|生人|，|林申|走|了|。").is_empty());
}

#[test]
fn names_are_found_by_rules_without_a_tagger() {
    let text = "周太太来了。周太太笑了。老拱说好。老拱便走。闰土说不知道。闰土问他。闰土便笑。闰土站起来。\
                赵明远说好。赵明远便走。母亲说好。母亲便走。母亲问他。母亲笑了。住在柳镇。回到柳镇。";
    let words = words_by_rules(text);
    let names = detect_zh(&[TaggedChapter { text, words: &words }], &[]);
    assert_eq!(forms_of(&names, EntityKind::Character), [["周太太"], ["老拱"], ["赵明远"], ["闰土"]]);
    assert_eq!(forms_of(&names, EntityKind::Place), [["柳镇"]]);
    assert!(words.windows(2).all(|two| two[0].range.end <= two[1].range.start));
}

#[test]
fn a_name_that_stands_once_is_a_person_if_its_form_leaves_no_doubt() {
    for name in ["林书衡", "沈澈", "周先生", "老沈", "阿沅", "小林", "汉文帝", "欧阳澈"] {
        assert_eq!(persons(&format!("他|和|{name}/人|说|话|。")), [[name]]);
    }
    for word in ["杨柳", "母亲", "阿呀", "小雪", "沅澈", "林家庄", "杨梅树"] {
        assert!(persons(&format!("他|和|{word}/人|说|话|。")).is_empty(), "{word}");
    }
    assert!(persons("他|和|林书衡|说|话|。").is_empty(), "not read as a person");
    assert_eq!(persons("他|和|沈师长/人|走|。"), [["沈师长"]]);
}

#[test]
fn a_name_that_stands_once_is_no_part_of_a_longer_word() {
    assert!(persons("和|沈澈/人|岩|的|花|。").is_empty());
    assert!(persons("爱|沈澈/人|、|花|。").is_empty());
    assert!(persons("神农/人|沈澈/人|和|花|。").is_empty());
    assert_eq!(persons("朋友|沈澈/人|写了|信|。"), [["沈澈"]]);
    let with_verb = "沈澈/人|说|。|沈澈/人|笑|。|沈澈命/人|，|他|走|。";
    assert_eq!(persons(with_verb), [["沈澈"]]);
}

#[test]
fn a_surname_that_is_a_usual_word_needs_a_place_of_persons() {
    assert!(persons("看|黄澈沅/人|的|花|。").is_empty());
    assert_eq!(persons("他|对|黄澈沅/人|说|。"), [["黄澈沅"]]);
    assert!(persons("他|对|黄澈/人|说|。").is_empty());
}

#[test]
fn a_surname_with_one_character_that_stands_once_needs_a_place_of_persons_or_a_list() {
    assert!(persons("他|在|沈澈/人|下|读|书|。").is_empty());
    for place in ["、|沈澈/人|。", "沈澈/人|和|他|走|。", "请|沈澈/人|。", "沈澈/人|也|来|。"] {
        assert_eq!(persons(place), [["沈澈"]], "{place}");
    }
    assert!(persons("沈儿/人|也|来|。").is_empty());
    assert!(persons("沈中/人|也|来|。").is_empty(), "a part of a room");
    assert!(persons("那|沈师长/人|走|。").is_empty(), "a common noun is behind a pronoun");
    assert_eq!(persons("因为|沈明白/人|办了|事|。"), [["沈明白"]], "a verb behind it");
    assert!(persons("因为|沈明白/人|的|花|。").is_empty());
    assert!(persons("和|老猫/人|说|话|。").is_empty(), "no surname");
    assert!(persons("他|和|君不君/人|说|话|。").is_empty(), "no ruler");
}

#[test]
fn a_name_behind_a_word_of_naming_needs_no_surname() {
    assert_eq!(persons("别人|都|叫|他|沅澈/人|，|他|走|。"), [["沅澈"]]);
    assert!(persons("别人|都|看|他|沅澈/人|，|他|走|。").is_empty());
}

#[test]
fn a_name_that_stands_once_with_a_verb_is_a_name_without_it() {
    assert_eq!(persons("。|沈子曰/人|，|好|。"), [["沈子"]]);
    assert!(persons("看|沈子曰/人|，|好|。").is_empty());
}

#[test]
fn a_title_of_several_characters_behind_a_surname_is_enough_for_a_name_that_stands_once() {
    assert_eq!(persons("他|和|沈|先生|走|。"), [["沈先生"]]);
    assert_eq!(persons("他|和|沈澈/人|大夫|走|。"), [["沈澈大夫"]]);
    assert!(persons("他|和|沈|哥|走|。").is_empty());
    assert!(persons("他|和|沅澈/人|大夫|走|。").is_empty());
    assert!(persons("爱|沈|先生|的|花|。").is_empty());
}

#[test]
fn a_known_name_with_shi_is_that_person() {
    assert_eq!(persons("女沅/人|说|。|女沅/人|笑|。|女沅氏/人|的|花|。"), [["女沅", "女沅氏"]]);
    assert!(persons("女沅氏/人|的|花|。").is_empty());
}

#[test]
fn a_title_is_no_given_name() {
    let text = "公孙先生/人|说|。|公孙先生/人|笑|。|先生|说|。|先生|笑|。|先生|问|。|先生|说|。";
    assert_eq!(persons(text), [["公孙先生"]]);
}

#[test]
fn the_end_of_a_full_name_that_stands_once_is_a_name_only_where_persons_stand() {
    assert_eq!(persons("他|和|沈岩澈/人|说|话|。|看|岩澈|的|花|。"), [["沈岩澈"]]);
    let often = "岩澈|说|。|".repeat(3);
    assert_eq!(persons(&format!("他|和|沈岩澈/人|说|话|。|{often}")), [["岩澈", "沈岩澈"]]);
}

#[test]
fn a_full_name_that_stands_once_is_no_one_whom_only_a_surname_names() {
    let text = "林老师/人|说|。|林老师/人|笑|。|他|和|林书衡/人|走|。";
    assert_eq!(persons(text), [["林书衡"], ["林老师"]]);
    let by_given_name = format!("{text}|书衡/人|说|。|书衡/人|笑|。");
    assert_eq!(persons(&by_given_name), [["书衡", "林书衡", "林老师"]]);
}

#[test]
fn two_titles_of_respect_behind_one_word_are_of_one_person() {
    let text = "茂才公/人|说|。|茂才公/人|笑|。|茂才先生/人|说|。|茂才先生/人|走|。";
    assert_eq!(persons(text), [["茂才先生", "茂才公"]]);
    let masters = "公孙澈/人|说|。|公孙澈/人|笑|。|公孙子/人|说|。|公孙子/人|走|。";
    assert_eq!(persons(masters), [["公孙子", "公孙澈"]]);
    let with_title = format!("{masters}|公孙先生/人|说|。|公孙先生/人|走|。");
    assert_eq!(persons(&with_title), [["公孙先生", "公孙子", "公孙澈"]]);
}
