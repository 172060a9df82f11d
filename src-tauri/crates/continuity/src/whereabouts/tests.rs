use palimpsest_reader::names::EntityKind;
use palimpsest_text::Language;

use crate::{Book, Entity, Kind, Pair, find_pairs};

const EN_PLACES: [&str; 7] =
    ["Harwick", "Dunmere", "Greyhall", "Long Gallery", "Anchor", "Salt Market", "Harwick Station"];
const ZH_PLACES: [&str; 7] = ["青石镇", "白水村", "望海楼", "陈家祠堂", "聚福茶馆", "北仓", "青石镇码头"];

fn entities(language: Language) -> Vec<Entity> {
    let (characters, places) = match language {
        Language::En => (["Mara", "Tobias"], EN_PLACES),
        Language::Zh => (["林小满", "周明远"], ZH_PLACES),
    };
    let characters = characters.into_iter().map(|name| (name, EntityKind::Character));
    let named = characters.chain(places.into_iter().map(|name| (name, EntityKind::Place)));
    named.map(|(name, kind)| Entity { kind, name: name.into(), forms: vec![name.into()] }).collect()
}

fn found(language: Language, chapters: &[&str]) -> Vec<Pair> {
    let entities = entities(language);
    find_pairs(&Book::new(language, chapters, &entities))
}

/// The two places of each pair.
fn places(language: Language, chapters: &[&str]) -> Vec<[String; 2]> {
    let pairs = found(language, chapters).into_iter().filter(|pair| pair.kind == Kind::Where);
    pairs.map(|pair| [pair.values[0].clone(), pair.values[1].clone()]).collect()
}

