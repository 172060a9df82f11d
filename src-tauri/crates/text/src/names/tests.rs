use proptest::prelude::*;

use super::{folded::is_word, *};

fn pairs(list: &[(&str, &str)]) -> Vec<Pair> {
    list.iter().map(|(name, alias)| Pair::new(*name, *alias)).collect()
}

fn mask(list: &[(&str, &str)], texts: &[&str]) -> Mask {
    Mask::for_texts(&pairs(list), texts).unwrap()
}

#[test]
fn names_go_out_as_aliases_and_come_back_as_names() {
    let text = "老周没有看陈默。“陈默，”他说，“水尺呢？”";
    let mask = mask(&[("老周", "甲"), ("陈默", "乙")], &[text]);
    assert_eq!(mask.hide(text), "甲没有看乙。“乙，”他说，“水尺呢？”");
    assert_eq!(mask.restore("乙把水尺递给甲。"), "陈默把水尺递给老周。");
}

#[test]
fn the_longest_name_goes_first() {
    let text = "张三丰不是张三。";
    let mask = mask(&[("张三", "甲"), ("张三丰", "乙")], &[text]);
    assert_eq!(mask.hide(text), "乙不是甲。");
}

#[test]
fn a_latin_name_is_a_word_with_its_possessive_plural_and_capitals() {
    let text = "Also, Al's boat. The Als and ALBERT; AL! al Al2 Al走了";
    let mask = mask(&[("Al", "Bo")], &[text]);
    assert_eq!(mask.hide(text), "Also, Bo's boat. The Bos and ALBERT; BO! Bo Al2 Bo走了");
    assert_eq!(mask.restore("Bob and Bo, BO'S"), "Bob and Al, AL'S");
}

#[test]
fn an_alias_that_stands_in_the_text_already_gets_a_number_and_the_text_comes_back() {
    let text = "林一认识老周，不认识林一2。";
    let mask = mask(&[("老周", "林一")], &[text]);
    assert_eq!(mask.hide(text), "林一认识林一3，不认识林一2。");
    assert_eq!(mask.restore("林一和林一3走了。"), "林一和老周走了。");
}

#[test]
fn an_alias_that_runs_together_with_its_neighbours_into_a_name_is_put_in_brackets() {
    let text = "丁张三来了。";
    let mask = mask(&[("张三", "一"), ("丁一", "乙")], &[text]);
    assert_eq!(mask.hide(text), "丁〔一1〕来了。");
    assert_eq!(mask.restore("〔一1〕走了，〔乙1〕没有。"), "张三走了，丁一没有。");
}

#[test]
fn without_names_nothing_changes() {
    let mask = mask(&[], &["老周"]);
    assert!(mask.is_empty());
    assert_eq!((mask.hide("老周"), mask.restorer().push("老")), ("老周".into(), "老".into()));
}

#[test]
fn a_stream_waits_only_for_text_that_may_become_an_alias() {
    let mask = mask(&[("老周", "林先生"), ("Anna", "Beth")], &[]);
    let mut restorer = mask.restorer();
    assert_eq!(restorer.push("他对林"), "他对");
    assert_eq!(restorer.push("先"), "");
    assert_eq!(restorer.push("生说，林"), "老周说，");
    assert_eq!(restorer.push("子里，Bet"), "林子里，");
    assert_eq!(restorer.push("h"), "", "Bethany may follow");
    assert_eq!(restorer.push("s"), "", "and now Bethsaida");
    assert_eq!(restorer.push(" and Beth"), "Annas and ");
    assert_eq!(restorer.finish(), "Anna");
}

/// Every spelling of a name, in a sentence; the mask must leave no letter of the name in it.
#[track_caller]
fn hides(name: &str, spellings: &[&str]) {
    let list = [(name, "Quentin")];
    for spelling in spellings {
        for text in [
            spelling.to_string(),
            format!("He saw {spelling}, and left."),
            format!("“{spelling}!”"),
            format!("他看见{spelling}走了"),
        ] {
            let mask = mask(&list, &[&text]);
            let hidden = mask.hide(&text);
            assert_eq!(hidden.to_lowercase().matches("quentin").count(), 1, "{name} in {text:?}: {hidden:?}");
            assert!(!hidden.contains(spelling), "{hidden}");
            assert_eq!(mask.hide(&hidden), hidden);
            let back = mask.restore(&hidden);
            assert!(back.contains(name) || back.contains(&name.to_uppercase()), "{back}");
        }
    }
}

