//! Words and characters that tell the names of a Chinese text from its other words.

/// Surnames of one character, the most frequent of Chinese prose.
pub(crate) const SURNAMES: &str = concat!(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆",
    "汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫阎段雷侯龙墨史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤康华单卜庄柳祝尤章施凌柯",
    "霍翁聂季葛焦倪柴岳齐欧巫鲁翟穆温管关霍乔蓝甄詹靳闻戚梅费卫邢樊褚娄祁骆虞宁左裴俞殷牛晏",
);
/// Surnames of two characters.
pub(crate) const COMPOUND_SURNAMES: [&str; 21] = [
    "欧阳", "司马", "诸葛", "上官", "公孙", "公输", "司徒", "东方", "夏侯", "皇甫", "尉迟", "令狐", "慕容", "宇文",
    "独孤", "南宫", "西门", "端木", "百里", "东郭", "呼延",
];

/// Words behind a name or a surname that belong to it, the longer before their endings.
pub(crate) const TITLES: [&str; 68] = [
    "老太太",
    "老太爷",
    "大少爷",
    "少奶奶",
    "老夫子",
    "姑奶奶",
    "大太太",
    "大人",
    "公公",
    "婆婆",
    "太太",
    "老爷",
    "太爷",
    "大爷",
    "少爷",
    "小姐",
    "先生",
    "夫人",
    "奶奶",
    "爷爷",
    "姥姥",
    "老太",
    "大妈",
    "大娘",
    "大叔",
    "大伯",
    "大哥",
    "大嫂",
    "大姐",
    "嫂子",
    "二嫂",
    "二爷",
    "二哥",
    "姑娘",
    "姑姑",
    "阿姨",
    "妈妈",
    "师傅",
    "师父",
    "老师",
    "医生",
    "大夫",
    "博士",
    "教授",
    "校长",
    "局长",
    "经理",
    "队长",
    "主任",
    "司令",
    "将军",
    "道长",
    "掌柜",
    "老板",
    "嫂",
    "婶",
    "妈",
    "爷",
    "叔",
    "伯",
    "哥",
    "姐",
    "妹",
    "姑",
    "总",
    "公",
    "翁",
    "娘",
];
/// Titles that any man or woman may have beside a full name. The titles of kin, such as 太太, are those of another
/// member of the family as often.
pub(crate) const RESPECTFUL: [&str; 23] = [
    "先生",
    "老师",
    "师傅",
    "师父",
    "大夫",
    "医生",
    "大人",
    "博士",
    "教授",
    "校长",
    "局长",
    "经理",
    "队长",
    "主任",
    "司令",
    "将军",
    "道长",
    "老板",
    "总",
    "老爷",
    "爷",
    "老夫子",
    "老伯",
];
/// Titles behind a whole name that name the same person: 八三哥 is 八三, but 七斤嫂 is the wife of 七斤.
pub(crate) const OF_THE_SAME: [&str; 12] =
    ["先生", "大人", "老爷", "大爷", "小姐", "姑娘", "师傅", "哥", "爷", "君", "氏", "兄"];
/// Titles of respect, any of which the same person may have.
pub(crate) const SAME_TITLES: [&str; 4] = ["先生", "大人", "老爷", "公"];
/// Words before or behind one character of a given name, as friends and relatives say it: 道翁, 木叔, 阿顺.
pub(crate) const FAMILIAR_ENDINGS: [&str; 14] =
    ["公公", "先生", "老爷", "翁", "兄", "叔", "伯", "哥", "爷", "弟", "姑", "姐", "儿", "公"];
/// First characters of familiar names.
pub(crate) const FAMILIAR_STARTS: [char; 3] = ['老', '小', '阿'];

