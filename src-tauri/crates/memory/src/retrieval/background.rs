//! Passages that have nothing to do with any book: with few texts of its own, a project shows a query's usual
//! similarity to unrelated texts by these.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use palimpsest_text::terms;

/// Minimum number of texts of a project that show the usual similarity by themselves.
pub(crate) const MIN_TEXTS: usize = 48;

/// Share of [`PASSAGES`] that contain each term, by code.
pub(super) static TERM_SHARES: LazyLock<HashMap<u32, f64>> = LazyLock::new(|| {
    let mut shares = HashMap::new();
    for passage in PASSAGES {
        let codes: HashSet<u32> = terms::index_terms(passage).iter().map(|term| terms::hash_term(term)).collect();
        for code in codes {
            *shares.entry(code).or_default() += 1.0 / PASSAGES.len() as f64;
        }
    }
    shares
});

/// Unrelated passages of some sixty to a hundred characters or thirty words, in both languages of the program.
pub(crate) const PASSAGES: [&str; 16] = [
    "委员会把预算的表决推迟到下个月。几位代表抱怨材料送得太晚，谁也没有时间细看。主席答应以后提前十天发文。",
    "把面团盖好，放在暖和的地方醒一个钟头。烤箱先预热，等表面鼓起来再刷一层蛋液，撒上芝麻。",
    "列车因大雪晚点四个小时。候车室里孩子睡着了，广播每隔一刻钟重复一遍同样的话，小卖部的热水早就卖完了。",
    "这种合金在低温下会变脆。工程师换了三种配方，才让桥上的螺栓熬过北方的冬天，检验报告写了四十页。",
    "猫在屋顶上睡了一下午。隔壁的收音机放着戏，卖豆腐的推车从巷子里过去，没有人抬头看它。",
    "他年轻时在一家钟表铺当学徒，每天擦几百个齿轮。师傅不爱说话，只在他拧错螺丝的时候咳嗽一声。",
    "两支球队踢成了平局。雨下到终场，看台上只剩下几把伞，守门员的手套挂在门柱上滴水。",
    "果园今年结得太多，苹果压断了枝子。他们雇了邻村的人来摘，一筐一筐装上船，顺着河运到城里去卖。",
    "The committee put off its vote on the budget. Several members complained that the papers had come too late, and the chairman promised to send them ten days ahead.",
    "Cover the dough and leave it somewhere warm for an hour. Heat the oven first, and brush the loaf with egg once the top has risen.",
    "Snow held the train up for four hours. Children slept on the benches of the waiting room, and the loudspeaker repeated the same words every quarter of an hour.",
    "This alloy turns brittle in the cold. The engineers tried three mixtures before the bolts of the bridge survived a northern winter.",
    "All afternoon the cat slept on the roof. A wireless played in the next house, and a cart of vegetables went down the lane without anyone looking up.",
    "As a young man he had been apprenticed to a watchmaker and polished some hundred wheels a day. His master seldom spoke and coughed when a screw was wrong.",
    "The two teams played to a draw. It rained to the end, a few umbrellas remained on the stands, and the goalkeeper hung his gloves on the post.",
    "The orchard bore too much that year, and the apples broke the branches. Men from the next village filled baskets and sent them down the river to market.",
];
