//! Characters that act after their death, and look-alikes.

use palimpsest_text::Language;

use crate::{Kind, sentences::testing::kinds};

const EN: [&str; 2] = ["Mara Venn", "Tobias"];
const ZH: [&str; 2] = ["周明", "小满"];

/// Chapters with a living character, its death and what comes after.
#[track_caller]
fn check(language: Language, is_clash: bool, death: &str, after: &str) {
    let (names, alive) = match language {
        Language::En => (EN, "Mara Venn looked at Tobias."),
        Language::Zh => (ZH, "周明看了看小满。"),
    };
    let wanted = if is_clash { vec![Kind::DeadActs] } else { Vec::new() };
    assert_eq!(kinds(language, &names, &[alive, death, after]), wanted, "{death} {after}");
}

#[test]
fn a_dead_character_that_acts_clashes_however_the_death_is_told() {
    for death in [
        "Mara Venn died that night.",
        "By morning Mara Venn was dead.",
        "Mara Venn had caught cold, and never woke again.",
        "They buried Mara Venn under the elms.",
        "The fever carried Mara Venn off.",
        "Mara Venn's funeral was on a Monday.",
        "Mara Venn was drowned in the weir.",
        "Mara Venn passed away before the thaw.",
    ] {
        check(Language::En, true, death, "Mara Venn opened the door and laughed.");
    }
    for death in [
        "周明当夜就死了。",
        "周明病了半个月，终于断了气。",
        "周明没能熬过这个冬天。",
        "一场急病夺去了周明的性命。",
        "大家把周明埋在山坡上。",
        "周明的丧事办得冷清。",
        "开春的时候，周明去世了。",
    ] {
        check(Language::Zh, true, death, "周明推门进来，笑了。");
    }
}

#[test]
fn speech_and_going_on_are_acts() {
    for act in [
        "“Not yet,” said Mara Venn.",
        "Mara Venn was writing a letter.",
        "At supper Mara Venn carved.",
        "Then Mara Venn slowly rose.",
    ] {
        check(Language::En, true, "Mara Venn died that night.", act);
    }
    for act in ["“还早呢。”周明说。", "周明正站在窗前。", "忽然周明点了点头。"] {
        check(Language::Zh, true, "周明当夜就死了。", act);
    }
}

#[test]
fn dreams_memories_pictures_and_conditions_are_no_acts() {
    for after in [
        "In a dream Mara Venn came in and sat down.",
        "That night he dreamed. Mara Venn came in.",
        "He remembered how Mara Venn laughed.",
        "If Mara Venn came in now, all would be well.",
        "The ghost of Mara Venn crossed the yard.",
        "In the portrait Mara Venn smiled.",
        "Years before, Mara Venn had carved the initials.",
        "Mara Venn always sat in this chair.",
        "Mara Venn's chair creaked.",
        "Tobias opened the door.",
        "“Mara Venn opened the door,” he said.",
        "It was as if Mara Venn came in.",
    ] {
        check(Language::En, false, "Mara Venn died that night.", after);
    }
    for after in [
        "梦里周明走进来，坐下了。",
        "他做了一个梦。周明走进来。",
        "他想起周明笑的样子。",
        "要是周明走进来，就好了。",
        "照片上，周明站在门前。",
        "许多年前，周明曾在树上刻过字。",
        "周明的椅子空着。",
        "仿佛周明又推门进来了。",
        "“周明开了门。”他说。",
        "小满推门进来。",
    ] {
        check(Language::Zh, false, "周明当夜就死了。", after);
    }
}

#[test]
fn a_death_that_is_not_asserted_is_none() {
    for death in [
        "Mara Venn nearly died that night.",
        "Mara Venn did not die.",
        "Mara Venn's mother died that night.",
        "Tobias thought that Mara Venn was dead.",
        "“Mara Venn is dead,” he said.",
        "If Mara Venn died, the house was his.",
        "Mara Venn was dead tired.",
        "The sound of Mara Venn died away.",
        "He looked as if Mara Venn were dead.",
        "Mara Venn was buried in her thoughts.",
    ] {
        check(Language::En, false, death, "Mara Venn opened the door and laughed.");
    }
    for death in [
        "周明差点死了。",
        "周明没有死。",
        "周明的母亲死了。",
        "他以为周明死了。",
        "“周明死了。”他说。",
        "要是周明死了，房子归他。",
        "周明气死了。",
        "周明像死了一样。",
        "听说周明死了。",
        "周明死了心。",
    ] {
        check(Language::Zh, false, death, "周明推门进来，笑了。");
    }
}

#[test]
fn an_act_before_the_death_or_in_its_scene_is_no_clash() {
    let texts = ["Mara Venn opened the door and laughed.", "Mara Venn died that night."];
    assert_eq!(kinds(Language::En, &EN, &texts), []);
    let scene = "Tobias saw Mara Venn.\n\nMara Venn was killed at the mill.\n\nMara Venn took the lamp.";
    assert_eq!(kinds(Language::En, &EN, &[scene]), []);
}

