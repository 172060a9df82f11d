//! Knowledge before it is learned, and look-alikes.

use palimpsest_text::Language;

use crate::{Kind, sentences::testing::kinds};

const EN: [&str; 2] = ["Mara Venn", "Tobias"];
const ZH: [&str; 2] = ["周明", "小满"];

#[track_caller]
fn check(language: Language, is_clash: bool, knows: &str, learns: &str) {
    let names = if language == Language::En { EN } else { ZH };
    let wanted = if is_clash { vec![Kind::KnowsTooEarly] } else { Vec::new() };
    assert_eq!(kinds(language, &names, &[knows, learns]), wanted, "{knows} {learns}");
}

#[test]
fn knowing_before_learning_clashes_however_it_is_told() {
    for knows in [
        "Mara Venn knew who had forged the cheque.",
        "Mara Venn had long known who had forged the cheque.",
        "Mara Venn let slip who had forged the cheque.",
        "Mara Venn, who knew who had forged the cheque, smiled.",
        "Mara Venn explained to the others who had forged the cheque.",
        "Mara Venn had not forgotten who had forged the cheque.",
    ] {
        check(Language::En, true, knows, "Only then did Mara Venn learn who had forged the cheque.");
    }
    for learns in [
        "That night Mara Venn found out who had forged the cheque.",
        "Mara Venn heard at last, and for the first time, who had forged the cheque.",
        "It dawned on Mara Venn who had forged the cheque.",
        "Until that moment Mara Venn had not known who had forged the cheque.",
        "Mara Venn had had no idea until then who had forged the cheque.",
        "A letter now told Mara Venn who had forged the cheque.",
    ] {
        check(Language::En, true, "Mara Venn knew who had forged the cheque.", learns);
    }
    for knows in [
        "周明早就知道支票是谁伪造的。",
        "周明明明知道支票是谁伪造的。",
        "周明向来知道支票是谁伪造的。",
        "周明提醒大家支票是谁伪造的。",
        "周明对大家说出了支票是谁伪造的。",
        "周明心里清楚支票是谁伪造的。",
        "支票是谁伪造的，周明早就知道。",
    ] {
        check(Language::Zh, true, knows, "直到这时，周明才知道支票是谁伪造的。");
    }
    for learns in [
        "周明恍然大悟，原来支票是谁伪造的。",
        "周明第一次听说支票是谁伪造的。",
        "在这以前，周明一直不知道支票是谁伪造的。",
        "一封信告诉周明支票是谁伪造的。",
        "周明得知支票是谁伪造的。",
    ] {
        check(Language::Zh, true, "周明早就知道支票是谁伪造的。", learns);
    }
}

#[test]
fn another_knower_a_guess_or_another_matter_is_no_clash() {
    for knows in [
        "Tobias knew who had forged the cheque.",
        "Mara Venn wondered who had forged the cheque.",
        "Mara Venn did not know who had forged the cheque.",
        "Mara Venn would have liked to know who had forged the cheque.",
        "Mara Venn asked who had forged the cheque.",
        "Tobias never told Mara Venn who had forged the cheque.",
        "Mara Venn knew who had stolen the horse.",
        "Mara Venn's brother knew who had forged the cheque.",
        "Did Mara Venn know who had forged the cheque?",
        "In her dream Mara Venn knew who had forged the cheque.",
    ] {
        check(Language::En, false, knows, "Only then did Mara Venn learn who had forged the cheque.");
    }
    for knows in [
        "小满知道支票是谁伪造的。",
        "周明常常猜想支票是谁伪造的。",
        "周明并不知道支票是谁伪造的。",
        "周明很想知道支票是谁伪造的。",
        "谁也没有告诉周明支票是谁伪造的。",
        "周明知道马是从哪里买来的。",
        "周明的哥哥知道支票是谁伪造的。",
        "梦里周明知道支票是谁伪造的。",
    ] {
        check(Language::Zh, false, knows, "直到这时，周明才知道支票是谁伪造的。");
    }
}

#[test]
fn knowing_after_learning_is_no_clash() {
    check(
        Language::En,
        false,
        "Mara Venn found out who had forged the cheque.",
        "Mara Venn knew who had forged the cheque.",
    );
    check(Language::Zh, false, "周明才知道支票是谁伪造的。", "周明知道支票是谁伪造的。");
}

#[test]
fn knowledge_that_is_told_to_somebody_or_learned_in_the_next_clause_clashes() {
    check(
        Language::En,
        true,
        "It was no secret to Mara Venn who had forged the cheque.",
        "Tobias's letter informed Mara Venn, for the first time, who had forged the cheque.",
    );
    check(Language::Zh, true, "周明向小满透露，支票是谁伪造的。", "周明看了信，方才知道支票是谁伪造的。");
    check(Language::Zh, true, "周明告诉小满支票是谁伪造的。", "小满告诉周明，支票是谁伪造的。");
}

