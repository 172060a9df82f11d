//! Han characters that are typed for one another: of the same sound, or of nearly the same shape.

use rustc_hash::FxHashMap;

/// Syllables and the characters that are read so; lines with `#` are comments.
const SOUNDS: &str = include_str!("sounds_zh.txt");
/// Groups of characters of nearly the same shape, and of the two ways to write a number.
const SHAPES: &str = concat!(
    "土士 未末 己已巳 日曰目 木本术 大太犬 人入 王玉主壬 天夭 千干于 田由甲申 戊戌戍戎 户卢庐 祥详样 贺贸 辛幸 免兔 鸟乌 治冶 水冰 ",
    "晴睛 杨扬场 析折拆 拔拨 侯候 刺剌 茶荼 季李 同问间 代伐 今令 住往佳 崇祟 柏伯 思恩 博傅 甫浦 卓绰 常嫦 宸晨 翼羿 华骅 陈阵 ",
    "白百自 丹舟 子孑 又叉 力刀 万方 刘列 汪注 洪供 苏芬 林材 周用 徐除 余佘 潘播 杜社 石右 夏复 邹邬 ",
    "江汪 尹伊 薛薜 雷雪 严产 孔扎 汤扬 康庚 施旋 温湿 管菅 兰三 玲铃 明朋 哲晢 婷停 娟捐 萍苹 ",
    "一壹 二贰 三叁 四肆 五伍 六陆 七柒 八捌 九玖 十拾",
);

/// The characters of each sound and shape.
#[derive(Debug)]
pub(super) struct Alike(FxHashMap<char, Vec<u16>>);

impl Alike {
    pub(super) fn new() -> Self {
        let mut groups: FxHashMap<char, Vec<u16>> = FxHashMap::default();
        let mut numbers: FxHashMap<String, u16> = FxHashMap::default();
        for line in SOUNDS.lines().filter(|line| !line.starts_with('#')) {
            let Some((syllable, characters)) = line.split_once(' ') else { continue };
            let next = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
            let number = *numbers.entry(rough(syllable)).or_insert(next);
            for c in characters.chars() {
                groups.entry(c).or_default().push(number);
            }
        }
        for (number, characters) in (0x8000..).zip(SHAPES.split(' ')) {
            for c in characters.chars() {
                groups.entry(c).or_default().push(number);
            }
        }
        Self(groups)
    }

    /// Whether two characters are of the same sound or of nearly the same shape.
    pub(super) fn are_alike(&self, a: char, b: char) -> bool {
        let (Some(of_a), Some(of_b)) = (self.0.get(&a), self.0.get(&b)) else { return false };
        of_a.iter().any(|group| of_b.contains(group))
    }
}

/// A syllable without what many speakers do not tell apart, z and zh, c and ch, s and sh, n and ng, and without the u
/// of zhuang, chuang and shuang, which is easily left out.
fn rough(syllable: &str) -> String {
    let end = if syllable.ends_with("ng") { syllable.len() - 1 } else { syllable.len() };
    match syllable.get(..2) {
        Some("zh" | "ch" | "sh") => format!("{}{}", &syllable[..1], syllable[2..end].replacen("ua", "a", 1)),
        _ => syllable[..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_one_sound_or_shape_are_alike() {
        let alike = Alike::new();
        for (a, b) in [('祥', '翔'), ('祥', '详'), ('林', '凌'), ('周', '邹'), ('土', '士'), ('六', '陆')] {
            assert!(alike.are_alike(a, b) && alike.are_alike(b, a), "{a} {b}");
        }
        for (a, b) in [('祥', '林'), ('王', '李'), ('大', 'a'), ('周', '何')] {
            assert!(!alike.are_alike(a, b), "{a} {b}");
        }
    }
}
