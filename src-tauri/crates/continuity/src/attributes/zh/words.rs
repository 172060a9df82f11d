//! Words of Chinese statements of attributes.

use super::super::{AMBER, Attribute, BLACK, BLUE, BROWN, FAIR, GREEN, GREY, Limb, Mark, RED, VIOLET, Value};

/// Colours of eyes, the longest first. Red is left out: eyes are red from weeping.
pub(super) const EYES: [(&str, Value); 39] = [
    ("蓝灰", BLUE | GREY),
    ("灰蓝", BLUE | GREY),
    ("蓝绿", BLUE | GREEN),
    ("灰绿", GREY | GREEN),
    ("黄褐", BROWN | AMBER),
    ("黑褐", BLACK | BROWN),
    ("棕黑", BLACK | BROWN),
    ("碧蓝", BLUE),
    ("湛蓝", BLUE),
    ("蔚蓝", BLUE),
    ("天蓝", BLUE),
    ("深蓝", BLUE),
    ("浅蓝", BLUE),
    ("淡蓝", BLUE),
    ("碧绿", GREEN),
    ("翠绿", GREEN),
    ("墨绿", GREEN),
    ("幽绿", GREEN),
    ("漆黑", BLACK),
    ("乌黑", BLACK),
    ("墨黑", BLACK),
    ("黝黑", BLACK),
    ("深褐", BROWN),
    ("浅褐", BROWN),
    ("深棕", BROWN),
    ("浅棕", BROWN),
    ("茶褐", BROWN),
    ("琥珀", AMBER | BROWN),
    ("紫罗兰", VIOLET),
    ("淡紫", VIOLET),
    ("金黄", AMBER),
    ("蓝", BLUE),
    ("绿", GREEN),
    ("碧", GREEN | BLUE),
    ("黑", BLACK),
    ("褐", BROWN),
    ("棕", BROWN),
    ("灰", GREY),
    ("紫", VIOLET),
];
/// Colours of hair and beard. Grey, silver and white are left out: age gives them to everybody.
pub(super) const HAIR: [(&str, Value); 31] = [
    ("黑褐", BLACK | BROWN),
    ("棕黑", BLACK | BROWN),
    ("红褐", RED | BROWN),
    ("红棕", RED | BROWN),
    ("棕红", RED | BROWN),
    ("黄褐", FAIR | BROWN),
    ("亚麻", FAIR),
    ("金黄", FAIR),
    ("金红", FAIR | RED),
    ("浅黄", FAIR),
    ("淡黄", FAIR),
    ("枯黄", FAIR),
    ("焦黄", FAIR),
    ("火红", RED),
    ("赤红", RED),
    ("漆黑", BLACK),
    ("乌黑", BLACK),
    ("墨黑", BLACK),
    ("黝黑", BLACK),
    ("深褐", BROWN),
    ("浅褐", BROWN),
    ("深棕", BROWN),
    ("浅棕", BROWN),
    ("栗", BROWN | RED),
    ("黑", BLACK),
    ("红", RED),
    ("赤", RED),
    ("黄", FAIR),
    ("金", FAIR),
    ("褐", BROWN),
    ("棕", BROWN),
];
/// Nouns with their attributes, the longest first.
pub(super) const NOUNS: [(&str, Attribute); 30] = [
    ("眼珠子", Attribute::Eyes),
    ("眼睛", Attribute::Eyes),
    ("眼珠", Attribute::Eyes),
    ("眼瞳", Attribute::Eyes),
    ("眼眸", Attribute::Eyes),
    ("眸子", Attribute::Eyes),
    ("双眸", Attribute::Eyes),
    ("双瞳", Attribute::Eyes),
    ("双眼", Attribute::Eyes),
    ("两眼", Attribute::Eyes),
    ("瞳孔", Attribute::Eyes),
    ("瞳仁", Attribute::Eyes),
    ("瞳", Attribute::Eyes),
    ("眼", Attribute::Eyes),
    ("头发", Attribute::Hair),
    ("长发", Attribute::Hair),
    ("短发", Attribute::Hair),
    ("卷发", Attribute::Hair),
    ("直发", Attribute::Hair),
    ("鬈发", Attribute::Hair),
    ("秀发", Attribute::Hair),
    ("发辫", Attribute::Hair),
    ("辫子", Attribute::Hair),
    ("马尾", Attribute::Hair),
    ("发", Attribute::Hair),
    ("胡子", Attribute::Beard),
    ("胡须", Attribute::Beard),
    ("络腮胡", Attribute::Beard),
    ("须", Attribute::Beard),
    ("髯", Attribute::Beard),
];
/// Nouns of one character, which are nouns only directly behind a colour, and not before these characters: 黑眼圈, 黑发亮.
pub(super) const SHORT_NOUNS: [&str; 5] = ["眼", "瞳", "发", "须", "髯"];
pub(super) const NOT_BEHIND_SHORT: &str = "圈病镜罩眶皮界线神光热亮紫青现生展起布财家烧抖疯呆白毛知要";

