//! Dates, weekdays and seasons that clash, and look-alikes that do not.

use palimpsest_text::Language;

use crate::{
    Kind,
    sentences::testing::{issues, kinds},
};

#[track_caller]
fn check(language: Language, kind: Option<Kind>, text: &str) {
    assert_eq!(kinds(language, &[], &[text]), kind.into_iter().collect::<Vec<_>>(), "{text}");
}

#[test]
fn a_date_with_another_weekday_than_its_own_clashes() {
    // The third of May 1912 was a Friday.
    for text in [
        "It was Tuesday, the 3rd of May 1912.",
        "On May 3rd, 1912, a Tuesday, the bells rang.",
        "The 3rd of May 1912 fell on a Tuesday.",
        "The ship sailed on 3 May 1912. It was a Tuesday.",
    ] {
        check(Language::En, Some(Kind::Date), text);
        check(Language::En, None, &text.replace("Tuesday", "Friday"));
    }
    for text in [
        "那天是一九一二年五月三日，星期二。",
        "1912年5月3日正好是礼拜二。",
        "星期二，也就是一九一二年五月三日，船开了。",
        "船在一九一二年五月三日开了。那天是星期二。",
    ] {
        check(Language::Zh, Some(Kind::Date), text);
        check(Language::Zh, None, &text.replace('二', "五").replace("一九一五年", "一九一二年"));
    }
}

#[test]
fn a_weekday_that_is_not_that_of_the_date_is_no_clash() {
    for text in [
        "On the Tuesday after the 3rd of May 1912 the bells rang.",
        "From Tuesday until the 3rd of May 1912 it rained.",
        "The 3rd of May 1712 was a Tuesday.",
        "On the 3rd of May 1912 they still met every Tuesday.",
    ] {
        check(Language::En, None, text);
    }
    for text in [
        "一九一二年五月三日之后的星期二，船开了。",
        "农历一九一二年五月三日，星期二。",
        "从星期二到一九一二年五月三日，一直下雨。",
    ] {
        check(Language::Zh, None, text);
    }
}

#[test]
fn the_date_says_which_weekday_it_has() {
    let text = "It was Tuesday, the 3rd of May 1912.";
    let found = issues(Language::En, &[], &[text]);
    assert_eq!(found[0].values, ["Tuesday", "3rd of May 1912 = Friday"]);
    assert_eq!(found[0].first.differs.clone().map(|range| &text[range]), Some("Tuesday"));
}

#[test]
fn days_that_lead_from_one_weekday_to_a_wrong_one_clash() {
    for text in [
        "The fair opened on a Monday.\n\nThree days later, on Saturday, it closed.",
        "The fair opened on a Monday. After three days, on the Saturday, it closed.",
        "Three days after that Monday came Saturday.",
        "It closed on Saturday, three days after that Monday.",
        "They had been three days on the road since that Monday, and it was now Saturday.",
    ] {
        check(Language::En, Some(Kind::Weekday), text);
        check(Language::En, None, &text.replace("Saturday", "Thursday"));
        // Days may be counted with the first one.
        check(Language::En, None, &text.replace("Saturday", "Wednesday"));
    }
    for text in [
        "集市星期一开张。三天之后，到了星期六，就散了。",
        "那个星期一过去三天，已是星期六。",
        "星期一动的身，走了三天，星期六才到。",
        "那个星期一之后的第三天是星期六。",
    ] {
        check(Language::Zh, Some(Kind::Weekday), text);
        check(Language::Zh, None, &text.replace("星期六", "星期四"));
    }
}

#[test]
fn weekdays_of_habits_speech_and_after_other_days_are_no_clash() {
    for text in [
        "They met every Monday. Three days later, on Saturday, it rained.",
        "“Come on Monday,” he said. Three days later, on Saturday, it rained.",
        "It was Monday. A month later he left. Three days later, on Saturday, it rained.",
        "It was Monday. Two days later they left. Three days later, on Saturday, it rained.",
    ] {
        check(Language::En, None, text);
    }
    check(Language::Zh, None, "他们每个星期一见面。三天之后，星期六，下雨了。");
}

#[test]
fn a_season_beside_a_month_of_another_one_clashes() {
    check(Language::En, Some(Kind::Season), "It was a winter evening in July.");
    check(Language::En, None, "It was a winter evening in December.");
    check(Language::En, None, "He came in July and stayed all winter.");
    check(Language::Zh, Some(Kind::Season), "七月三日，正是冬天。");
    check(Language::Zh, None, "十二月三日，正是冬天。");
}