#[test]
fn a_name_is_hidden_in_every_spelling_in_which_a_reader_knows_it() {
    hides(
        "Anna",
        &[
            "anna",
            "ANNA",
            "An\u{AD}na",
            "An\u{200B}na",
            "Ａｎｎａ",
            "A\u{200D}nna",
            "An\u{FE0F}na",
            "An\u{E0041}na",
            "An\u{3164}na",
            "𝐀𝐧𝐧𝐚",
            "*An*na",
            "A̶n̶n̶a̶",
            "An\u{2060}na",
            "ⓐⓝⓝⓐ",
        ],
    );
    hides("McKay", &["mckay", "Mckay", "MCKAY", "mcKay"]);
    hides(
        "O'Brien",
        &[
            "O’Brien",
            "OʼBrien",
            "O‘Brien",
            "O＇Brien",
            "O`Brien",
            "O´Brien",
            "O Brien",
            "o'brien",
            "OBrien",
            "O\\'Brien",
            "O&#39;Brien",
            "O&rsquo;Brien",
        ],
    );
    hides("O’Brien", &["O'Brien"]);
    hides("Zo\u{e9}", &["Zoe\u{301}", "zo\u{e9}", "ZOE\u{301}", "zoe\u{301}"]);
    hides("Zoe\u{301}", &["Zo\u{e9}"]);
    hides(
        "Anna Karenina",
        &[
            "Anna\nKarenina",
            "Anna  Karenina",
            "Anna\u{A0}Karenina",
            "anna karenina",
            "Anna\r\nKarenina",
            "*Anna* Karenina",
            "Anna **Karenina**",
            "Anna\n> Karenina",
            "Anna-Karenina",
            "anna_karenina",
            "AnnaKarenina",
            "annakarenina",
            "anna.karenina",
            "Anna\\\nKarenina",
            "Anna\u{3000}Karenina",
            "Anna\u{2028}Karenina",
            "Anna&nbsp;Karenina",
            "ＡＮＮＡ　ＫＡＲＥＮＩＮＡ",
            "Anna\u{200B} Karenina",
            "Anna\u{200B}Karenina",
            "Anna\u{2011}Karenina",
        ],
    );
    hides("陈默", &["陳默", "陈 默", "陈\u{3000}默", "陈\n默", "陈\u{200B}默", "陈**默**", "陈\u{FE00}默", "陈·默"]);
    hides("陳默", &["陈默"]);
    hides(
        "安娜·卡列尼娜",
        &[
            "安娜•卡列尼娜",
            "安娜・卡列尼娜",
            "安娜‧卡列尼娜",
            "安娜･卡列尼娜",
            "安娜．卡列尼娜",
            "安娜卡列尼娜",
            "安娜 · 卡列尼娜",
            "安娜-卡列尼娜",
            "安娜\n卡列尼娜",
        ],
    );
    hides("阿Q", &["阿 Q", "阿Ｑ", "阿q"]);
    hides("Voß", &["Voss", "VOSS", "voß"]);
    assert_eq!(mask(&[("김민수", "Quentin")], &["김민수가"]).hide("김민수가"), "Quentin가");
}

#[test]
fn a_name_is_hidden_beside_signs_and_in_addresses() {
    for (text, should) in [
        ("@anna #anna anna@example.org", "@Beth #Beth Beth@example.org"),
        ("Anna-like, _Anna_, Anna's, ANNA’S, Annas; (anna)", "Beth-like, _Beth_, Beth's, BETH’S, Beths; (Beth)"),
        ("annabel, hosanna, Annas2, Anna2", "annabel, hosanna, Annas2, Anna2"),
        ("http://anna.example.org/~anna/", "http://Beth.example.org/~Beth/"),
    ] {
        assert_eq!(mask(&[("Anna", "Beth")], &[text]).hide(text), should);
    }
}

#[test]
fn words_that_are_no_names_stay() {
    for (name, texts) in [
        ("Li Ke", &["I like it", "LIKE", "Like, li. Ke nothing, li, ke"][..]),
        ("Chang'e", &["Change", "change"]),
        ("Dan", &["D-an", "D an", "dance"]),
        ("Ann", &["anno", "banns"]),
        ("Zoé", &["Zoe"]),
        ("陈默", &["陈，默", "陈“默”", "陈、默", "陈\n\n* * *\n\n默"]),
    ] {
        for text in texts {
            assert_eq!(mask(&[(name, "Quentin")], &[text]).hide(text), *text, "{name}");
        }
    }
}