/// Limbs, the longest word first.
const LIMBS: [(&str, Limb); 34] = [
    ("脚踝", Limb::Leg),
    ("膝盖", Limb::Leg),
    ("大腿", Limb::Leg),
    ("小腿", Limb::Leg),
    ("裤管", Limb::Leg),
    ("裤腿", Limb::Leg),
    ("腿", Limb::Leg),
    ("脚", Limb::Leg),
    ("膝", Limb::Leg),
    ("足", Limb::Leg),
    ("踝", Limb::Leg),
    ("胳膊肘", Limb::Elbow),
    ("肘", Limb::Elbow),
    ("胳膊", Limb::Arm),
    ("手臂", Limb::Arm),
    ("小臂", Limb::Arm),
    ("袖管", Limb::Arm),
    ("臂", Limb::Arm),
    ("手腕", Limb::Wrist),
    ("腕", Limb::Wrist),
    ("手背", Limb::Hand),
    ("手掌", Limb::Hand),
    ("手", Limb::Hand),
    ("肩膀", Limb::Shoulder),
    ("肩", Limb::Shoulder),
    ("眉", Limb::Brow),
    ("眼", Limb::Eye),
    ("耳", Limb::Ear),
    ("脸颊", Limb::Cheek),
    ("面颊", Limb::Cheek),
    ("脸", Limb::Cheek),
    ("颊", Limb::Cheek),
    ("腮", Limb::Cheek),
    ("颧", Limb::Cheek),
];
/// Words of marks.
const MARKS: [(&str, Mark); 36] = [
    ("疤", Mark::Scar),
    ("伤痕", Mark::Scar),
    ("烫伤", Mark::Scar),
    ("痣", Mark::Mole),
    ("胎记", Mark::Mole),
    ("刺青", Mark::Tattoo),
    ("纹身", Mark::Tattoo),
    ("刺着", Mark::Tattoo),
    ("瘸", Mark::Injury),
    ("跛", Mark::Injury),
    ("瞎", Mark::Injury),
    ("失明", Mark::Injury),
    ("看不见", Mark::Injury),
    ("聋", Mark::Injury),
    ("听不见", Mark::Injury),
    ("骨折", Mark::Injury),
    ("使不上", Mark::Injury),
    ("假肢", Mark::Injury),
    ("假腿", Mark::Injury),
    ("义肢", Mark::Injury),
    ("木头", Mark::Injury),
    ("残", Mark::Injury),
    ("缺", Mark::Injury),
    ("截", Mark::Injury),
    ("脱臼", Mark::Injury),
    ("脱过臼", Mark::Injury),
    ("打穿", Mark::Injury),
    ("打中", Mark::Injury),
    ("射中", Mark::Injury),
    ("击中", Mark::Injury),
    ("刺穿", Mark::Injury),
    ("中弹", Mark::Injury),
    ("空荡荡", Mark::Injury),
    ("打断", Mark::Injury),
    ("伤", Mark::Injury),
    ("断", Mark::Injury),
];
/// Words with characters of a mark that are none.
const NO_MARKS: [&str; 22] = [
    "不断", "中断", "判断", "果断", "独断", "断定", "断然", "断绝", "断言", "断断", "断送", "间断", "伤心", "悲伤",
    "忧伤", "感伤", "伤感", "哀伤", "缺少", "残酷", "残忍", "残月",
];