#[test]
fn deaths_by_others_and_what_is_done_for_the_dead_count_and_killing_an_animal_does_not() {
    for death in [
        "周明给人杀了。",
        "周明没了。",
        "村里人给周明办了后事。",
        "霍乱带走了周明。",
        "周明的病一天重似一天，没等到中秋就走了。",
        "周明闭上了眼睛，再没有睁开。",
    ] {
        check(Language::Zh, true, death, "周明推门进来，笑了。");
    }
    for death in [
        "周明打死了一只老虎。",
        "周明怕被人打死。",
        "周明给父亲送了终。",
        "周明走了。",
        "周明的钱没了。",
        "周明合了眼。",
    ] {
        check(Language::Zh, false, death, "周明推门进来，笑了。");
    }
    for death in [
        "The fever took Mara Venn in a week.",
        "Mara Venn passed away in her sleep.",
        "They put Mara Venn in the ground.",
    ] {
        check(Language::En, true, death, "Mara Venn opened the door and laughed.");
    }
    for death in ["The coach took Mara Venn to town.", "Mara Venn killed a fly.", "Mara Venn laughed in her sleep."] {
        check(Language::En, false, death, "Mara Venn opened the door and laughed.");
    }
}

#[test]
fn a_death_that_is_told_in_speech_counts_where_the_narration_mourns() {
    let act = "Mara Venn opened the door and laughed.";
    check(Language::En, true, "“Mara Venn is dead,” said the doctor, and he drew the sheet over her.", act);
    check(Language::En, false, "“Mara Venn is dead,” said the innkeeper, and he winked.", act);
    check(Language::En, false, "“Mara Venn is dead to me,” said the doctor.", act);
    check(Language::Zh, true, "“周明死了。”她哭着说。", "周明推门进来，笑了。");
    check(Language::Zh, false, "“周明死了。”她笑着说。", "周明推门进来，笑了。");
    check(Language::Zh, false, "“周明死了这条心了。”她哭着说。", "周明推门进来，笑了。");
}

#[test]
fn a_death_is_found_by_its_construction() {
    for death in [
        "A falling beam killed Mara Venn.",
        "Mara Venn's body was found in the reeds.",
        "The doctor closed Mara Venn's eyes.",
        "Mara Venn had a stroke, and within the hour she was dead.",
        "Mara Venn went down with the Albion.",
        "After Mara Venn died the dog would not eat.",
        "Typhoid carried off Mara Venn before Easter.",
        "They shot Mara Venn at sunrise.",
        "Mara Venn's heart had stopped at four o'clock.",
    ] {
        check(Language::En, true, death, "Mara Venn, leaning on the gate, asked for bread.");
    }
    for no_death in [
        "Mara Venn's body ached.",
        "Mara Venn succumbed to temptation.",
        "Mara Venn's heart had stopped for a moment at the sight.",
        "They shot at Mara Venn and missed.",
        "Mara Venn went down with the measles.",
        "Mara Venn had a stroke, and the old man said he was dead.",
    ] {
        check(Language::En, false, no_death, "Mara Venn opened the door and laughed.");
    }
    for death in [
        "周明被自己的学生毒死在书房。",
        "周明投了井，捞上来的时候已经没气了。",
        "剑光一闪，周明的人头已经落地。",
        "周明力竭而亡。",
        "周明之死，人人都知道。",
        "村里人都去看已故的周明的字。",
    ] {
        check(Language::Zh, true, death, "周明拄着拐杖走到院子里。");
    }
    for no_death in ["周明被吵得烦死了。", "小满是周明的死对头。", "周明差一点死在山里。", "周明哭得死去活来。"]
    {
        check(Language::Zh, false, no_death, "周明推门进来，笑了。");
    }
    for act in ["周明抹了一把汗。", "周明莞尔一笑。", "周明合上书。"] {
        check(Language::Zh, true, "周明当夜就死了。", act);
    }
    for no_act in ["周明成了英雄。", "周明感动了全村的人。", "周明的脸上盖着白布。"] {
        check(Language::Zh, false, "周明当夜就死了。", no_act);
    }
    check(Language::Zh, false, "周明当夜就死了。", "二十年前，周明写了一封长信。");
    check(Language::Zh, false, "周明当夜就死了。", "大家看周明躺着，盖着白布。");
}

