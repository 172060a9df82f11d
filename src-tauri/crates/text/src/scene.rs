//! Guesses the scene type of a passage without a model.
//!
//! A plain count, shown to the writer as a guess and corrected with one click. Speech counts first, then the shape of
//! the opening (a jump in time or place), then verbs of the body, words of thought, and words of the senses, each by
//! its number per hundred words. If none is frequent, the passage is narration.

use crate::language::{Language, detect, is_han};
use crate::paragraphs::unwrapped;
use crate::{count, sentences};

/// Passages shorter than this are not guessed.
const MIN_HAN_CHARS: u32 = 16;
const MIN_WORDS: u32 = 10;
/// The least share (0..1) of letters between quotes that makes a passage dialogue.
const MIN_SPEECH_SHARE: f64 = 0.30;
/// The most words of a transition; it also opens with a jump in time or place.
const MAX_TRANSITION_WORDS: u32 = 80;

/// `dialogue`, `action`, `description`, `monologue`, `narration` or `transition`; `None` for
/// text that is too short. The end of the text counts as much as its start: pass the last paragraphs, not the chapter.
#[must_use]
pub fn guess(text: &str) -> Option<&'static str> {
    let text = &*unwrapped(text);
    let language = detect(text);
    let words = count::words(text);
    let minimum = match language {
        Language::Zh => MIN_HAN_CHARS,
        Language::En => MIN_WORDS,
    };
    if words < minimum {
        return None;
    }
    let (speech, outside) = speech_share(text);
    if speech >= MIN_SPEECH_SHARE {
        return Some("dialogue");
    }
    if words <= MAX_TRANSITION_WORDS && opens_with_jump(text, language) {
        return Some("transition");
    }
    let length = f64::from(words).max(1.0);
    let rate = |list: &str| count_hits(&outside, list, language) as f64 * 100.0 / length;
    // One hit per hundred English words weighs as much as 1.4 per hundred Han characters.
    let scale = if language == Language::Zh { 1.0 } else { 1.4 };
    let (action, thought, senses) = match language {
        Language::Zh => (rate(ACTION_ZH), rate(THOUGHT_ZH), rate(SENSES_ZH)),
        Language::En => (rate(ACTION_EN), rate(THOUGHT_EN), rate(SENSES_EN)),
    };
    let strongest = [("action", action), ("monologue", thought), ("description", senses)]
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1));
    match strongest {
        Some((scene, strength)) if strength * scale >= MIN_HITS_PER_100_WORDS => Some(scene),
        _ => Some("narration"),
    }
}

/// The least hits per hundred words that decide the type; ordinary narration has two or three of each list.
const MIN_HITS_PER_100_WORDS: f64 = 4.0;

/// Share of letters inside quotes, and the text outside them.
fn speech_share(text: &str) -> (f64, String) {
    let mut outside = String::with_capacity(text.len());
    let (mut spoken, mut all, mut depth, mut straight) = (0_usize, 0_usize, 0_u32, false);
    for c in text.chars() {
        match c {
            '“' | '「' | '『' => depth += 1,
            '”' | '」' | '』' => depth = depth.saturating_sub(1),
            '"' => straight = !straight,
            // An unclosed quote must not swallow the rest of the chapter.
            '\n' => (depth, straight) = (0, false),
            _ => {}
        }
        let quoted = depth > 0 || straight;
        if c.is_alphanumeric() {
            all += 1;
            spoken += usize::from(quoted);
        }
        if !quoted {
            outside.push(c);
        }
    }
    (if all == 0 { 0.0 } else { spoken as f64 / all as f64 }, outside)
}