/// The limb at the start of a text, with its length.
pub(super) fn limb_at(text: &str) -> Option<(Limb, usize)> {
    LIMBS.iter().find(|(word, _)| text.starts_with(word)).map(|(word, limb)| (*limb, word.len()))
}

/// The mark at a byte of a text, if a limb may have it.
pub(super) fn mark_at(text: &str, at: usize, limb: Limb) -> Option<(Mark, usize)> {
    let (word, mark) = MARKS.iter().find(|(word, _)| text[at..].starts_with(word))?;
    let is_none = NO_MARKS.iter().any(|other| {
        let offset = other.find(word).unwrap_or(other.len());
        at.checked_sub(offset).and_then(|from| text.get(from..)).is_some_and(|rest| rest.starts_with(other))
    });
    let fits = match *word {
        "瘸" | "跛" | "假腿" => limb == Limb::Leg,
        "瞎" | "失明" | "看不见" => limb == Limb::Eye,
        "聋" | "听不见" => limb == Limb::Ear,
        "缺" | "残" => !matches!(limb, Limb::Cheek | Limb::Brow),
        "疤" | "伤痕" | "烫伤" | "痣" | "胎记" | "刺青" | "纹身" | "刺着" => true,
        "空荡荡" => matches!(limb, Limb::Leg | Limb::Arm),
        _ => !matches!(limb, Limb::Cheek | Limb::Brow | Limb::Eye | Limb::Ear),
    };
    (fits && !is_none).then_some((*mark, word.len()))
}

/// Words that may stand before a noun phrase behind its possessor.
pub(super) const DETERMINERS: [&str; 38] = [
    "那一双",
    "那双",
    "那对",
    "那只",
    "那头",
    "那把",
    "那部",
    "那条",
    "那一头",
    "这双",
    "两只",
    "一双",
    "一对",
    "一头",
    "满头",
    "一部",
    "一把",
    "一副",
    "一条",
    "一只",
    "双",
    "头",
    "那",
    "这",
    "的",
    "长着",
    "生着",
    "有着",
    "留着",
    "披着",
    "有",
    "天生",
    "生来",
    "上",
    "里",
    "个",
    "只",
    "条",
];
/// Characters that may stand between a noun and its colour.
pub(super) const BETWEEN_PREDICATE: &str = "是很又都却也本原全还仍依然生长得极非常十分的确深浅淡，";
/// Characters that no adjective between a colour and its noun has.
pub(super) const NO_ADJECTIVES: &str =
    "在上下里着了过和与他她我你这那一是把被有没不给用，。；：、！？　 “”‘’（）衣裙布袍帽巾鞋";
/// Nouns for somebody or something else that has eyes and hair.
pub(super) const OTHERS: [&str; 50] = [
    "女人", "男人", "老人", "老头", "老太", "姑娘", "少女", "少年", "女孩", "男孩", "孩子", "青年", "小伙", "汉子",
    "女子", "男子", "女儿", "儿子", "母亲", "父亲", "妈妈", "爸爸", "爹", "娘", "哥哥", "弟弟", "姐姐", "妹妹", "丈夫",
    "妻子", "老婆", "爷爷", "奶奶", "外婆", "外祖", "祖母", "祖父", "先生", "太太", "客人", "陌生", "洋人", "别人",
    "有人", "猫", "狗", "马儿", "娃娃", "假发", "面具",
];
/// Words of change.
pub(super) const CHANGES: [&str; 7] = ["染", "不再", "变", "褪", "假发", "化装", "化妆"];
/// Words before a statement that deny it.
pub(super) const DENIALS: [&str; 6] = ["没有", "不是", "并非", "不曾", "从未", "哪有"];
/// Words by which a hand only acts at a mark: 右手按着伤口.
pub(super) const ACTS: [char; 14] =
    ['住', '按', '捂', '扶', '摸', '拿', '握', '抓', '包', '用', '拄', '端', '举', '拍'];
/// Words before a hand that only acts.
pub(super) const BEFORE_ACTING_HANDS: [&str; 7] = ["用", "以", "伸出", "举起", "抬起", "伸着", "腾出"];
