//! Ages that clash, and look-alikes that do not.

use palimpsest_text::Language;

use crate::{
    Kind,
    sentences::testing::{kinds, quotes},
};

const EN: [&str; 2] = ["Mara Venn", "Tobias"];
const ZH: [&str; 2] = ["周明", "小满"];

#[track_caller]
fn clash(language: Language, names: &[&str], first: &str, second: &str) {
    let texts = [first, second];
    assert_eq!(quotes(language, names, &texts, Kind::Age), [(first.to_owned(), second.to_owned())], "{first} {second}");
}

#[track_caller]
fn none(language: Language, names: &[&str], first: &str, second: &str) {
    assert_eq!(kinds(language, names, &[first, second]), [], "{first} {second}");
}

#[test]
fn english_ages_that_do_not_fit_the_years_between_them_clash_however_they_are_told() {
    for second in [
        "By 1910 Mara Venn was a woman of forty-four.",
        "It was 1910, and Mara Venn was just 44.",
        "In 1910 Mara Venn was 44 years old.",
        "Mara Venn celebrated her forty-fourth birthday in 1910.",
        "Mara Venn turned forty-four in the summer of 1910.",
        "Mara Venn, forty-four, took the oath in 1910.",
        "When nineteen hundred and ten began, Mara Venn was forty-four.",
        "In 1910, at the age of forty-four, Mara Venn went abroad.",
        "At forty-four, in 1910, Mara Venn went abroad.",
        "The rolls of 1910 give Mara Venn's age as 44.",
    ] {
        clash(Language::En, &EN, "In 1900 Mara Venn was thirty years of age.", second);
    }
    clash(Language::En, &EN, "Mara Venn was born in 1870.", "Mara Venn turned forty-four in 1910.");
}

#[test]
fn an_english_age_of_somebody_else_a_guess_or_the_right_sum_is_no_clash() {
    for second in [
        "In 1910 Mara Venn was forty years old.",
        "In 1910 Mara Venn was forty-one.",
        "In 1910 Tobias was forty-four.",
        "In 1910 Mara Venn's brother was forty-four.",
        "In 1910 Mara Venn looked forty-four.",
        "In 1910 Mara Venn was about forty-four.",
        "In 1910 Mara Venn said she was forty-four.",
        "If it were 1910, Mara Venn would be forty-four.",
        "Mara Venn was in the street before 1910, and sold 44 hats.",
        "“In 1910 Mara Venn was forty-four,” he said.",
        "In 1910 Mara Venn was one of forty-four.",
    ] {
        none(Language::En, &EN, "In 1900 Mara Venn was thirty years of age.", second);
    }
}

#[test]
fn chinese_ages_that_do_not_fit_the_years_between_them_clash_however_they_are_told() {
    for second in [
        "一九一○年，周明四十四岁。",
        "到1910年，周明已经四十四岁了。",
        "周明在一九一○年的冬天过了四十四岁生日。",
        "一九一○年，年方四十四的周明离开了镇上。",
        "宣统二年，周明四十四岁。",
        "周明四十四岁那年，正是一九一○年。",
    ] {
        clash(Language::Zh, &ZH, "那是一九○○年，周明三十岁。", second);
    }
    clash(Language::Zh, &ZH, "周明生于一八七○年。", "一九一○年，周明四十四岁。");
}

#[test]
fn a_chinese_age_of_somebody_else_a_guess_or_the_right_sum_is_no_clash() {
    for second in [
        "一九一○年，周明四十岁。",
        "一九一○年，周明四十一岁。",
        "一九一○年，小满四十四岁。",
        "一九一○年，周明的哥哥四十四岁。",
        "一九一○年，周明看上去四十四岁。",
        "一九一○年，周明四十多岁。",
        "一九一○年以后，周明自称四十四岁。",
        "“一九一○年，周明四十四岁。”他说。",
    ] {
        none(Language::Zh, &ZH, "那是一九○○年，周明三十岁。", second);
    }
}