/// Asserts the number of pairs of each passage, and lists all passages with another one.
fn assert_counts(language: Language, passages: &[&[&str]], count: usize) {
    let is_wrong = |passage: &&&[&str]| places(language, passage).len() != count;
    let wrong: Vec<_> = passages.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong: {wrong:#?}", wrong.len(), passages.len());
}

#[test]
fn a_character_in_two_places_of_one_scene_is_a_pair_in_english() {
    let scene = "Mara sat in the Long Gallery. Rain beat on the windows. Mara stood in the Salt Market.";
    assert_eq!(places(Language::En, &[scene]), [["Long Gallery", "Salt Market"]]);
    assert_counts(
        Language::En,
        &[
            &["Mara was in Harwick. The lamps were lit. Mara was in Dunmere."],
            &["Mara was sitting in the Anchor. “You look tired,” said Tobias. Mara slept in the Long Gallery."],
            &["Mara knelt alone in the Salt Market. Her hands were cold.\n\nMara waited quietly at Greyhall."],
            &["Mara and Tobias sat in the Anchor. The beer was warm. Tobias lay on his bed in Greyhall."],
            &["Tobias stayed by the fire in the Anchor, and the wind howled. Tobias was asleep at Dunmere."],
            &["Mara was standing in the Salt Market with a basket. “Fish?” she said. Mara was at work in Greyhall."],
            &["The evening was cold; Mara still waited in Harwick. It rained. Mara lay in the Long Gallery, awake."],
            &["Mara sits in the Anchor. The clock ticks. Mara stands in the Salt Market."],
            &["While Mara sat in the Anchor, Tobias counted coins. Mara was in the Salt Market, and she was cold."],
            &["Mara remained in the Long Gallery. “Come home,” said Tobias. “I will go,” said Mara. \
               Mara knelt in the Salt Market."],
            &["Tobias was in the Anchor with Mara. The fire burned low. Mara was in the Salt Market. \
               Tobias was waiting at Greyhall."],
            &["Mara was now in Harwick. Gulls screamed. Mara sat silently in the cold Long Gallery."],
        ],
        1,
    );
}

#[test]
fn a_character_in_two_places_on_one_date_is_a_pair_in_english() {
    let dated = |place: &str, date: &str| format!("On {date} Mara was in {place}.");
    let first = dated("Harwick", "3 May 1912");
    assert_eq!(places(Language::En, &[&first, "", &dated("Dunmere", "May 3rd, 1912")]), [["Harwick", "Dunmere"]]);
    assert_counts(
        Language::En,
        &[
            &[
                "On the morning of 3 May 1912 Mara sat in the Anchor.",
                "Rain.",
                "Snow.",
                "Mara stood in the Salt Market on the morning of 3 May 1912.",
            ],
            &["On 3 May Mara was in Harwick.", "Mara was in Dunmere on 3 May."],
            &["Mara slept at Greyhall on 9 June 1850.", "War came.", "On 9 June 1850, Mara lay in Dunmere."],
            &[
                "On 3 May 1912, at nine o'clock, Mara was in Harwick.",
                "",
                "",
                "At nine o'clock on 3 May 1912 Mara was waiting in Dunmere.",
            ],
        ],
        1,
    );
    assert_counts(
        Language::En,
        &[
            &[&first, &dated("Dunmere", "4 May 1912")],
            &[&first, &dated("Dunmere", "3 May 1913")],
            &["On 3 May Mara was in Harwick.", "", "", "Mara was in Dunmere on 3 May."],
            &["On 3 May 1912 Mara was in Harwick.", "Mara was in Dunmere on 3 May."],
            &["On the morning of 3 May 1912 Mara was in Harwick.", "In the evening of 3 May 1912 Mara was in Dunmere."],
            &[
                "At nine o'clock on 3 May 1912 Mara was in Harwick.",
                "On 3 May 1912, at ten o'clock, Mara sat in Dunmere.",
            ],
            &["In May 1912 Mara was in Harwick.", "In May 1912 Mara was in Dunmere."],
            &[&first, "On 3 May 1912 Mara was in Dunmere and sailed for Spain."],
            &["On 3 May 1912 Mara was in Harwick. She took the train. On 3 May 1912 Mara was in Dunmere."],
            &[&first, "On 3 May 1912 Tobias was in Dunmere."],
            &[&first, "“On 3 May 1912 Mara was in Dunmere,” said Tobias."],
        ],
        0,
    );
}

#[test]
fn english_look_alikes_are_no_pair() {
    assert_counts(
        Language::En,
        &[
            &["Mara sat in the Anchor. She got up and went out. Mara stood in the Salt Market."],
            &["Mara sat in the Anchor, then walked home. Mara stood in the Salt Market."],
            &["Mara sat in the Anchor. Tobias drove her. Mara was in Dunmere."],
            &["Mara sat in the Anchor. Mara hurried out and waited in the Salt Market."],
            &["Mara sat in the Anchor. An hour passed. Mara stood in the Salt Market."],
            &["Mara was in Harwick. Three weeks later Mara was in Dunmere."],
            &["Mara was in Harwick. In the morning Mara was in Dunmere."],
            &["Mara was in Harwick. Tobias wept. Later, Mara was in Dunmere."],
            &["Mara was in Harwick.\n\n* * *\n\nMara was in Dunmere."],
            &["Mara was in Harwick.\n\n——\n\nMara was in Dunmere."],
            &["Mara was in Harwick.\n\n## The Storm\n\nMara was in Dunmere."],
            &["Mara was in Harwick.", "Mara was in Dunmere."],
            &["Mara was in Harwick. “Mara was in Dunmere,” said Tobias."],
            &["Mara was in Harwick. “Where was she?” “Tobias lied. Mara sat in Dunmere, I saw her.”"],
            &["Mara slept in the Anchor. In her dream Mara stood in the Salt Market."],
            &["Mara slept in the Anchor. She dreamt of her youth. Mara was in Dunmere, and the sea was warm."],
            &["Mara sat in the Anchor. In the letter Mara was in Dunmere."],
            &["Mara was in Harwick. Tobias had written:\n\nMara is in Dunmere."],
            &["Mara was in Harwick. Mara was not in Dunmere."],
            &["Mara was in Harwick. Mara was never in Dunmere."],
            &["The Long Gallery of Greyhall was dark. Mara sat in the Long Gallery. Mara was at Greyhall."],
            &["Mara sat in the Anchor. It rained. Mara was in Harwick.", "The Anchor in Harwick was old."],
            &["Mara was in Harwick. Mara waited in Harwick Station."],
            &["Mara sat in the Anchor, in Harwick. It rained. Mara was in Harwick."],
            &["Mara sat in the Anchor. It rained. Mara stood in the market."],
            &["Mara sat in the Anchor and Tobias stood in the Salt Market."],
            &["Mara sat in the Anchor. It rained. Tobias stood in the Salt Market."],
            &["Mara sat in the Anchor. It rained. Mara's brother was in the Salt Market."],
            &["Mara was in Harwick. If Mara was in Dunmere, nobody knew it."],
            &["Mara was in Harwick. Perhaps Mara was in Dunmere."],
            &["Mara was in Harwick. Mara had been in Dunmere."],
            &["Mara was in Harwick. Mara lived in Dunmere."],
            &["Mara was in Harwick. Mara was born in Dunmere."],
            &["Mara was in Harwick. Mara was thinking of her house in Dunmere."],
            &["Mara was in Harwick. Mara was on the road to Dunmere."],
            &["Mara was in Harwick. Tobias believed Mara was in Dunmere."],
            &["Mara was in Harwick. Tobias knew that Mara was in Dunmere."],
            &["Mara was in Harwick. Mara stood on Dunmere Bridge."],
            &["Mara was in Harwick. Once Mara sat in Dunmere."],
            &["Mara was in Harwick. Mara often sat in the Anchor."],
            &["Mara was in Harwick. Was Mara in Dunmere?"],
            &["Mara was in Harwick. Mara was back in Dunmere."],
        ],
        0,
    );
}

#[test]
fn a_pronoun_means_the_only_character_of_the_scene() {
    assert_counts(
        Language::En,
        &[
            &["Mara sat in the Anchor. Rain beat on the windows. She stood in the Salt Market."],
            &["Mara sat in a corner of the Anchor. She was cold. She was kneeling on the floor of the Long Gallery."],
            &["Tobias stood on the steps of Greyhall and lit his pipe. He was in Dunmere, and the wind was cold."],
        ],
        1,
    );
    assert_counts(
        Language::En,
        &[
            &["Mara sat in the Anchor. Tobias smiled. She stood in the Salt Market."],
            &["Mara sat in the Anchor. “Is Tobias ill?” He lay in Greyhall."],
            &["Mara sat in the Anchor. Her sister was ill. She lay in Greyhall."],
            &["Mara sat in the Anchor. She was cold. He was in Dunmere."],
            &["Mara sat in the Anchor. She got up and went out. She stood in the Salt Market."],
            &["Mara sat in the Anchor. “She was in Dunmere,” said Tobias."],
            &["Mara sat in the Anchor. The landlady sang. She was in Harwick."],
        ],
        0,
    );
    assert_counts(
        Language::Zh,
        &[
            &["林小满坐在聚福茶馆里。雨打着窗户。她站在北仓门口。"],
            &["周明远坐在聚福茶馆的角落里。他很冷。他跪在陈家祠堂里。"],
        ],
        1,
    );
    assert_counts(
        Language::Zh,
        &[
            &["林小满坐在聚福茶馆里。周明远笑了。她站在北仓门口。"],
            &["林小满坐在聚福茶馆里。“周明远病了？”他躺在北仓里。"],
            &["林小满坐在聚福茶馆里。她的妹妹病了。她躺在北仓里。"],
            &["林小满坐在聚福茶馆里。她很冷。他站在北仓里。"],
            &["林小满坐在聚福茶馆里。她起身走了出去。她站在北仓里。"],
            &["林小满坐在聚福茶馆里。“她在白水村。”周明远说。"],
        ],
        0,
    );
}

#[test]
fn statements_far_apart_are_no_pair() {
    let far = |sentence: &str| sentence.repeat(12);
    let english = format!("Mara was in Harwick. {}Mara was in Dunmere.", far("It rained. "));
    let chinese = format!("林小满坐在青石镇。{}林小满站在白水村。", far("雨很大。"));
    assert_counts(Language::En, &[&[english.as_str()]], 0);
    assert_counts(Language::Zh, &[&[chinese.as_str()]], 0);
}

#[test]
fn a_character_in_two_places_of_one_scene_is_a_pair_in_chinese() {
    let scene = "林小满坐在聚福茶馆里。雨打着窗户。林小满站在北仓门口。";
    assert_eq!(places(Language::Zh, &[scene]), [["聚福茶馆", "北仓"]]);
    assert_counts(
        Language::Zh,
        &[
            &["林小满在青石镇。灯都亮着。林小满在白水村。"],
            &["林小满正坐在聚福茶馆里喝茶。“你累了。”周明远说。林小满躺在陈家祠堂里。"],
            &["林小满独自跪在陈家祠堂。她的手冰凉。\n\n林小满静静地等在望海楼上。"],
            &["林小满和周明远坐在聚福茶馆里。茶凉了。周明远睡在北仓。"],
            &["周明远还守在北仓，风很大。周明远站在望海楼上。"],
            &["此刻林小满站在望海楼上，手里拿着一把伞。“鱼？”她问。林小满蹲在北仓。"],
            &["夜很冷，林小满一直待在青石镇。下着雨。林小满躺在望海楼里，睁着眼。"],
            &["那天林小满留在白水村。钟滴答作响。林小满坐在青石镇的茶馆里。"],
            &["这时，林小满坐在聚福茶馆，周明远数着铜钱。林小满正在北仓里，身上发冷。"],
            &["林小满坐在陈家祠堂里。“回家去吧。”周明远说。“我这就走。”林小满说。林小满跪在北仓中。"],
            &["周明远和林小满坐在望海楼上。火快灭了。林小满站在北仓里。"],
            &["林小满一个人呆在北仓里。老鼠吱吱地叫。林小满在望海楼上等着。"],
        ],
        1,
    );
}

#[test]
fn a_character_in_two_places_on_one_date_is_a_pair_in_chinese() {
    let first = "一九一二年五月三日，林小满在青石镇。";
    assert_eq!(places(Language::Zh, &[first, "", "1912年5月3日林小满坐在白水村。"]), [["青石镇", "白水村"]]);
    assert_counts(
        Language::Zh,
        &[
            &[
                "一九一二年五月三日早晨，林小满坐在聚福茶馆里。",
                "雨。",
                "雪。",
                "一九一二年五月三日早上，林小满站在北仓里。",
            ],
            &["五月三日，林小满在青石镇。", "五月三日林小满在白水村。"],
            &["林小满一八五〇年六月九日在望海楼。", "打仗了。", "一八五〇年六月九日，林小满躺在白水村。"],
            &["一九一二年五月三日九点，林小满在青石镇。", "", "", "一九一二年五月三日九点，林小满等在白水村。"],
        ],
        1,
    );
    assert_counts(
        Language::Zh,
        &[
            &[first, "一九一二年五月四日，林小满在白水村。"],
            &[first, "一九一三年五月三日，林小满在白水村。"],
            &["五月三日，林小满在青石镇。", "", "", "五月三日，林小满在白水村。"],
            &[first, "五月三日，林小满在白水村。"],
            &["一九一二年五月三日早晨，林小满在青石镇。", "一九一二年五月三日晚上，林小满在白水村。"],
            &["一九一二年五月三日九点，林小满在青石镇。", "一九一二年五月三日十点，林小满坐在白水村。"],
            &["一九一二年五月，林小满在青石镇。", "一九一二年五月，林小满在白水村。"],
            &[first, "一九一二年五月三日，林小满在白水村，上船去了上海。"],
            &["一九一二年五月三日，林小满在青石镇。她赶上了火车。一九一二年五月三日，林小满在白水村。"],
            &[first, "一九一二年五月三日，周明远在白水村。"],
            &[first, "“一九一二年五月三日，林小满在白水村。”周明远说。"],
        ],
        0,
    );
}

#[test]
fn chinese_look_alikes_are_no_pair() {
    assert_counts(
        Language::Zh,
        &[
            &["林小满坐在聚福茶馆里。她起身走了出去。林小满站在北仓里。"],
            &["林小满坐在聚福茶馆里，随后回家。林小满站在北仓里。"],
            &["林小满坐在聚福茶馆里。周明远送她。林小满站在白水村。"],
            &["林小满坐在聚福茶馆里。林小满等在北仓里，她是跑来的。"],
            &["林小满坐在聚福茶馆里。过了一个钟头。林小满站在北仓里。"],
            &["林小满在青石镇。三天之后，林小满在白水村。"],
            &["林小满在青石镇。第二天，林小满在白水村。"],
            &["林小满在青石镇。周明远哭了。后来林小满坐在白水村。"],
            &["林小满在青石镇。\n\n* * *\n\n林小满在白水村。"],
            &["林小满在青石镇。\n\n——\n\n林小满在白水村。"],
            &["林小满在青石镇。\n\n## 风暴\n\n林小满在白水村。"],
            &["林小满在青石镇。", "林小满在白水村。"],
            &["林小满在青石镇。“林小满在白水村。”周明远说。"],
            &["林小满在青石镇。“周明远撒谎。林小满坐在白水村，我看见了。”"],
            &["林小满睡在聚福茶馆。梦里林小满站在北仓里。"],
            &["林小满睡在聚福茶馆。她做了一个梦。林小满坐在白水村，海水很暖。"],
            &["林小满坐在聚福茶馆里。信里林小满在白水村。"],
            &["林小满在青石镇。周明远的信上写着：\n\n林小满在白水村。"],
            &["林小满在青石镇。林小满不在白水村。"],
            &["林小满在青石镇。林小满没在白水村。"],
            &["望海楼的北仓很暗。林小满坐在北仓里。林小满在望海楼。"],
            &["林小满坐在聚福茶馆里。下着雨。林小满在青石镇。", "青石镇聚福茶馆很旧。"],
            &["林小满在青石镇。林小满等在青石镇码头。"],
            &["林小满在青石镇，在聚福茶馆里。下着雨。林小满坐在聚福茶馆里。林小满站在青石镇。"],
            &["林小满坐在聚福茶馆里。下着雨。林小满站在院子里。"],
            &["林小满坐在聚福茶馆里，周明远站在北仓里。"],
            &["林小满坐在聚福茶馆里。下着雨。周明远站在北仓里。"],
            &["林小满坐在聚福茶馆里。下着雨。林小满的哥哥站在北仓里。"],
            &["林小满在青石镇。如果林小满在白水村，谁也不知道。"],
            &["林小满在青石镇。也许林小满在白水村。"],
            &["林小满在青石镇。林小满曾在白水村。"],
            &["林小满在青石镇。林小满住在白水村。"],
            &["林小满在青石镇。林小满在白水村出生。"],
            &["林小满在青石镇。林小满想着白水村的房子。"],
            &["林小满在青石镇。林小满坐在去白水村的车上。"],
            &["林小满在青石镇。周明远以为林小满在白水村。"],
            &["林小满在青石镇。周明远知道林小满在白水村。"],
            &["林小满在青石镇。林小满站在离白水村不远的桥上。"],
            &["林小满在青石镇。从前林小满坐在白水村。"],
            &["林小满在青石镇。林小满常常坐在聚福茶馆里。"],
            &["林小满在青石镇。林小满在白水村吗？"],
            &["林小满在青石镇。林小满又坐在白水村了。"],
            &["林小满在青石镇。林小满看见周明远站在白水村。"],
        ],
        0,
    );
}

/// Passages in the style of a novel that were written after the rules.
#[test]
fn slips_of_a_novel_are_pairs_and_its_look_alikes_are_none() {
    assert_counts(
        Language::En,
        &[
            &[
                "Mara sat by the window in the Long Gallery, her sewing in her lap. “You will ruin your eyes,” Tobias told \
               her. She smiled and shook her head. Mara, who was tired, said nothing. Mara stood in the Salt Market.",
            ],
            &[
                "Mara was alone in Greyhall.\n\nThe lamps smoked. “Tobias?” she whispered.\n\nMara was asleep in Harwick.",
            ],
            &["The rain had stopped. Tobias stood silently in the Salt Market, his hat in his hand. A dog barked. \
               “Poor devil,” said Mara. Tobias sat in the Anchor and laughed."],
            &["Mara leaned against the wall in the Long Gallery. It was cold. Mara was in Dunmere."],
        ],
        1,
    );
    assert_counts(
        Language::En,
        &[
            &["Mara was in Harwick for a week. Mara was in Dunmere for the rest of the summer."],
            &["Mara was in Harwick when the war began. Mara was in Dunmere when it ended."],
            &["Mara sat in the Anchor, and the road lay white before her. Mara sat in Dunmere."],
            &["Mara stood in the Salt Market; the coach rolled off. Mara slept in Harwick."],
            &["Mara was at Greyhall. To be at Greyhall was to be in Dunmere. Mara was in Dunmere."],
            &["Mara was in Harwick in body. In spirit Mara was in Dunmere."],
            &["Mara sat in the Anchor. The scene changed. “Mara lay in Harwick,” Tobias read."],
            &["Mara lay in Harwick. She closed her eyes. Mara was almost in Dunmere."],
        ],
        0,
    );
    assert_counts(
        Language::Zh,
        &[
            &[
                "林小满坐在聚福茶馆靠窗的位子上，膝上放着针线。“眼睛要坏的。”周明远对她说。她笑笑，摇了摇头。林小满站在北仓里。",
            ],
            &["周明远一个人守在北仓，面前放着一盏灯。“谁？”他问。没有人答应。周明远躺在望海楼上听雨。"],
            &["林小满独自待在望海楼。\n\n灯冒着烟。“明远？”她低声叫。\n\n林小满睡在青石镇。"],
            &[
                "雨停了。周明远默默站在陈家祠堂门口，手里拿着帽子。狗叫了几声。“可怜。”林小满说。周明远坐在聚福茶馆里笑。",
            ],
            &["林小满靠在望海楼的栏杆上。很冷。林小满在白水村。"],
        ],
        1,
    );
    assert_counts(
        Language::Zh,
        &[
            &["林小满在青石镇待了一个星期。林小满在白水村过完了夏天。"],
            &["打仗的时候林小满在青石镇。停战的时候林小满在白水村。"],
            &["林小满坐在聚福茶馆里，门外的大路白晃晃的。林小满动身之前等在北仓里。"],
            &["林小满站在陈家祠堂门口，马车赶远了。林小满睡在青石镇。"],
            &["林小满人在青石镇。林小满的心却在白水村。"],
            &["林小满坐在聚福茶馆里。说书人讲到林小满坐在白水村。"],
            &["林小满躺在青石镇。她闭上眼。林小满几乎就在白水村。"],
            &["林小满在白水村教书。下着雨。林小满坐在聚福茶馆里。"],
        ],
        0,
    );
}

#[test]
fn a_character_has_at_most_four_pairs_and_a_sentence_is_in_one() {
    let scenes: Vec<String> =
        (0..9).map(|number| format!("Mara sat in Harwick with {number} cats. Mara was in Dunmere.")).collect();
    let chapters: Vec<&str> = scenes.iter().map(String::as_str).collect();
    assert_eq!(found(Language::En, &chapters).len(), 4);
    let three = "Mara was in Harwick. Mara was in Dunmere. Mara sat in the Anchor.";
    assert_eq!(found(Language::En, &[three]).len(), 1);
    let four = "Mara was in Harwick. Mara was in Dunmere. Mara sat in the Anchor. Mara sat in the Salt Market.";
    assert_eq!(found(Language::En, &[four]).len(), 2);
}

#[test]
fn a_sentence_without_end_takes_linear_time() {
    for (language, statement) in [(Language::En, "Mara was in Harwick and “go” "), (Language::Zh, "林小满在青石镇“走”")]
    {
        let text = statement.repeat(40_000);
        assert!(found(language, &[&text, "Mara was in Dunmere."]).len() <= 4);
    }
}