#[test]
fn a_matter_is_known_by_those_whom_it_names_and_by_what_a_character_says() {
    for (knows, learns) in [
        ("Mara Venn knew that Tobias was married.", "Not until May did Mara Venn realise that Tobias was married."),
        ("Mara Venn knew the key was under the stone.", "Mara Venn found out that the key was under the stone."),
        ("“The cellar is flooded,” said Mara Venn.", "Mara Venn discovered that the cellar was flooded."),
        ("Mara Venn had overheard that the farm was sold.", "At last word reached Mara Venn that the farm was sold."),
        (
            "Mara Venn knew that the bridge was rotten.",
            "It came as a surprise to Mara Venn that the bridge was rotten.",
        ),
    ] {
        check(Language::En, true, knows, learns);
    }
    for (knows, learns) in [
        ("Mara Venn knew that Tobias was married.", "Mara Venn discovered that the cook was married."),
        (
            "Had Mara Venn known that Tobias was married, she would have left.",
            "Mara Venn learned that Tobias was married.",
        ),
        ("“Is the cellar flooded?” said Mara Venn.", "Mara Venn discovered that the cellar was flooded."),
        ("“The cellar is flooded,” Tobias told Mara Venn.", "Mara Venn discovered that the cellar was flooded."),
        ("“I hope the cellar is flooded,” said Mara Venn.", "Mara Venn discovered that the cellar was flooded."),
    ] {
        check(Language::En, false, knows, learns);
    }
    for (knows, learns) in [
        ("周明知道小满嫁了人。", "周明这才知道小满嫁了人。"),
        ("“支票是银行经理伪造的。”周明说。", "周明这才发现支票是银行经理伪造的。"),
        ("周明写信给姑母，说小满还活着。", "周明终于得到消息，小满还活着。"),
        ("周明把小满坐过牢的事告诉了母亲。", "周明得知小满坐过牢。"),
        ("周明早已得知粮仓起了火。", "周明这才知道粮仓起了火。"),
    ] {
        check(Language::Zh, true, knows, learns);
    }
    for (knows, learns) in [
        ("周明哪里知道小满嫁了人。", "周明这才知道小满嫁了人。"),
        ("“支票是银行经理伪造的吧？”周明说。", "周明这才发现支票是银行经理伪造的。"),
        ("“支票是银行经理伪造的。”小满说。", "周明这才发现支票是银行经理伪造的。"),
        ("周明知道妹妹嫁了人。", "周明这才知道小满嫁了人。"),
    ] {
        check(Language::Zh, false, knows, learns);
    }
}

#[test]
fn a_clause_that_a_book_tells_twice_is_one_matter_whatever_the_verbs() {
    let learns = [
        "Only by accident did it come to Mara Venn's ears what lay under the pear tree.",
        "It took that evening to teach Mara Venn what lay under the pear tree.",
        "Mara Venn was the last to hear what lay under the pear tree, and heard it now.",
    ];
    let knows = [
        "It was from Mara Venn that the neighbours heard what lay under the pear tree.",
        "To Mara Venn alone it was perfectly clear what lay under the pear tree.",
        "Mara Venn needed nobody to say what lay under the pear tree, having known it from the first.",
        "The rest might guess; Mara Venn knew for certain what lay under the pear tree.",
    ];
    for learns in learns {
        knows.iter().for_each(|knows| check(Language::En, true, knows, learns));
        for neither in [
            "Mara Venn would have given much to be told what lay under the pear tree.",
            "As yet Mara Venn had no inkling what lay under the pear tree.",
            "Nobody had yet told Mara Venn what lay under the pear tree.",
            "Tobias had known what lay under the pear tree, and kept it from Mara Venn.",
            "To Mara Venn it was perfectly clear what lay under the stone.",
        ] {
            check(Language::En, false, neither, learns);
        }
    }
    let learns = [
        "要不是这一晚的谈话，周明至今也不会知道梨树底下埋着什么。",
        "周明一直蒙在鼓里，这时忽然悟到了梨树底下埋着什么。",
    ];
    let knows = [
        "瞒得过别人，瞒不过周明：梨树底下埋着什么，周明一清二楚。",
        "大家还是从周明的口中，才听到梨树底下埋着什么。",
        "别人都在猜，惟独周明知道梨树底下埋着什么。",
    ];
    for learns in learns {
        knows.iter().for_each(|knows| check(Language::Zh, true, knows, learns));
        for neither in
            ["周明哪里知道梨树底下埋着什么。", "还没有人告诉过周明梨树底下埋着什么。", "周明一清二楚，石头底下是空的。"]
        {
            check(Language::Zh, false, neither, learns);
        }
    }
}

