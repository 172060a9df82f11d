//! Finds persons and things of a passage with simple rules, so that new sentences fit it.

use std::collections::HashMap;

use palimpsest_text::{Language, is_han};

use super::bank::Surroundings;
use super::rules::Person;

/// The values for the slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cast {
    pub(super) person: Person,
    /// Whether the third person singular is more often female in the passage.
    female: bool,
    /// A name found in the passage.
    other: Option<String>,
    /// Things named in the passage, last first.
    pub(super) things: Vec<&'static str>,
    pub(super) surroundings: Vec<Surroundings>,
}

/// The most characters that are scanned, from the end.
const MAX_SCANNED_CHARS: usize = 2_000;

impl Cast {
    /// Scans the end of `passage`.
    pub(super) fn from_passage(passage: &str, language: Language, person: Option<Person>) -> Self {
        let skip = passage.chars().count().saturating_sub(MAX_SCANNED_CHARS);
        let near: String = passage.chars().skip(skip).collect();
        let narrated = outside_quotes(&near);
        let (female, first) = match language {
            Language::Zh => (narrated.matches('她').count() > narrated.matches('他').count(), narrated.contains('我')),
            Language::En => {
                let count =
                    |list: &[&str]| words(&narrated).filter(|w| list.contains(&w.to_lowercase().as_str())).count();
                (
                    count(&["she", "her", "hers"]) > count(&["he", "him", "his"]),
                    words(&narrated).any(|w| w == "I" || w == "my" || w == "me"),
                )
            }
        };
        let other = match language {
            Language::Zh => name_zh(&narrated),
            Language::En => name_en(&narrated),
        };
        Self {
            person: person.unwrap_or(if first { Person::First } else { Person::Third }),
            female,
            other,
            things: things(&near, language),
            surroundings: surroundings(&near, language),
        }
    }

    /// Fills in a missing name and missing things from the text around the passage.
    pub(super) fn or_from(mut self, around: &str, language: Language) -> Self {
        let wider = Self::from_passage(around, language, Some(self.person));
        self.other = self.other.or(wider.other);
        if self.things.is_empty() {
            self.things = wider.things;
        }
        self.surroundings = wider.surroundings;
        self
    }

    /// Whether `word` is the name of the other person.
    pub(super) fn is_named(&self, word: &str) -> bool {
        self.other.as_deref() == Some(word)
    }

    /// Fills the slots of a sentence.
    pub(super) fn fill(&self, line: &str, thing: &str, language: Language) -> String {
        let other = self.other.as_deref().unwrap_or(match language {
            Language::Zh => "老陈",
            Language::En => "Marten",
        });
        let filled = match language {
            Language::Zh => {
                let p = match (self.person, self.female) {
                    (Person::First, _) => "我",
                    (Person::Third, true) => "她",
                    (Person::Third, false) => "他",
                };
                line.replace("{p}", p)
            }
            Language::En => {
                let [p, me, my] = match (self.person, self.female) {
                    (Person::First, _) => ["I", "me", "my"],
                    (Person::Third, true) => ["she", "her", "her"],
                    (Person::Third, false) => ["he", "him", "his"],
                };
                line.replace("{p}", p)
                    .replace("{P}", &capitalize(p))
                    .replace("{me}", me)
                    .replace("{my}", my)
                    .replace("{O}", other)
            }
        };
        filled.replace("{o}", other).replace("{n}", thing)
    }
}

pub(super) fn capitalize(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// The narration, without speech.
pub(super) fn outside_quotes(text: &str) -> String {
    let (mut depth, mut straight) = (0_u32, false);
    text.chars()
        .filter(|c| match c {
            '“' | '「' | '『' => {
                depth += 1;
                // The quotation mark stays, so that names before and after the speech do not run together.
                true
            }
            '”' | '」' | '』' => {
                depth = depth.saturating_sub(1);
                true
            }
            '"' => {
                straight = !straight;
                true
            }
            '\n' => {
                (depth, straight) = (0, false);
                true
            }
            _ => depth == 0 && !straight,
        })
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphabetic() || c == '\'')).filter(|w| !w.is_empty())
}