fn opens_with_jump(text: &str, language: Language) -> bool {
    let Some(first) = sentences::split(text).into_iter().find(|s| !s.starts_with('#')) else {
        return false;
    };
    match language {
        Language::Zh => JUMP_ZH.split_whitespace().any(|jump| first.starts_with(jump)),
        Language::En => {
            let first = first.to_lowercase();
            JUMP_EN
                .split(';')
                .any(|jump| first.strip_prefix(jump).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
        }
    }
}

fn count_hits(text: &str, list: &str, language: Language) -> usize {
    match language {
        Language::Zh => list.split_whitespace().map(|word| text.matches(word).count()).sum(),
        Language::En => {
            let lower = text.to_lowercase();
            let known: std::collections::HashSet<&str> = list.split_whitespace().collect();
            lower.split(|c: char| !c.is_alphabetic() || is_han(c)).filter(|word| known.contains(word)).count()
        }
    }
}

const ACTION_ZH: &str = "扑 冲 跑 跳 抓 推 拽 砸 踢 躲 闪 挥 劈 刺 拔 撞 摔 追 逃 奔 扔 甩 滚 揪 抡 举起 转身 一把 猛 扯 踹 拳 刀 翻身 拉住 按住";
const ACTION_EN: &str = "ran run runs running jumped leapt grabbed seized shoved pushed pulled kicked struck hit threw threw flung swung ducked dodged lunged \
    spun turned slammed crashed fell rolled charged chased fled sprinted scrambled caught snatched punched stabbed slashed hauled dragged yanked rushed burst climbed dived dropped";
const THOUGHT_ZH: &str =
    "想 觉得 记得 心里 也许 或许 大概 明白 怀疑 后悔 如果 要是 为什么 难道 其实 忽然懂 怕 愿意 相信 忘 究竟 何必";
const THOUGHT_EN: &str = "thought think wondered wonder remembered remember knew know felt feel perhaps maybe supposed wished wish hoped believed \
    doubted why if whether should could guess afraid meant understood understand regretted imagine imagined";
const SENSES_ZH: &str = "光 影 色 白 黑 红 绿 灰 蓝 黄 暗 亮 静 香 味 声 风 雨 雾 云 月 雪 树 叶 草 山 石 墙 瓦 檐 水面 浪 潮 天边 远处 像 冷 湿 气味 淡 深 浅";
const SENSES_EN: &str = "light shadow shadows dark bright pale grey gray white black red green blue yellow gold silver brown dim cold warm damp wet smell \
    smelled scent sound silence quiet still wind rain mist fog cloud clouds moon snow tree trees leaf leaves grass hill hills stone wall walls roof \
    sea water wave waves tide sky horizon distant thin soft salt wood iron rust looked";
const JUMP_ZH: &str = "第二天 次日 翌日 当晚 当夜 几天后 三天后 两天后 数日后 一周后 一个月后 半个月后 几个月后 一年后 多年后 几年后 后来 转眼 天亮时 \
    天亮以后 天黑以后 傍晚时分 隔天 那以后 此后 不久 过了 入冬 入秋 开春 春天来 冬天来 到了";
const JUMP_EN: &str = "the next day;the next morning;the following day;the following morning;that night;that evening;later that;a week later;weeks later;\
    days later;two days later;three days later;a month later;months later;a year later;years later;by morning;by evening;by nightfall;at dawn;\
    at dusk;in the morning;meanwhile;after that;when spring came;when winter came;an hour later;hours later;soon after;some days later;a few days later";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: Option<&str>) {
        assert_eq!(guess(text), wanted, "{text}");
    }

    #[test]
    fn too_little_text_is_no_guess() {
        check("", None);
        check("他来了。", None);
        check("He came back.", None);
    }

    #[test]
    fn a_talk_is_dialogue() {
        check("“你爸让我别扔。”他说。\n“那就留着。”我说，“放在门后头，别让水泡了。”", Some("dialogue"));
        check(
            "“Your dad said not to throw it out.”\n“Then keep it,” I said. “Put it behind the door.”",
            Some("dialogue"),
        );
        check("\"Where were you?\" she asked. \"Out on the flats, where else would I be?\"", Some("dialogue"));
    }

    #[test]
    fn a_fight_is_action() {
        check(
            "他侧身躲开，反手抓住那人的腕子，一把拽过来，抬腿踢在膝上。刀落地，滚进水沟。他追上去扑倒了他。",
            Some("action"),
        );
        check(
            "He ducked, caught the man’s wrist, swung him round and kicked the knee away. The knife fell. He lunged after it and grabbed the handle.",
            Some("action"),
        );
    }

    #[test]
    fn a_landscape_is_description() {
        check(
            "雾从水面上来，灰白的，一层一层漫过石阶。远处的山只剩一道淡影，檐下的风带着潮湿的木头味。",
            Some("description"),
        );
        check(
            "Mist came off the water, grey and thin, and covered the stone steps one by one. The far hills were a pale shadow, and the wind smelled of wet wood.",
            Some("description"),
        );
    }

    #[test]
    fn somebody_thinking_is_monologue() {
        check(
            "我想，也许父亲早就明白了。要是那年我多问一句，他会不会说？我不愿意相信他是怕。其实我也怕，怕问了就要记得。",
            Some("monologue"),
        );
        check(
            "I wondered why he never told me. Perhaps he thought I knew; perhaps he hoped I would never ask. If I had asked, would he have known what to say? I think not.",
            Some("monologue"),
        );
    }

    #[test]
    fn a_jump_in_time_is_a_transition() {
        check("第二天一早，渡船照常开了，他坐在原来的位置上，带着那本簿子。", Some("transition"));
        check(
            "Three days later the ferry ran again, and he sat in his usual place with the ledger.",
            Some("transition"),
        );
    }

    #[test]
    fn a_passage_without_clear_signs_is_narration() {
        check(
            "父亲在这里干了三十一年，每天读两次水尺，把数字写进簿子，再寄到省里去。没有人来查过。",
            Some("narration"),
        );
        check(
            "My father had worked there for thirty-one years. Twice a day he read the gauge, wrote the number in a ledger and posted the sheet to the province.",
            Some("narration"),
        );
    }

    #[test]
    fn an_unclosed_quote_does_not_make_the_chapter_dialogue() {
        check(
            "“走吧。\n父亲在这里干了三十一年，每天读两次水尺，把数字写进簿子，再寄到省里去。没有人来查过。",
            Some("narration"),
        );
    }
}
