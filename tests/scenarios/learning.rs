//! A writer with fixed preferences, for the scenarios about learning: real sentences and a deterministic choice.

use palimpsest_tests::{Writer, text};
pub(crate) use palimpsest_text::random::SplitMix64 as Dice;
use serde_json::{Value, json};

/// Sentences about no particular subject: the sentences of a candidate are random, their number is not.
const ZH: [&str; 24] = [
    "他翻过矮墙，落在湿滑的石阶上。",
    "巷口的灯忽明忽暗，照出半张脸。",
    "刀锋贴着他的袖口划了过去。",
    "她一把推开木门，冲进了院子。",
    "身后的脚步越来越近，越来越乱。",
    "他抓起桌上的烛台，朝窗外掷去。",
    "雨水顺着屋檐落下，打湿了她的鞋。",
    "那人举起手，示意同伴停下。",
    "马车从街角转出，车轮碾过碎石。",
    "她蹲下身，把信塞进墙缝里。",
    "远处传来三声钟响，城门就要关了。",
    "他咬住布条，把伤口重新扎紧。",
    "守卫转过身，火把在风里摇晃。",
    "她屏住呼吸，贴着柱子往前挪。",
    "一块瓦片落在地上，摔成了几瓣。",
    "他把绳子系在栏杆上，试了试力气。",
    "河面上起了雾，看不见对岸的船。",
    "老人放下茶碗，慢慢站了起来。",
    "她从袖子里抽出一把小刀。",
    "狗叫了两声，又安静了下去。",
    "他数到十，然后推开了那扇窗。",
    "孩子躲在柜子后面，不敢出声。",
    "两个人影在雪地里追逐着。",
    "她回头看了一眼，灯已经灭了。",
];

const EN: [&str; 24] = [
    "He cleared the low wall and landed on the wet steps.",
    "The lamp at the corner showed half a face.",
    "The blade passed close to his sleeve.",
    "She pushed the door and ran into the yard.",
    "Footsteps came nearer on the gravel behind them.",
    "He took the candlestick and threw it at the window.",
    "Rain ran from the roof and soaked her shoes.",
    "The man raised a hand and his friend stopped.",
    "A cart turned the corner over the loose stones.",
    "She knelt and pushed the letter into the crack.",
    "Three bells rang far away beyond the gate.",
    "He bit the cloth and tied the wound again.",
    "The guard turned and the torch shook in the wind.",
    "She held her breath beside the pillar.",
    "A tile fell and broke in the street.",
    "He tied the rope to the rail and pulled it.",
    "Fog lay on the river and hid the boats.",
    "The old man put down his cup and stood up.",
    "She drew a small knife from her sleeve.",
    "A dog barked twice and lay down again.",
    "He counted to ten and opened the window.",
    "The child sat behind the chest and waited.",
    "Two figures ran over the snow.",
    "She looked back and the light was out.",
];

/// A passage of this many sentences, none of them twice.
pub(crate) fn passage_of(language: &str, sentences: usize, dice: &mut Dice) -> String {
    let pool = if language == "zh" { ZH } else { EN };
    let mut left: Vec<&str> = pool.to_vec();
    let chosen: Vec<&str> = (0..sentences).map(|_| left.swap_remove(dice.below(left.len()))).collect();
    chosen.join(if language == "zh" { "" } else { " " })
}

/// The writer's preference between a short candidate and a long one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taste {
    Short,
    Long,
    Neither,
}

/// Records episodes in a book, each an hour after the previous one.
pub(crate) struct Life<'a> {
    pub(crate) writer: &'a Writer,
    pub(crate) project: String,
    pub(crate) language: &'static str,
    pub(crate) dice: Dice,
}

impl<'a> Life<'a> {
    pub(crate) fn new(writer: &'a Writer, title: &str, language: &'static str, seed: u64) -> Self {
        Self { writer, project: writer.book(title, language), language, dice: Dice::new(seed) }
    }

    /// Records a choice between a short candidate and a long one. Returns the identity of the episode.
    pub(crate) fn choose(&mut self, scene: &str, taste: Taste) -> String {
        let mut of = |sentences| passage_of(self.language, sentences, &mut self.dice);
        let (short, long) = (of(2), of(6));
        let short_first = self.dice.below(2) == 0;
        let candidates = if short_first { [&short, &long] } else { [&long, &short] };
        let takes_short = match taste {
            Taste::Short => true,
            Taste::Long => false,
            Taste::Neither => self.dice.below(2) == 0,
        };
        let index = usize::from(takes_short != short_first);
        self.record(scene, &candidates.map(String::as_str), index, candidates[index])
    }

    /// Records an episode. Returns its identity.
    pub(crate) fn record(&mut self, scene: &str, candidates: &[&str], index: usize, final_text: &str) -> String {
        self.writer.clock.advance_millis(3_600_000);
        let draft = json!({
            "projectId": self.project, "chapterId": "chapter", "skillUsed": "continue", "sceneType": scene,
            "inputContext": "", "candidates": candidates, "selectedIndex": index, "finalText": final_text,
        });
        text(&self.writer.ask("memory:episode:record", draft), "episodeId")
    }

    pub(crate) fn choose_often(&mut self, count: usize, scene: &str, taste: Taste) {
        for _ in 0..count {
            self.choose(scene, taste);
        }
    }

    /// Runs a distillation to its end.
    #[track_caller]
    pub(crate) fn distil(&self) -> Value {
        distil(self.writer, json!({ "projectId": self.project }))
    }

    pub(crate) fn rules(&self) -> Vec<Value> {
        rules(self.writer, Some(&self.project))
    }
}

/// Runs a distillation to its end, after any run that began by itself.
#[track_caller]
pub(crate) fn distil(writer: &Writer, args: Value) -> Value {
    loop {
        let answer = writer.ask("memory:semantic:distill", crate::with_field(args.clone(), "wait", json!(true)));
        if answer["status"] != "alreadyRunning" {
            return answer;
        }
        std::thread::yield_now();
    }
}

/// The rules of a book and the global rules.
pub(crate) fn rules(writer: &Writer, project: Option<&str>) -> Vec<Value> {
    writer.ask("memory:semantic:list", json!({ "projectId": project }))["rules"].as_array().unwrap().clone()
}

/// The active learned rules about a feature.
pub(crate) fn about<'r>(rules: &'r [Value], feature: &str) -> Vec<&'r Value> {
    rules.iter().filter(|rule| rule["pattern"]["feature"] == feature && rule["standing"] == "active").collect()
}
