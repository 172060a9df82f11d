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
