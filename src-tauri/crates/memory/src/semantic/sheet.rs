//! Rules as a page that people read and edit (写作风格.md): a heading a category, a list item a rule. A written page reads
//! back unchanged, whatever text the rules have.

use crate::{
    episodic::wording::{pick, scene, skill},
    model::{Category, Language, Reason, Rule, Scope},
};

/// Each category in its order on the page, with its name in Chinese and English.
const CATEGORIES: [(Category, &str, &str); 5] = [
    (Category::Style, "写作风格", "Style"),
    (Category::Structure, "叙事偏好", "Narrative"),
    (Category::Character, "角色偏好", "Characters"),
    (Category::Pacing, "节奏", "Pacing"),
    (Category::Vocabulary, "词汇", "Vocabulary"),
];
const SCENES: [&str; 6] = ["dialogue", "action", "description", "monologue", "narration", "transition"];
const SKILLS: [&str; 6] = ["continue", "polish", "rewrite", "expand", "condense", "ask"];
/// Characters that a name must escape, because they end a part of an item.
const MARKS: [char; 9] = ['\\', '(', ')', '（', '）', ';', '；', ':', '：'];

/// An item of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Line number, from 1.
    pub line: u32,
    /// The sentence, without its conditions.
    pub rule: String,
    /// The heading above it.
    pub category: Category,
    /// Only for this scene type.
    pub scene_type: Option<String>,
    /// Only for this skill.
    pub skill_used: Option<String>,
    /// Marked as global.
    pub global: bool,
}

/// A line that cannot be read, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// Line number, from 1.
    pub line: u32,
    /// [`Reason::UnknownCategory`] or [`Reason::BrokenLine`].
    pub reason: Reason,
}

/// The page of some rules, in their order; `title` is that of the project, for rules of one.
#[must_use]
pub fn format_page(title: Option<&str>, language: Language, rules: &[Rule]) -> String {
    let mut page = format!("# {}\n", pick(language, "写作风格", "Writing style"));
    if let Some(title) = title {
        page += &format!("\n> {title}\n");
    }
    for (category, zh, en) in CATEGORIES {
        let mut own = rules.iter().filter(|rule| rule.category == category).peekable();
        if own.peek().is_none() {
            continue;
        }
        page += &format!("\n## {}\n\n", pick(language, zh, en));
        for rule in own {
            page += &item(rule, language);
        }
    }
    page
}

fn item(rule: &Rule, language: Language) -> String {
    let mut notes = Vec::new();
    let mut note = |zh, en, value: Option<&str>| {
        let name = pick(language, zh, en);
        notes.push(match (value, language) {
            (Some(value), Language::Zh) => format!("{name}：{}", escaped(value)),
            (Some(value), Language::En) => format!("{name}: {}", escaped(value)),
            (None, _) => name.to_owned(),
        });
    };
    if let Some(kind) = &rule.scene_type {
        note("场景", "scene", Some(scene(language, kind)));
    }
    if let Some(used) = &rule.skill_used {
        note("技能", "skill", Some(skill(language, used)));
    }
    note("置信度", "confidence", Some(&format!("{:.2}", rule.confidence)));
    if rule.user_confirmed {
        note("已确认", "confirmed", None);
    }
    if rule.scope == Scope::Global {
        note("全局", "all books", None);
    }
    // A backslash at the end of a rule must not escape the bracket.
    let apart = if rule.rule.ends_with('\\') { " " } else { "" };
    match language {
        Language::Zh => format!("- {}{apart}（{}）\n", rule.rule, notes.join("；")),
        Language::En => format!("- {} ({})\n", rule.rule, notes.join("; ")),
    }
}