#[test]
fn a_name_that_is_a_word_is_hidden_in_lower_case_where_the_writer_wants_it() {
    let text = "Will will leave; WILL, ‘will’. ｗｉｌｌ";
    let kept = Pair { in_lower_case: false, ..Pair::new("Will", "Quentin") };
    assert_eq!(Mask::for_texts(&[kept], &[text]).unwrap().hide(text), "Quentin will leave; QUENTIN, ‘will’. ｗｉｌｌ");
    assert_eq!(mask(&[("Will", "Quentin")], &[text]).hide(text), "Quentin Quentin leave; QUENTIN, ‘Quentin’. Quentin");
    let lower = Pair { in_lower_case: false, ..Pair::new("will", "Quentin") };
    assert_eq!(Mask::for_texts(&[lower], &["will Will"]).unwrap().hide("will Will"), "Quentin Quentin");
}

#[test]
fn two_spellings_with_lines_of_their_own_keep_their_aliases() {
    let text = "陳默 and 陈默, McKay and Mckay";
    let mask = mask(&[("陈默", "甲"), ("陳默", "乙"), ("McKay", "Lee"), ("Mckay", "Roy")], &[text]);
    assert_eq!(mask.hide(text), "乙 and 甲, Lee and Roy");
    assert_eq!(mask.restore(&mask.hide(text)), text);
}

#[test]
fn names_of_others_are_hidden_in_shared_texts_and_never_restored() {
    let own = [Pair::new("Anna", "Beth")];
    let others = [Pair::new("Zorblax", "Beth"), Pair::new("Anna", "Clara"), Pair::new("陈默", "Anna")];
    let (text, rule) = ("Anna met Zorblax.", "Let zorblax, ANNA and 陳默 be brief");
    let mask = Mask::with_others(&own, &[text], &others, &[rule]).unwrap();
    let sent = mask.hide_shared(rule);
    assert_eq!(mask.hide(text), "Beth met Zorblax.");
    assert!(
        !sent.to_lowercase().contains("zorblax") && !sent.to_lowercase().contains("anna") && !sent.contains('陳'),
        "{sent}"
    );
    assert_eq!(mask.restore(&sent), sent.replace("BETH", "ANNA"), "{sent}");
    assert!(!mask.restore("Person A, Person B, 某人A").contains("Zorblax"));
}

#[test]
fn the_forms_of_a_name_that_would_be_sent_are_found_with_their_counts() {
    let list: Vec<Pair> = ["Anna Karenina", "Marcus", "Anna", "O'Brien", "陈默", "欧阳建国", "安娜·卡列尼娜", "Will"]
        .map(|name| Pair::new(name, format!("alias of {name}")))
        .to_vec();
    let text = "Karenina came. Karenina, Annie and Annens; Marci spoke. Anna2! A-N-N-A, obrien. Wild geese, wild. The car. Market.\n\
        阿默和小默。老陈、陈先生，陈先生。建国走了，欧阳没有。安娜来了。陳先生。卡列尼娜，Anna Karenina, 陈默。";
    let found = find_forms(&list, [text].into_iter());
    let of = |name: &str| -> Vec<(String, u32)> {
        let of_name = found.iter().filter(|form| list[form.pair].name == name);
        let mut forms: Vec<(String, u32)> = of_name.map(|form| (form.form.clone(), form.count)).collect();
        forms.sort();
        forms
    };
    let pair = |(form, count): &(&str, u32)| ((*form).to_owned(), *count);
    assert_eq!(
        of("Anna Karenina"),
        [("Annens", 1), ("Annie", 1), ("Anna2", 1), ("Karenina", 2)]
            .iter()
            .map(pair)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
    assert_eq!(of("Marcus"), [("Marci", 1)].map(|one| pair(&one)));
    assert_eq!(of("Anna"), [("A-N-N-A", 1)].map(|one| pair(&one)));
    assert_eq!(of("O'Brien"), [("obrien", 1)].map(|one| pair(&one)));
    assert_eq!(of("陈默"), [("小默", 1), ("老陈", 1), ("阿默", 1), ("陈先生", 3)].map(|one| pair(&one)));
    assert_eq!(of("欧阳建国"), [("建国", 1), ("欧阳", 1)].map(|one| pair(&one)));
    assert_eq!(of("安娜·卡列尼娜"), [("卡列尼娜", 1), ("安娜", 1)].map(|one| pair(&one)));
    assert_eq!(of("Will"), []);
    assert_eq!(find_forms(&list, [""].into_iter()), []);
    // A form with an entry of its own is no longer offered.
    let mut longer = list.clone();
    longer.push(Pair::new("Annie", "x"));
    assert!(find_forms(&longer, [text].into_iter()).iter().all(|form| form.form != "Annie"));
}

#[test]
fn five_hundred_names_that_begin_alike_are_all_hidden_in_a_text_of_their_letters() {
    let list: Vec<Pair> = (0..500).map(|n| Pair::new(format!("A{n}"), format!("闻人{n}号"))).collect();
    let text = "A7 A499 ".repeat(2_000) + &"A".repeat(20_000);
    let mask = Mask::for_texts(&list, &[&text]).unwrap();
    let hidden = mask.hide(&text);
    assert_eq!((hidden.matches("闻人7号").count(), hidden.matches("闻人499号").count()), (2_000, 2_000));
    assert_eq!(mask.restore(&hidden), text);
    let nested: Vec<Pair> = (1..=60).map(|n| Pair::new("A".repeat(n), format!("闻人{n}号"))).collect();
    let text = "A ".repeat(5_000);
    let hidden = Mask::for_texts(&nested, &[&text]).unwrap().hide(&text);
    assert_eq!(hidden.matches("闻人1号").count(), 5_000);
}

#[test]
fn never_too_many_forms_are_offered() {
    let list: Vec<Pair> = (0..100).map(|n| Pair::new(format!("Bernardo{n} Zorblaxian{n}"), format!("{n}"))).collect();
    let text: String = (0..100).map(|n| format!("Bernardo{n} und Zorblaxian{n}en. ")).collect();
    assert!(find_forms(&list, [text.as_str()].into_iter()).len() <= 60);
}

/// The letters of a text as the naive reference reads them: folded, nothing unseen, each with the signs before it.
fn naive_units(text: &str) -> Vec<(char, String)> {
    use unicode_normalization::UnicodeNormalization;
    let text: String = text.chars().filter(|c| !crate::unseen::is_unseen(*c)).nfkd().collect::<String>().to_lowercase();
    let mut units = Vec::new();
    let mut between = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, '〔' | '〕' | ',') {
            let c = if c == '張' { '张' } else { c };
            units.push((c, std::mem::take(&mut between)));
        } else {
            between.push(c);
        }
    }
    units
}