/// The most likely name: `老周`, `阿满`, `纪伯`, or a name before a verb of speech.
fn name_zh(narrated: &str) -> Option<String> {
    const BEFORE: [char; 3] = ['老', '小', '阿'];
    const NO_NAME: &str = "人师板家实是天年了的小大时子孩孔路婆公爷奶妈爸爹娘说心声学姐妹叔伯伙屋巷鱼鸟船车风雨雪店镇城村河岛事到得于看看起来去过好坏想要和";
    const AFTER: [char; 7] = ['伯', '叔', '婶', '姨', '嫂', '爷', '婆'];
    const NO_SURNAME: &str = "大小老阿叔伯姨婶奶外公婆爷太的了个位我你他她这那是叫和跟对向给说问";
    let chars: Vec<char> = narrated.chars().collect();
    let mut found: HashMap<String, (usize, usize)> = HashMap::new();
    for (i, pair) in chars.windows(2).enumerate() {
        let [a, b] = [pair[0], pair[1]];
        if !(is_han(a) && is_han(b)) {
            continue;
        }
        let named = (BEFORE.contains(&a) && !NO_NAME.contains(b)) || (AFTER.contains(&b) && !NO_SURNAME.contains(a));
        if named {
            let entry = found.entry(format!("{a}{b}")).or_insert((0, 0));
            *entry = (entry.0 + 1, i);
        }
    }
    for name in speakers_zh(&chars) {
        found.entry(name).or_insert((0, 0)).0 += 2;
    }
    // The most frequent; of those the last; then by name, so that the order of the map does not matter.
    found.into_iter().max_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0))).map(|(name, _)| name)
}

/// `”纪伯说`, `。林秋问`: two or three characters between a mark and a verb of speech that are no pronoun.
fn speakers_zh(chars: &[char]) -> Vec<String> {
    const NO_NAME: &str = "我你他她它们谁有没不也又就都还再只大小低轻慢笑的地得着了过一声点摇头忽然那这人听";
    let mut names = Vec::new();
    for (at, c) in chars.iter().enumerate() {
        if !matches!(c, '说' | '问' | '道' | '答') {
            continue;
        }
        let name: Vec<char> = chars[..at].iter().rev().take_while(|c| is_han(**c)).take(4).copied().collect();
        let fits = matches!(name.len(), 2 | 3) && !name.iter().any(|c| NO_NAME.contains(*c));
        if fits {
            names.push(name.into_iter().rev().collect());
        }
    }
    names
}

/// The most frequent capitalised word inside sentences or before a verb of speech.
fn name_en(narrated: &str) -> Option<String> {
    const NO_NAME: [&str; 40] = [
        "I",
        "The",
        "A",
        "An",
        "He",
        "She",
        "It",
        "We",
        "They",
        "You",
        "And",
        "But",
        "Then",
        "There",
        "This",
        "That",
        "What",
        "When",
        "Where",
        "Who",
        "How",
        "Why",
        "If",
        "No",
        "Yes",
        "Not",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "God",
        "English",
        "Chinese",
        "Mr",
        "Mrs",
        "Uncle",
        "Aunt",
    ];
    let mut found: HashMap<&str, (usize, usize)> = HashMap::new();
    for line in narrated.lines().filter(|line| !line.starts_with('#')) {
        let mut starts = true;
        for (at, word) in line.split_whitespace().enumerate() {
            let bare = word.trim_matches(|c: char| !c.is_alphabetic());
            let bare = bare.strip_suffix("’s").or_else(|| bare.strip_suffix("'s")).unwrap_or(bare);
            let capital =
                bare.chars().next().is_some_and(char::is_uppercase) && bare.chars().skip(1).all(char::is_lowercase);
            if capital && !starts && bare.chars().count() > 1 && !NO_NAME.contains(&bare) && !MONTHS.contains(&bare) {
                let entry = found.entry(bare).or_insert((0, 0));
                *entry = (entry.0 + 1, at);
            }
            starts = word.ends_with(['.', '?', '!', '“', '”', '"', ':', '…']) || word.starts_with(['“', '"', '”']);
            // `Mr. Zhou` does not begin a sentence.
            starts = starts && !["Mr.", "Mrs.", "Ms.", "Dr."].contains(&word);
        }
    }
    found.into_iter().max_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0))).map(|(name, _)| name.to_owned())
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Things for the slots that the passage names, last first.
fn things(near: &str, language: Language) -> Vec<&'static str> {
    let list = match language {
        Language::Zh => THINGS_ZH,
        Language::En => THINGS_EN,
    };
    let lower = near.to_lowercase();
    let mut found: Vec<(usize, &'static str)> = match language {
        Language::Zh => {
            list.split_whitespace().filter_map(|thing| lower.rfind(thing).map(|at| (at + thing.len(), thing))).collect()
        }
        Language::En => {
            let last: HashMap<&str, usize> = words(&lower).enumerate().map(|(at, word)| (word, at)).collect();
            list.split_whitespace().filter_map(|thing| last.get(thing).map(|at| (*at, thing))).collect()
        }
    };
    // The longer name goes first where one ends another: 水尺 before 尺.
    found.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.len().cmp(&a.1.len())));
    found.dedup_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, thing)| thing).take(5).collect()
}