/// The items of a page. Lines that are no item and no heading are skipped.
///
/// # Errors
/// The first line that cannot be read.
pub fn parse_page(page: &str) -> Result<Vec<Item>, Unreadable> {
    let mut items = Vec::new();
    let mut category = None;
    let mut after_item = false;
    for (line, text) in (1_u32..).zip(page.strip_prefix('\u{feff}').unwrap_or(page).lines()) {
        let text = text.trim();
        if let Some(item) = ["- ", "* ", "+ "].into_iter().find_map(|bullet| text.strip_prefix(bullet)) {
            let category = category.ok_or(Unreadable { line, reason: Reason::UnknownCategory })?;
            items.push(read_item(line, category, item.trim()));
            after_item = true;
            continue;
        }
        if text.starts_with("##") {
            category = category_of_heading(text.trim_start_matches('#').trim());
        } else if after_item && !text.is_empty() && !text.starts_with('#') {
            // To a reader the item continues there; half of a rule is another rule.
            return Err(Unreadable { line, reason: Reason::BrokenLine });
        }
        after_item = false;
    }
    Ok(items)
}

fn category_of_heading(heading: &str) -> Option<Category> {
    let is = |name: &str| name.eq_ignore_ascii_case(heading);
    CATEGORIES.into_iter().find(|(_, zh, en)| is(zh) || is(en)).map(|(category, ..)| category)
}

fn read_item(line: u32, category: Category, text: &str) -> Item {
    let bare = Item { line, rule: text.to_owned(), category, scene_type: None, skill_used: None, global: false };
    let Some((rule, notes)) = notes_of(text) else { return bare };
    let mut item = Item { rule: rule.to_owned(), ..bare.clone() };
    for note in split(notes, &[';', '；']) {
        let mut parts = split(note, &[':', '：']).into_iter();
        let (name, value) = (parts.next().unwrap_or_default().trim(), parts.next().map(|value| plain(value.trim())));
        match (name, value, parts.next()) {
            ("场景" | "scene", Some(value), None) => item.scene_type = Some(identifier(&value, &SCENES, scene)),
            ("技能" | "skill", Some(value), None) => item.skill_used = Some(identifier(&value, &SKILLS, skill)),
            // A rule on the page is written by the writer: its confidence is 1.
            ("置信度" | "confidence", Some(_), None) | ("已确认" | "confirmed", None, None) => {}
            ("全局" | "all books", None, None) => item.global = true,
            // Not a note of this program: the brackets belong to the rule.
            _ => return bare,
        }
    }
    item
}

/// The text in the brackets at the end of an item, and the text before them.
fn notes_of(text: &str) -> Option<(&str, &str)> {
    let closed = text.strip_suffix(['）', ')'])?;
    let at = unescaped(closed).filter(|(_, c)| ['（', '('].contains(c)).map(|(at, _)| at).last()?;
    let (rule, notes) = closed.split_at(at);
    let notes = notes.strip_prefix(['（', '('])?;
    let rule = rule.trim();
    (!rule.is_empty()).then_some((rule, notes))
}

/// The characters of a text that are not behind a backslash.
fn unescaped(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut escaped = false;
    text.char_indices().filter(move |(_, c)| {
        let is_plain = !escaped;
        escaped = is_plain && *c == '\\';
        is_plain
    })
}