/// The letters of a text, folded.
fn letters(text: &str) -> String {
    naive_units(text).into_iter().map(|(letter, _)| letter).collect()
}

/// Whether a text contains a name, by a test at every letter.
fn naive_finds(text: &str, name: &str, plural: bool) -> bool {
    let (text, name) = (naive_units(text), naive_units(name));
    let word = |at: usize| text.get(at).is_some_and(|(c, _)| is_word(*c));
    let joined = |at: usize| text.get(at).is_some_and(|(_, before)| before.is_empty());
    (0..text.len()).any(|start| {
        let end = start + name.len();
        let Some(here) = text.get(start..end) else { return false };
        let same = here.iter().zip(&name).all(|(one, other)| one.0 == other.0);
        let gaps = here.iter().zip(&name).enumerate().skip(1).all(|(n, (here, of_name))| {
            let han = !is_word(name[n].0) || !is_word(name[n - 1].0);
            match (of_name.1.is_empty(), here.1.is_empty()) {
                (true, true) | (false, false) => true,
                (true, false) => han && here.1.trim().is_empty(),
                (false, true) => han,
            }
        });
        let begins = !word(start) || start == 0 || !joined(start) || !word(start - 1);
        let goes_on = |at: usize| word(at) && joined(at);
        let is_s =
            plural && text.get(end).is_some_and(|(c, before)| *c == 's' && before.is_empty()) && !goes_on(end + 1);
        same && gaps && begins && (!word(end - 1) || !goes_on(end) || is_s)
    })
}

/// Names and aliases from few letters, so that they collide, overlap and run together as often as can be.
fn collisions() -> impl Strategy<Value = Vec<Pair>> {
    let name = "[张張三丰一丁]{1,3}|[Aabs]{1,3}|[AaBb] [ab]";
    let alias = "[张三丰一丁]{1,3}|[Aabs]{1,3}";
    proptest::collection::vec((name, alias), 1..5).prop_map(|list| {
        let mut kept: Vec<Pair> = Vec::new();
        for (name, alias) in list {
            if kept.iter().all(|pair| pair.name != name && pair.alias != alias) {
                kept.push(Pair::new(name, alias));
            }
        }
        kept
    })
}

#[test]
fn a_name_that_overlaps_itself_is_hidden_again_after_it_was_restored() {
    let pairs = [Pair::new("a a", "三")];
    let text = "Ａ aＡ ";
    let mask = Mask::for_texts(&pairs, &[text]).unwrap();
    let back = mask.restore(&mask.hide(text));
    assert!(!naive_finds(&mask.hide(&back), "a a", true));
    assert_eq!(letters(&mask.restore(&mask.hide(&back))), letters(&back));
}