#[test]
fn a_span_that_leads_to_another_date_than_the_one_told_clashes() {
    check(
        Language::En,
        Some(Kind::Date),
        "The ship sailed on 3 May 1912. Four days later, on 12 May 1912, it was lost.",
    );
    check(Language::En, None, "The ship sailed on 3 May 1912. Four days later, on 7 May 1912, it was lost.");
    check(Language::Zh, Some(Kind::Date), "船在1912年5月3日开了。四天之后，1912年5月12日，沉了。");
    check(Language::Zh, None, "船在1912年5月3日开了。四天之后，1912年5月7日，沉了。");
}

#[test]
fn a_date_with_its_year_in_words_or_in_a_reign_has_one_weekday() {
    for text in [
        "On Tuesday the third of May, 1912, the ship sailed.",
        "May the third, nineteen hundred and twelve, was a Tuesday.",
        "May 3, 1912, happened to be a Tuesday.",
    ] {
        check(Language::En, Some(Kind::Date), text);
        check(Language::En, None, &text.replace("Tuesday", "Friday"));
    }
    check(Language::En, None, "The letter of the 3rd of May 1912 came on a Tuesday.");
    for text in ["那一天是一九一二年的五月三日，礼拜二。", "民国元年五月三日，礼拜二，城门关了。"]
    {
        check(Language::Zh, Some(Kind::Date), text);
        check(Language::Zh, None, &text.replace("礼拜二", "礼拜五"));
    }
    check(Language::Zh, None, "一九一二年五月三日，他说星期二再来。");
    check(Language::Zh, None, "光绪三十年五月三日，礼拜一，城门关了。");
}

#[test]
fn days_that_a_sentence_of_its_own_lets_pass_lead_to_the_next_weekday() {
    check(Language::En, Some(Kind::Weekday), "It happened on a Tuesday.\n\nFive days passed. On Friday he called.");
    check(Language::En, None, "It happened on a Tuesday.\n\nFive days passed. On Sunday he called.");
    check(Language::En, None, "It happened on a Tuesday.\n\nFive days passed. Every Friday he called.");
    check(
        Language::En,
        Some(Kind::Weekday),
        "“It is Tuesday,” she said.\n\nThree days later, on the Monday, she left.",
    );
    check(Language::En, None, "“Is it Tuesday?” she said.\n\nThree days later, on the Monday, she left.");
    check(Language::En, Some(Kind::Weekday), "Sunday was wet.\n\nThe day after was Thursday, and it was wet.");
    check(Language::En, None, "It was Monday.\n\nThree weeks or so after that, on Saturday, it began.");
    check(Language::Zh, Some(Kind::Weekday), "“今天星期二。”她说。\n\n三天后的星期一，她走了。");
    check(Language::Zh, None, "“今天星期二吗？”她说。\n\n三天后的星期一，她走了。");
}

#[test]
fn a_season_word_in_a_month_of_another_season_clashes_in_the_north() {
    for text in ["隆冬七月，大雪封山。", "盛夏的一月，知了叫个不停。", "十月的春风吹绿了柳条。"]
    {
        check(Language::Zh, Some(Kind::Season), text);
    }
    for text in ["悉尼的一月正是盛夏。", "盛夏里的一个月，他没有出门。", "隆冬一月，大雪封山。", "十月小阳春。"]
    {
        check(Language::Zh, None, text);
    }
}

#[test]
fn a_date_after_a_sentence_with_its_weekday_clashes() {
    check(Language::En, Some(Kind::Date), "It was a Sunday. It was the 12th of May, 1903, and it rained.");
    check(Language::En, None, "It was a Tuesday. It was the 12th of May, 1903, and it rained.");
    check(Language::En, None, "She left on a Sunday. It was the 12th of May, 1903, when she came back.");
}

#[test]
fn chinese_days_are_counted_from_the_weekday_that_is_named_as_the_start() {
    for (right, wrong) in [
        ("到了星期三，离那个星期一已经两天了，还是没有消息。", "到了星期六，离那个星期一已经两天了，还是没有消息。"),
        (
            "割到星期四，距开镰的那个星期一正好三天，地里就光了。",
            "割到星期一，距开镰的那个星期一正好三天，地里就光了。",
        ),
        ("路到星期六才通，那时离下雪的那个星期一已经五天了。", "路到星期二才通，那时离下雪的那个星期一已经五天了。"),
    ] {
        check(Language::Zh, None, right);
        check(Language::Zh, Some(Kind::Weekday), wrong);
    }
}