#[test]
fn a_plain_phrase_for_a_death_is_one_where_nobody_else_is_named() {
    for death in [
        "Mara Venn gave up the ghost at sunrise.",
        "The last breath of Mara Venn was so quiet that no one heard it.",
        "By morning the heart of Mara Venn had stopped.",
        "With the first snow came the death of Mara Venn.",
        "They read the burial service over Mara Venn in a high wind.",
        "Mara Venn had been in the ground a week when the will was read.",
        "Mara Venn slipped away in her sleep.",
        "Mara Venn's heart gave out on the stairs.",
    ] {
        check(Language::En, true, death, "Mara Venn opened the door and laughed.");
    }
    for no_death in [
        "Mara Venn feared the death of the old king.",
        "Mara Venn told how the miller had breathed his last.",
        "The end of Mara Venn and her plans was near.",
        "Mara Venn thought of the death of Tobias.",
        "The heart of Mara Venn stopped for a moment.",
    ] {
        check(Language::En, false, no_death, "Mara Venn opened the door and laughed.");
    }
    for death in
        ["周明是在一个礼拜天死的。", "一根掉下来的梁木把周明砸死了。", "周明的心脏停止了跳动。", "周明吐了最后一口气。"]
    {
        check(Language::Zh, true, death, "周明推门进来，笑了。");
    }
    for no_death in ["周明把老虎打死了。", "周明差点送了命。", "周明听说小满病故了。", "周明深深吸了一口气。"]
    {
        check(Language::Zh, false, no_death, "周明推门进来，笑了。");
    }
}

#[test]
fn a_death_is_found_behind_its_verb_and_by_its_illness() {
    for death in [
        "On the kitchen floor lay Mara Venn, stone dead.",
        "Dead was Mara Venn, dead as any doornail.",
        "So ended the life of Mara Venn, without noise, on an ordinary afternoon.",
        "The doctor, when at last he came, could only certify that Mara Venn was dead.",
        "A fever, of which nobody had thought much at first, carried Mara Venn off.",
        "Mara Venn's heart, which had given warning more than once, stopped for good that night.",
    ] {
        check(Language::En, true, death, "Mara Venn pulled up a chair and asked for the newspaper.");
    }
    for death in [
        "On the kitchen floor lay Mara Venn, tired but content.",
        "So ended the speech of Mara Venn, without applause.",
        "Mara Venn's watch, which had given warning more than once, stopped for good that night.",
    ] {
        check(Language::En, false, death, "Mara Venn pulled up a chair and asked for the newspaper.");
    }
    for death in [
        "那年秋后与世长辞的，不是别人，正是周明。",
        "周明被一场急病夺去了性命。",
        "大夫赶到时，周明的身子已经凉了，再没有救。",
    ] {
        check(Language::Zh, true, death, "周明拉过一把椅子坐下，要了一碗茶。");
    }
    for death in ["那年秋后与世长辞的，不是周明。", "周明看着邻居咽了气。", "周明守着老母亲断了气。"]
    {
        check(Language::Zh, false, death, "周明拉过一把椅子坐下，要了一碗茶。");
    }
    check(Language::Zh, false, "周明当夜就死了。", "周明用过的那把椅子靠墙放着，没有人肯去坐。");
}

#[test]
fn a_death_is_told_by_what_is_done_to_the_body() {
    for death in [
        "They found Mara Venn at the foot of the cliff, stiff and cold.",
        "The nurse drew the sheet over Mara Venn's face.",
        "The doctor closed the eyes of Mara Venn and stopped the clock.",
        "The women washed Mara Venn's body and laid it out.",
        "There was no life left in Mara Venn.",
        "Death came for Mara Venn on a baking day.",
        "The doctor pronounced Mara Venn dead.",
        "The thief stabbed Mara Venn to death.",
    ] {
        check(Language::En, true, death, "Mara Venn opened the door and laughed.");
    }
    for death in [
        "大夫合上了周明的眼睛，拉起了白布。",
        "护士把白布盖上了周明的脸。",
        "法医给周明做了尸检。",
        "一场热病夺去了周明的性命。",
        "医生宣布周明死亡。",
        "人们在崖下找到了周明，早已没了气。",
    ] {
        check(Language::Zh, true, death, "周明推门进来，笑了。");
    }
    for no_death in [
        "They found Mara Venn cold to their plans.",
        "They found Mara Venn hanging out the washing.",
        "At that Mara Venn's eyes closed.",
        "Mara Venn walked among the dead.",
        "They found Mara Venn dead tired.",
        "The story bored Mara Venn to death.",
        "Tobias closed his eyes and thought of Mara Venn.",
        "If they found Mara Venn dead, they would grieve.",
    ] {
        check(Language::En, false, no_death, "Mara Venn opened the door and laughed.");
    }
    for no_death in [
        "周明合上了眼睛。",
        "小满给周明盖上了被子。",
        "医生差点宣布周明死亡。",
        "周明僵硬地点了点头。",
        "周明已经去了学校。",
        "周明心里凉透了。",
        "周明在井边发现一具尸体。",
        "周明没能救回来那条狗。",
        "周明得知老师离世。",
        "周明听说老师去世了。",
    ] {
        check(Language::Zh, false, no_death, "周明推门进来，笑了。");
    }
}

#[test]
fn a_verb_behind_a_preposition_is_an_act_and_a_state_is_none() {
    check(Language::Zh, true, "周明当夜就死了。", "周明往灶膛里续了一把柴。");
    check(Language::Zh, true, "周明当夜就死了。", "周明耸耸肩，走了。");
    for state in ["周明在那年春天满了五十岁。", "周明对这件事没有留下什么话。"] {
        check(Language::Zh, false, "周明当夜就死了。", state);
    }
}