proptest! {
    #[test]
    fn whatever_the_names_none_of_them_is_sent_in_any_spelling(
        pairs in collisions(),
        texts in proptest::collection::vec("[张張三丰一丁AabsＡｂ2〔〕 ，\u{AD}\u{200B}\n]{0,16}", 1..4)
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mask = Mask::for_texts(&pairs, &texts);
        prop_assert!(mask.is_some(), "brackets and numbers are enough");
        let mask = mask.unwrap();
        let plural = pairs.iter().all(|pair| !pair.name.eq_ignore_ascii_case("s"));
        for text in texts {
            let hidden = mask.hide(text);
            for pair in &pairs {
                prop_assert!(!naive_finds(&hidden, &pair.name, plural), "{:?} in {:?}", pair.name, hidden);
            }
            // An answer is restored with each name in a spelling of the list. Hidden again it contains no name either,
            // and comes back with the same letters; a name that overlaps itself ("a a" in "a a a") may be found
            // elsewhere.
            let back = mask.restore(&hidden);
            let again = mask.hide(&back);
            for pair in &pairs {
                prop_assert!(!naive_finds(&again, &pair.name, plural), "{:?} in {:?}", pair.name, again);
            }
            prop_assert_eq!(letters(&mask.restore(&again)), letters(&back));
        }
    }

    #[test]
    fn text_that_uses_the_spellings_of_the_list_comes_back_exactly(
        pairs in collisions(), picks in proptest::collection::vec((0_usize..5, "[〔〕，。]{1,3}"), 0..6)
    ) {
        let named = picks.iter().map(|(n, rest)| format!("{}{rest}", pairs[n % pairs.len()].name));
        let text: String = named.collect();
        let mask = Mask::for_texts(&pairs, &[&text]).unwrap();
        prop_assert_eq!(mask.restore(&mask.hide(&text)), text);
    }

    #[test]
    fn text_without_a_name_is_sent_as_it_is(pairs in collisions(), text in "[张三丰一丁abs2〔〕 ，\n]{0,16}") {
        let plural = pairs.iter().all(|pair| !pair.name.eq_ignore_ascii_case("s"));
        if pairs.iter().all(|pair| !naive_finds(&text, &pair.name, plural)) {
            prop_assert_eq!(Mask::for_texts(&pairs, &[&text]).unwrap().hide(&text), text);
        }
    }

    #[test]
    fn no_name_comes_about_where_control_words_are_neutralized(
        pairs in collisions(), text in "[张三Aabs <>|/\\[\\]_*，\u{AD}\u{E0041}\u{FE0F}-]{0,24}"
    ) {
        let mask = Mask::for_texts(&pairs, &[&text]).unwrap();
        let sent = crate::control::neutralize(&mask.hide(&text), &["a"]);
        prop_assert!(!mask.own.finder.contains_name(&sent), "{}", sent);
        prop_assert_eq!(crate::control::neutralize(&sent, &["a"]), sent);
    }

    #[test]
    fn however_a_stream_is_cut_it_is_restored_as_the_whole_is(
        pairs in collisions(), text in "[张三丰一丁Aabs2〔〕 ，]{0,24}", cuts in proptest::collection::vec(0_usize..24, 0..8)
    ) {
        let mask = Mask::for_texts(&pairs, &[]);
        prop_assert!(mask.is_some());
        let mask = mask.unwrap();
        let chars: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(chars.len())).collect();
        cuts.extend([0, chars.len()]);
        cuts.sort_unstable();
        let mut restorer = mask.restorer();
        let mut out = String::new();
        for pair in cuts.windows(2) {
            out += &restorer.push(&chars[pair[0]..pair[1]].iter().collect::<String>());
        }
        out += &restorer.finish();
        prop_assert_eq!(out, mask.restore(&text));
    }
}

#[test]
fn a_long_book_is_hidden_chapter_by_chapter_in_its_order() {
    let chapters: Vec<String> =
        (0..7).map(|n| format!("Chapter {n}. {}", "Mara went on, and it rained. ".repeat(1_500))).collect();
    let texts: Vec<&str> = chapters.iter().map(String::as_str).collect();
    let (mask, hidden) = Mask::hide_texts(&[Pair::new("Mara", "Nora")], &texts).unwrap();
    for (chapter, sent) in chapters.iter().zip(&hidden) {
        assert_eq!(*sent, chapter.replace("Mara", "Nora"));
        assert_eq!((mask.hide(chapter), mask.restore(sent)), (sent.clone(), chapter.clone()));
    }
    assert_eq!(hidden.len(), 7);
}