/// Things for the slots if the passage names none.
pub(super) fn default_things(language: Language) -> &'static [&'static str] {
    match language {
        Language::Zh => &["那只盒子", "那封信", "那把伞", "那本账"],
        Language::En => &["box", "letter", "umbrella", "ledger"],
    }
}

fn surroundings(near: &str, language: Language) -> Vec<Surroundings> {
    let lower = near.to_lowercase();
    let (water, rain): (&[&str], &[&str]) = match language {
        Language::Zh => (&["海", "潮", "船", "渡", "浪", "码头", "岸"], &["雨"]),
        Language::En => (
            &["sea", "tide", "tides", "boat", "boats", "ferry", "quay", "wave", "waves", "harbour", "harbor", "shore"],
            &["rain", "rained", "raining"],
        ),
    };
    let named = |list: &[&str]| match language {
        Language::Zh => list.iter().any(|word| lower.contains(word)),
        Language::En => words(&lower).any(|word| list.contains(&word)),
    };
    let mut surroundings = vec![Surroundings::Anywhere];
    if named(water) {
        surroundings.push(Surroundings::Water);
    }
    if named(rain) {
        surroundings.push(Surroundings::Rain);
    }
    surroundings
}

const THINGS_ZH: &str = "水尺 尺 簿子 账本 本子 日记 信 信封 照片 钥匙 箱子 铁箱 匣子 盒子 柜子 铁皮柜 抽屉 架子 木架 桌子 椅子 凳子 马扎 灯 油灯 手电筒 \
    蜡烛 火柴 刀 小刀 斧头 剪刀 针 绳子 缆绳 桨 网 船票 车票 地图 图纸 书 报纸 笔 钢笔 铅笔 墨水 砚台 纸条 清单 杯子 茶杯 碗 酒瓶 瓶子 水壶 水桶 扁担 篮子 \
    袋子 布包 包袱 行李 伞 帽子 围巾 大衣 外套 手套 鞋 戒指 手表 怀表 钟 镜子 梳子 枪 剑 琴 棋盘 收音机 电话 手机 仪器 相机 钉子 铜钉 石头 木头 玻璃 螺壳 药 药瓶 日历";
const THINGS_EN: &str = "gauge board staff ledger notebook diary letter envelope photograph key box case chest tin locker drawer rack shelf table chair \
    stool lamp lantern torch candle knife axe rope oar net ticket map drawing book newspaper pen pencil ink note list glass cup bowl bottle kettle bucket \
    basket bag bundle suitcase umbrella hat scarf coat jacket ring watch clock mirror comb gun sword violin piano radio telephone phone instrument camera \
    pin stone calendar crate trunk barrel blanket";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_and_things_come_out_of_a_chinese_passage() {
        let cast = Cast::from_passage(
            "我走近才看见老周蹲在门口，打磨一根旧水尺。“差了两指。”我说。老周没接话，风从海上来。",
            Language::Zh,
            None,
        );
        assert_eq!(cast.person, Person::First);
        assert_eq!(cast.other.as_deref(), Some("老周"));
        assert_eq!(cast.things, ["水尺"]);
        assert!(cast.surroundings.contains(&Surroundings::Water));
        assert_eq!(cast.fill("{p}把{n}递给{o}。", "水尺", Language::Zh), "我把水尺递给老周。");
    }

    #[test]
    fn people_and_things_come_out_of_an_english_passage() {
        let passage =
            "Then she saw Zhou crouched in the doorway with the ledger. “I won’t,” said Zhou. It began to rain.";
        let cast = Cast::from_passage(passage, Language::En, None);
        assert_eq!(cast.person, Person::Third);
        assert_eq!(cast.other.as_deref(), Some("Zhou"));
        assert_eq!(cast.things, ["ledger"]);
        assert_eq!(cast.surroundings, [Surroundings::Anywhere, Surroundings::Rain]);
        assert_eq!(cast.fill("{P} gave {o} {my} {n}.", "ledger", Language::En), "She gave Zhou her ledger.");
    }

    #[test]
    fn a_speaker_is_a_name_and_a_pronoun_is_none() {
        let cast = Cast::from_passage("“不走。”林秋说。“走吧。”他低声说。", Language::Zh, None);
        assert_eq!(cast.other.as_deref(), Some("林秋"));
    }

    #[test]
    fn direct_speech_does_not_make_a_passage_first_person() {
        assert_eq!(Cast::from_passage("“我不去。”他说。", Language::Zh, None).person, Person::Third);
        assert_eq!(Cast::from_passage("“I won’t go,” he said.", Language::En, None).person, Person::Third);
    }

    #[test]
    fn an_empty_passage_has_a_cast_all_the_same() {
        let cast = Cast::from_passage("", Language::En, Some(Person::First));
        assert_eq!(cast.fill("{P} knew {o} was waiting.", "box", Language::En), "I knew Marten was waiting.");
    }
}