#[test]
fn a_shared_clause_is_known_or_learned_however_the_sentence_turns() {
    for learns in [
        "No one had ever told Mara Venn what lay under the pear tree, and the discovery came that evening like a blow.",
        "At that, and not a moment sooner, it became plain to Mara Venn what lay under the pear tree.",
        "It took Mara Venn until that night to work out what lay under the pear tree.",
    ] {
        for knows in [
            "Nobody needed to tell Mara Venn what lay under the pear tree.",
            "Asked point-blank, Mara Venn said what lay under the pear tree.",
            "Had anyone inquired, Mara Venn could have explained what lay under the pear tree.",
            "Long ago Mara Venn had worked out what lay under the pear tree.",
            "It had never been a mystery to Mara Venn what lay under the pear tree.",
        ] {
            check(Language::En, true, knows, learns);
        }
        for neither in [
            "Nobody had thought of telling Mara Venn what lay under the pear tree.",
            "The servants knew what lay under the pear tree, but did not talk of it in front of Mara Venn.",
            "Whether anybody would find out what lay under the pear tree was more than Mara Venn could say.",
            "At night Mara Venn lay awake trying to guess what lay under the pear tree.",
        ] {
            check(Language::En, false, neither, learns);
        }
    }
    for learns in [
        "梨树底下埋着什么，从前没人告诉过周明，直到这会儿才有人附耳说了。",
        "周明如梦方醒，今日才头一遭晓得梨树底下埋着什么。",
    ] {
        for knows in [
            "梨树底下埋着什么，这事哪里瞒得过周明。",
            "要是有人来问，周明满可以说出梨树底下埋着什么。",
            "周明不小心说漏了嘴，众人这才晓得梨树底下埋着什么。",
            "周明这时已经清清楚楚地知道梨树底下埋着什么。",
        ] {
            check(Language::Zh, true, knows, learns);
        }
        let neither = "周明逢人便问梨树底下埋着什么，问来问去，没有一个说得出。";
        check(Language::Zh, false, neither, learns);
    }
}

#[test]
fn one_of_two_sentences_that_share_a_matter_is_enough_if_the_other_one_has_no_doubt() {
    // Verbs that are in no list, beside a sentence that is read.
    for knows in [
        "From the very first week Mara Venn blackmailed two clerks over who had forged the cheque.",
        "Mara Venn blurted out who had forged the cheque.",
        "Mara Venn pretended not to know who had forged the cheque.",
        "“I can prove who had forged the cheque,” said Mara Venn.",
    ] {
        check(Language::En, true, knows, "Only then did Mara Venn learn who had forged the cheque.");
    }
    for learns in [
        "When the old man let slip who had forged the cheque, Mara Venn sat there open-mouthed.",
        "Mara Venn read the letter twice. So that was who had forged the cheque. She had never guessed it.",
        "A priest explained to Mara Venn who had forged the cheque.",
    ] {
        check(Language::En, true, "Mara Venn knew who had forged the cheque.", learns);
    }
    for knows in ["周明喝多了，脱口嚷出了支票是谁伪造的。", "周明装作不知道支票是谁伪造的。"]
    {
        check(Language::Zh, true, knows, "直到这时，周明才知道支票是谁伪造的。");
    }
    for learns in [
        "老头说漏了嘴，支票是谁伪造的，周明听得目瞪口呆。",
        "大夫对周明讲起支票是谁伪造的。",
        "要不是这封信，周明还蒙在鼓里，哪里晓得支票是谁伪造的。",
    ] {
        check(Language::Zh, true, "周明早就知道支票是谁伪造的。", learns);
    }
}

#[test]
fn a_sentence_whose_verb_is_in_no_list_and_that_doubts_is_no_knowledge() {
    for doubts in [
        "About who had forged the cheque Mara Venn had a theory, and it was wrong.",
        "Mara Venn turned over the question of who had forged the cheque.",
        "Mara Venn begged the clerk to say who had forged the cheque.",
        "“Who knows who had forged the cheque?” said Mara Venn.",
    ] {
        check(Language::En, false, doubts, "Only then did Mara Venn learn who had forged the cheque.");
    }
    for doubts in
        ["周明翻来覆去琢磨支票是谁伪造的。", "周明逢人便打听支票是谁伪造的。", "周明吹嘘说知道支票是谁伪造的。"]
    {
        check(Language::Zh, false, doubts, "直到这时，周明才知道支票是谁伪造的。");
    }
}

#[test]
fn words_that_a_book_repeats_are_a_matter_only_if_they_ask_or_if_both_sentences_are_read() {
    check(Language::Zh, false, "周明看看钟，已经两点四十分了。", "周明吃了一惊，还只两点四十分。");
    check(Language::Zh, false, "周明写下他的悔恨和悲哀。", "周明第一次说出他的悔恨和悲哀。");
    check(Language::Zh, false, "周明明白自己的悔恨和悲哀。", "周明记得自己的悔恨和悲哀。");
    check(Language::Zh, true, "周明在账本上写下箱子藏在哪里。", "直到这时，周明才知道箱子藏在哪里。");
    let refrain = "Years ago Mara Venn at last discovered why the boat had never come back.";
    check(Language::En, false, refrain, refrain);
    let refrain = "许多年前，周明终于得知船为什么没有回来，许多年都忘不了。";
    check(Language::Zh, false, refrain, refrain);
    // A negation in the matter itself says nothing of who knows it.
    check(Language::Zh, true, "周明把船为什么没有回来讲给了媳妇听。", "周明这才第一次听说船为什么没有回来。");
    check(
        Language::En,
        true,
        "Mara Venn told them why the boat had never come back.",
        "Mara Venn heard at last, and for the first time, why the boat had never come back.",
    );
}