#[test]
fn a_slip_is_shown_once_and_not_beside_each_right_age() {
    let texts = [
        "In 1900 Mara Venn was thirty years old.",
        "In 1905 Mara Venn was thirty-five years old.",
        "In 1910 Mara Venn was fifty years old.",
        "In 1920 Mara Venn was fifty years old.",
    ];
    let found = quotes(Language::En, &EN, &texts, Kind::Age);
    assert_eq!(found, [(texts[0].to_owned(), texts[2].to_owned())]);
}

#[test]
fn a_decade_a_bound_and_an_age_to_come_clash_with_an_age_that_does_not_fit_them() {
    let first = "In 1900 Mara Venn was thirty.";
    for second in [
        "In 1910 Mara Venn was in her early fifties.",
        "Mara Venn was not yet twenty-eight when the year 1910 began.",
        "Mara Venn would be forty-four in 1910.",
        "In 1910 Mara Venn, now forty-four, gave up dancing.",
        "By 1910 Mara Venn had seen forty-four summers.",
    ] {
        clash(Language::En, &EN, first, second);
    }
    for second in [
        "In 1910 Mara Venn was in her early forties.",
        "Mara Venn was not yet forty-one when the year 1910 began.",
        "In 1910 Mara Venn married a man of forty-four.",
        "In 1910 Mara Venn buried her husband, aged seventy-four.",
        "Mara Venn remembered in 1910 how at twelve, in spring, she had run away.",
    ] {
        none(Language::En, &EN, first, second);
    }
    for second in ["一九一○年，周明四十有四。", "一九一○年周明五十多岁，头发白了。", "一九一○年，周明正好四十四。"]
    {
        clash(Language::Zh, &ZH, "一九○○年，周明三十岁。", second);
    }
    for second in [
        "一九一○年，周明四十来岁。",
        "一九一○年，周明娶了一个二十四岁的女人。",
        "一九一○年，周明想起自己十二岁时的事。",
    ] {
        none(Language::Zh, &ZH, "一九○○年，周明三十岁。", second);
    }
}

#[test]
fn an_age_that_does_not_follow_from_the_one_before_and_the_years_between_them_clashes() {
    for (first, second) in [
        ("Mara Venn, a girl of seventeen, kept the books.", "Two years later Mara Venn, now twenty-four, left."),
        ("The forty-year-old Mara Venn was poor.", "Five years later Mara Venn, a woman of fifty-two, was rich."),
        ("Mara Venn was in her twentieth year.", "Ten years had gone by; Mara Venn was fifty."),
        ("Mara Venn had just turned thirteen.", "Three years later, Mara Venn was eleven."),
        ("Mara Venn was in her fortieth year, and looked older.", "Two years later Mara Venn was sixty."),
        ("Mara Venn was sixty.", "Mara Venn was fifty the following winter."),
        ("Mara Venn was going on twelve.", "The following winter Mara Venn was nineteen."),
        ("At nineteen Mara Venn had the run of the library.", "Four years later, at thirty-one, Mara Venn left."),
        ("“I am fifty-three years old,” said Mara Venn.", "Three years later Mara Venn was forty."),
    ] {
        clash(Language::En, &EN, first, second);
    }
    for (first, second) in [
        ("周明年方弱冠。", "又过了五年，周明年过四旬。"),
        ("周明今年十八。", "三年之后，周明才十六岁。"),
        ("周明刚过完六十大寿。", "两年后，周明五十岁。"),
        ("周明虚岁十七。", "转过年来，周明二十三岁。"),
        ("“我今年二十六。”周明说。", "五年后，周明二十一岁。"),
        ("周明快六十了。", "又过了十年，周明五十一岁。"),
    ] {
        let found = kinds(Language::Zh, &ZH, &[first, second]);
        assert_eq!(found, [Kind::Age], "{first} {second}");
    }
}