/// Last characters of the names of rulers: 楚王, 孤竹君.
pub(crate) const RULERS: [char; 5] = ['王', '君', '侯', '帝', '后'];
/// Characters of names of rank in a family, such as 三太太 and 七斤嫂.
pub(crate) const NUMERALS: &str = "二三四五六七八九十";
/// Last characters of names of places and hardly of persons.
pub(crate) const PLACE_ENDINGS: [char; 10] = ['镇', '庄', '村', '县', '省', '街', '巷', '寺', '庙', '祠'];
/// Characters of calls, which the tagger takes for names.
pub(crate) const INTERJECTIONS: [char; 12] = ['呀', '唷', '呵', '哈', '啊', '哦', '呜', '嗯', '唉', '哟', '嘿', '嗳'];
/// Last characters that show that a word goes on behind the name.
pub(crate) const FUNCTION_ENDINGS: [char; 14] =
    ['说', '向', '便', '都', '也', '又', '就', '在', '的', '了', '着', '是', '们', '曰'];
/// Characters that stand beside names and are no part of them.
pub(crate) const NO_PART: &str = concat!(
    "的了着是说道问笑想看听走来去在向对和与同把被给叫让便就都也又还却才很不没有这那一个位们到从上下之其他她它我你家",
    "几两多每各某些要会能里只但而且再更最将已正使得过等吗呢吧啊第伊俺咱您吾汝彼此怎该曰乃遂而以为于"
);

/// Verbs of speech and thought, of which names are the subject.
pub(crate) const SPEECH: &str = "说道曰问答喊叫骂嚷想听笑哭";
/// First words behind the name of one who acts.
pub(crate) const ACTS: [&str; 68] = [
    "知道", "觉得", "以为", "回答", "点头", "点了", "摇头", "摇了", "记得", "看见", "看着", "看了", "看到", "望着",
    "望了", "忽然", "忽而", "站起", "站在", "坐在", "坐下", "走到", "走过", "走进", "走出", "走来", "走去", "走了",
    "跑到", "吃了", "一面", "似乎", "心里", "心中", "脸上", "仿佛", "自己", "伸手", "伸出", "抬起", "连忙", "赶紧",
    "立刻", "终于", "居然", "慢慢", "不由", "出去", "出来", "进来", "回来", "回去", "拿着", "拿出", "低下", "皱着",
    "皱了", "高兴", "愤愤", "叹了", "叹气", "吃惊", "沉默", "大声", "低声", "不再", "没有", "不肯",
];
/// Adverbs between the subject of a sentence and its verb.
pub(crate) const ADVERBS: &str = "便却又也就还才都已只正很刚竟仍并";
/// Prepositions and verbs before the name of a person.
pub(crate) const BEFORE_PERSONS: &str = "对向跟同给叫请替问";
/// Last characters of the words before a common noun and hardly before a name: classifiers and pronouns.
pub(crate) const BEFORE_NOUNS: &str = "个条块只张片根座件匹把支枝阵堆双副些种口这那此每各何什大小粒包杯碗座株棵段层";
/// Adjectives before nouns: 胖大汉 is no name.
pub(crate) const ADJECTIVES: &str = "胖瘦高矮大小老红白黑黄蓝青绿花新旧长短好坏肥美丑";
/// Last characters of words for a part of a room or of a time, which begin clauses as names of persons do.
pub(crate) const LOCAL_ENDINGS: &str = "中内外前后间边处旁南北东西号时日夜年月地";
/// Last characters of the names of families and of their houses.
pub(crate) const FAMILY_ENDINGS: [char; 4] = ['家', '宅', '府', '门'];
/// Prepositions and verbs that the tagger takes for the first character of a name, as in 向瑞宣.
pub(crate) const BEFORE_NAMES: &str = "对向跟和同与给被把将比请使令以叫谢见闻左报";
/// Adverbs and verbs that the tagger takes for the last character of a name, as in 墨子道.
pub(crate) const BEHIND_NAMES: &str =
    "说道曰问答喊叫骂嚷想听笑哭便却又也就还才都已只正很刚竟仍并本更来去站立走坐看见在向对";
/// Surnames that are more often other words, such as colours and materials.
pub(crate) const AMBIGUOUS_SURNAMES: &str = "黄白金蓝朱王马夏莫万周温汤龙毛田庄华石方何";
/// Words behind which a name follows.
pub(crate) const INTRODUCTIONS: [&str; 10] =
    ["叫", "叫他", "叫她", "叫做", "叫作", "唤作", "称他", "称她", "称为", "自称"];
/// Conjunctions, adverbs and auxiliary verbs behind a name.
pub(crate) const LINKS: &str = "可尚曾若虽因既早";