fn split<'a>(text: &'a str, at: &[char]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (place, c) in unescaped(text).filter(|(_, c)| at.contains(c)) {
        parts.push(text.get(from..place).unwrap_or_default());
        from = place + c.len_utf8();
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

fn escaped(name: &str) -> String {
    name.chars().flat_map(|c| MARKS.contains(&c).then_some('\\').into_iter().chain([c])).collect()
}

fn plain(name: &str) -> String {
    let mut escaped = false;
    let keep = |c: &char| {
        escaped = !escaped && *c == '\\';
        !escaped
    };
    name.chars().filter(keep).collect()
}

/// The identifier of a scene type or a skill with this name; a name of the writer's is its own identifier.
fn identifier(value: &str, all: &[&str], called: fn(Language, &str) -> &str) -> String {
    let is = |name: &&&str| [Language::Zh, Language::En].into_iter().any(|language| called(language, name) == value);
    all.iter().find(is).map_or_else(|| value.to_owned(), |name| (*name).to_owned())
}

/// The words of a rule in the form that is compared: with normalised spaces.
#[must_use]
pub fn normalized_words(rule: &str) -> String {
    rule.split_whitespace().collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{RuleDraft, Time},
        semantic::rules::added,
    };

    fn rule(text: &str, category: Category, scene: Option<&str>, skill: Option<&str>, scope: Scope) -> Rule {
        let draft = RuleDraft {
            rule: text.into(),
            category,
            scope,
            project_id: (scope == Scope::Project).then(|| "book".into()),
            scene_type: scene.map(Into::into),
            skill_used: skill.map(Into::into),
            dimension: None,
        };
        let rule = added(draft, "r".into(), Time::from_millis(0));
        Rule { scene_type: scene.map(Into::into), ..rule }
    }

    #[test]
    fn the_page_lists_each_rule_with_its_conditions_in_the_language_of_the_book() {
        let rules = [
            rule("偏好短句（平均 < 15 字）", Category::Style, Some("action"), None, Scope::Project),
            rule("不用“突然”", Category::Vocabulary, None, Some("polish"), Scope::Global),
        ];
        assert_eq!(
            format_page(Some("夜航"), Language::Zh, &rules),
            "# 写作风格\n\n> 夜航\n\n## 写作风格\n\n- 偏好短句（平均 < 15 字）（场景：动作；置信度：1.00；已确认）\n\n## 词汇\n\n\
             - 不用“突然”（技能：润色；置信度：1.00；已确认；全局）\n"
        );
        assert!(
            format_page(None, Language::En, &rules).contains("(skill: polish; confidence: 1.00; confirmed; all books)")
        );
    }

    #[test]
    fn brackets_of_the_writers_stay_hers_and_notes_are_optional() {
        let items = parse_page("## Style\n- 短句（最多十五字）\n* Keep it short (scene: action)\n").unwrap();
        assert_eq!((items[0].rule.as_str(), &items[0].scene_type), ("短句（最多十五字）", &None));
        assert_eq!((items[1].rule.as_str(), items[1].scene_type.as_deref()), ("Keep it short", Some("action")));
        assert_eq!((items[1].line, items[1].global), (3, false));
    }

    #[test]
    fn an_unreadable_line_is_reported_by_its_number() {
        let refused = |page: &str| parse_page(page).map(drop).unwrap_err();
        assert_eq!(refused("# 写作风格\n- 短句\n"), Unreadable { line: 2, reason: Reason::UnknownCategory });
        assert_eq!(refused("## 天气\n\n- 晴\n"), Unreadable { line: 3, reason: Reason::UnknownCategory });
        assert_eq!(refused("## 节奏\n- 短句，\n  而且快\n"), Unreadable { line: 3, reason: Reason::BrokenLine });
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_as_it_was(
            written in prop::collection::vec(("[^\\p{C}\\p{Z}]([^\\p{C}]{0,20}[^\\p{C}\\p{Z}])?", 0..5_usize,
                prop::option::of("[^\\p{C}\\p{Z}]{1,8}"), prop::option::of("[a-z（;：]{1,8}"), any::<bool>()), 0..8),
            english in any::<bool>(),
        ) {
            let language = if english { Language::En } else { Language::Zh };
            let scope = |global| if global { Scope::Global } else { Scope::Project };
            let mut rules: Vec<Rule> = written.iter().map(|(text, category, scene, skill, global)| {
                rule(text, CATEGORIES[*category].0, scene.as_deref(), skill.as_deref(), scope(*global))
            }).collect();
            let place = |rule: &Rule| CATEGORIES.iter().position(|(category, ..)| *category == rule.category);
            rules.sort_by_key(place);
            let items = parse_page(&format_page(Some("夜航"), language, &rules)).unwrap();
            prop_assert_eq!(items.len(), rules.len());
            for (item, rule) in items.iter().zip(&rules) {
                prop_assert_eq!(&item.rule, &rule.rule);
                prop_assert_eq!(item.category, rule.category);
                prop_assert_eq!(&item.scene_type, &rule.scene_type);
                prop_assert_eq!(&item.skill_used, &rule.skill_used);
                prop_assert_eq!(item.global, rule.scope == Scope::Global);
            }
        }
    }
}