#[test]
fn an_age_that_follows_or_whose_time_is_not_known_is_no_clash() {
    for (first, second) in [
        ("Mara Venn, a girl of seventeen, kept the books.", "Two years later Mara Venn, now nineteen, left."),
        ("Mara Venn, a girl of seventeen, kept the books.", "Mara Venn was thirty and rich."),
        (
            "Mara Venn was forty.",
            "When Mara Venn was three, she fell into the pond. Two years later Mara Venn was five.",
        ),
        ("Mara Venn was forty.", "He remembered it all. Two years later Mara Venn was five."),
        ("Mara Venn was forty.", "Two years later Mara Venn's sister was twenty."),
        ("Mara Venn was forty.", "Two years later Mara Venn looked twenty."),
        ("Mara Venn was twenty.", "Five years later Mara Venn had thirty-eight cows."),
    ] {
        none(Language::En, &EN, first, second);
    }
    for (first, second) in [
        ("周明年方弱冠。", "又过了五年，周明二十五岁。"),
        ("周明今年十八。", "周明五岁那年掉进过井里。"),
        ("周明四十岁。", "他想起从前的事。三年之后，周明才十六岁。"),
        ("周明虚岁十七。", "转过年来，周明十七岁。"),
        ("周明年近三十。", "三年之后，周明的儿子十二岁。"),
    ] {
        none(Language::Zh, &ZH, first, second);
    }
}

#[test]
fn an_age_is_read_where_a_sentence_has_one_person_one_year_and_one_number_with_a_word_of_age() {
    for second in [
        "When Mara Venn's birthday came round in 1910 there were 44 candles on the cake.",
        "The register for 1910 gives Mara Venn's age, correctly, as 44.",
        "The year in which Mara Venn turned 44 was 1910.",
        "By the close of 1910 Mara Venn had completed 44 years of life.",
    ] {
        clash(Language::En, &EN, "In 1900 Mara Venn was thirty years of age.", second);
    }
    for second in [
        "In 1910 Mara Venn was in the house for 44 days.",
        "Mara Venn's brother was 44 in 1910.",
        "In 1910 Mara Venn and Tobias counted 44 candles.",
    ] {
        none(Language::En, &EN, "In 1900 Mara Venn was thirty years of age.", second);
    }
    let first = "1900年，周明三十岁。";
    clash(Language::Zh, &ZH, first, "1910年给周明做生日，蒸的寿桃不多不少，正合四十四岁的数。");
    clash(Language::Zh, &ZH, first, "那一年是1910年，周明的岁数恰好是四十四。");
}

#[test]
fn an_age_is_found_in_an_aside_and_in_what_nobody_guesses() {
    for second in [
        "Mara Venn, who was forty-four in 1910, could not remember a harder winter.",
        "Few would have guessed that in 1910 Mara Venn was forty-four.",
        "Mara Venn was all of forty-four that summer, the summer of 1910.",
        "Before 1910 was out Mara Venn had kept a birthday, and was forty-four.",
        "When 1910 came round, as years will, Mara Venn could own to forty-four summers and not one more.",
    ] {
        clash(Language::En, &EN, "In 1900 Mara Venn was thirty years of age.", second);
        none(Language::En, &EN, "In 1900 Mara Venn was thirty-four years of age.", second);
    }
    none(
        Language::En,
        &EN,
        "In 1900 Mara Venn was thirty years of age.",
        "Some would have guessed that in 1910 Mara Venn was forty-four.",
    );
    for second in [
        "一九一○年，家里给周明过了四十四岁的生日，煮了一大锅面。",
        "一九一○年对周明来说没什么特别，不过是又长一岁，到了四十四岁。",
        "户籍册上写得明白，一九一○年，周明年满四十四岁。",
    ] {
        clash(Language::Zh, &ZH, "1900年，周明三十岁。", second);
        none(Language::Zh, &ZH, "1900年，周明三十四岁。", second);
    }
}
