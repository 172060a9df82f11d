//! The Chinese words, in simplified script. Traditional characters are converted to these first.

use palimpsest_text::style::Feature;

use super::vocabulary::{Class, Measure};

pub(super) const LISTS: &[(Class, &str)] = &[
    // Expressions that are an instruction on their own.
    (Class::Says(Feature::SentenceLength, 1), "长句 长句子 长难句 句子写长 句式舒展 句子舒展 绵长的句子"),
    (Class::Says(Feature::SentenceLength, -1), "短句 短句子 短促的句子 句子短促 句式短促 碎句"),
    (Class::Says(Feature::ShortSentences, 1), "极短的句子 极短句 极短的句"),
    (Class::Says(Feature::LongSentences, 1), "极长的句子 极长句 超长句"),
    (
        Class::Says(Feature::SentenceVariation, 1),
        "长短错落 长短交错 长短不一 长短相间 长短结合 长短搭配 长短变化 长短有变化 长短句交错 长短句结合 长短句搭配 长短句相间 长短句错落 \
         长句短句交错 长句和短句交错 长句短句结合 长句和短句结合 句长变化 句长多变 句子有长有短 有长有短",
    ),
    (Class::Says(Feature::SentenceVariation, -1), "长短均匀 长短一致 长短相近 长短差不多 长短整齐 句长均匀 句长一致"),
    (
        Class::Says(Feature::Adjectives, 1),
        "华丽 华美 华丽辞藻 华丽的辞藻 华丽词藻 华丽的词藻 辞藻华丽 词藻华丽 浓墨重彩 繁复的修饰",
    ),
    (
        Class::Says(Feature::Adjectives, -1),
        "简洁 简练 精练 洗练 凝练 朴素 朴实 质朴 平实 素朴 白描 简洁利落 平实的词 朴素的词 平实的语言 朴素的语言",
    ),
    (Class::Says(Feature::PastTense, 1), "已经发生的事 过去时 过去时态 过去式"),
    (Class::Says(Feature::PastTense, -1), "眼下发生的事 正在发生的事 现在时 现在时态 现在进行时"),
    (Class::Says(Feature::ParagraphLength, 1), "长段落 长段 大段落"),
    (Class::Says(Feature::ParagraphLength, -1), "短段落 短段 小段落"),
    (Class::Says(Feature::DialogueTurns, 1), "你一句我一句 一来一回 一问一答 有来有回"),
    (
        Class::Says(Feature::SpeechTags, 1),
        "写明是谁说的 写明谁说的 标明是谁说的 标明谁说的 写清是谁说的 写清谁说的 标明说话人 写明说话人 交代说话人",
    ),
    (Class::Says(Feature::FirstPerson, 1), "第一人称 第一人称视角 我的视角 主角自述"),
    (Class::Says(Feature::FirstPerson, -1), "第三人称 第三人称视角 全知视角 上帝视角"),
    (Class::Says(Feature::SecondPerson, 1), "第二人称"),
    (Class::Says(Feature::Length, -1), "简短 篇幅短小 短小精悍 言简意赅"),
    (
        Class::Says(Feature::LexicalVariety, 1),
        "用词多变 用词丰富 词汇丰富 词汇量丰富 换着说法 换着词 措辞多变 丰富的词汇",
    ),
    (
        Class::Says(Feature::LexicalVariety, -1),
        "用词反复 用词重复 重复用词 重复的词 重复用同一个词 重复同一个词 词语重复",
    ),
    (
        Class::Says(Feature::RepeatedOpenings, 1),
        "同样的开头 相同的开头 一样的开头 重复的开头 重复的句首 句首重复 开头重复 同一个字开头 同一个词开头",
    ),
    (Class::Says(Feature::RepeatedOpenings, -1), "换一个开头 换个开头 不同的开头 开头不同 换句首 不同的句首"),
    (Class::Says(Feature::AbstractNouns, -1), "具体的东西 具体的事物 具体的物件 具体的词"),
    (
        Class::Says(Feature::Archaic, 1),
        "文言 文言文 文言句式 文言文句式 文言的字句 文言腔 古文 古雅 半文半白 文白夹杂 古风 古典语言",
    ),
    (Class::Says(Feature::Archaic, -1), "白话 白话文 现代白话"),
    (Class::Says(Feature::Colloquial, 1), "口语 口语化 口头语 大白话 口语词 生活化的语言 像平时说话"),
    (Class::Says(Feature::Colloquial, -1), "书面 书面语 书面语气 书面化 书面语言 书面腔"),
    (Class::Says(Feature::Emotion, 1), "抒情 煽情"),
    // Nouns with an amount.
    (Class::Thing(Feature::ActionVerbs), "动作动词 动作词"),
    (Class::Thing(Feature::TimeShifts), "时间跳转 时间跳跃 时间的跳跃 忽然 突然 “忽然” “突然”"),
    (Class::Thing(Feature::Exclamations), "感叹号 惊叹号 叹号 感叹句 “!”"),
    (Class::Thing(Feature::Questions), "问句 问号 疑问句 反问 反问句 设问 设问句 “?”"),
    (Class::Thing(Feature::Ellipses), "省略号 “……” “…”"),
    (Class::Thing(Feature::Dashes), "破折号 “——” “—”"),
    (Class::Thing(Feature::Commas), "逗号 顿号"),
    (Class::Thing(Feature::Semicolons), "分号 冒号"),
    (Class::Thing(Feature::Adverbs), "副词 方式副词"),
    (Class::Thing(Feature::Adjectives), "形容词 修饰 修饰语 修饰词 辞藻 词藻 定语"),
    (
        Class::Thing(Feature::Hedges),
        "似乎 也许 仿佛 好像 或许 大概 某种 “似乎” “也许” “仿佛” “好像” “或许” “大概” “某种” 含糊 含糊的话 含糊语 模糊的说法 不确定的语气",
    ),
    (Class::Thing(Feature::Similes), "比喻 比喻句 打比方 明喻 暗喻 隐喻 譬喻"),
    (Class::Thing(Feature::Sight), "看见的 看到的 视觉 视觉描写 视觉细节 光影 颜色 色彩 光影和颜色 颜色词"),
    (Class::Thing(Feature::Sound), "声音 听见的 听到的 听觉 听觉描写 声音描写 声响"),
    (Class::Thing(Feature::BodySense), "触感 触觉 嗅觉 味觉 气味 冷暖 体感 身体感受 身体的感受 身体感觉"),
    (
        Class::Thing(Feature::ConjunctionOpenings),
        "连词 关联词 连接词 “但是” “于是” “然后” “可是” “所以” “而且” “但” “而”",
    ),
    (Class::Thing(Feature::Negation), "否定 否定句 否定词"),
    (Class::Thing(Feature::ParagraphDensity), "分段 换行 另起一段"),
    (Class::Thing(Feature::DialogueTurns), "来回对答 对答 对话轮次 来回的对话"),
    (
        Class::Thing(Feature::SpeechTags),
        "“他说” “她说” “说” “道” “说道” “某某说” 他说 她说 说话标记 对话标签 对话提示语 提示语",
    ),
    (Class::Thing(Feature::FirstPerson), "“我” “我们”"),
    (Class::Thing(Feature::SecondPerson), "“你”"),
    (Class::Thing(Feature::ThirdPerson), "“他” “她” “他们” 第三人称代词"),
    (Class::Thing(Feature::Emotion), "情绪 情绪词 情绪描写 情感描写 情感词 感情描写 感情词"),
    (
        Class::Thing(Feature::Thought),
        "心理描写 心理活动 内心戏 内心活动 内心描写 心里的想法 人物心里的想法 人物心里 角色的心理 人物的心理 心里想什么 内心想法 心里话",
    ),
    (Class::Thing(Feature::WordLength), "四字词 四字词语 四字格 四字短语 四字成语 成语"),
    (Class::Thing(Feature::AbstractNouns), "抽象的词 抽象词 抽象名词 抽象词汇 大词 抽象概念"),
    (Class::Thing(Feature::Colloquial), "语气词 语气助词 “吧” “呢” “啊”"),
    (Class::Thing(Feature::Intensifiers), "程度词 程度副词 “很” “非常” “十分” “极其”"),
    (Class::Thing(Feature::Cliches), "套话 陈词滥调 陈腔滥调 俗套 俗套的说法 老套的说法 ai腔 ai味 ai套话"),
    (Class::Thing(Feature::NamesAndNumbers), "专名 数字 专有名词 具体数字"),
    // Nouns with a length.
    (
        Class::Subject(Measure::Sentence),
        "句子 句长 平均句长 句子长度 每句 每句话 每个句子 一句 一句话 单句 造句 每一句 句式 平均每句",
    ),
    (Class::Subject(Measure::Paragraph), "段落 每段 每个段落 一段 段落长度 段长 每一段 自然段"),
    (Class::Subject(Measure::Passage), "篇幅 续写 扩写 字数 全文长度 总字数"),
    (Class::Quality(1), "长 写长 拉长 改长 加长 长一点 长一些 长些 越长越好 变长 偏长 较长 长点"),
    (
        Class::Quality(-1),
        "短 写短 收短 改短 切短 拆短 缩短 短一点 短一些 短些 越短越好 变短 偏短 较短 压短 短点 精简 压缩",
    ),
    (Class::Too(1), "太长 过长 冗长 太长了 过于冗长"),
    (Class::Too(-1), "太短 过短 太短了 太碎 过碎"),
    (Class::Extreme(1), "极长"),
    (Class::Extreme(-1), "极短"),
    (
        Class::Cap,
        "不超过 不多于 少于 小于 低于 短于 以内 以下 之内 至多 最多 控制在 不要超过 不能超过 别超过 不得超过 不大于 不长于 限制在 压到 压在 < ≤",
    ),
    (Class::Floor, "不少于 不低于 不短于 不小于 至少 最少 多于 大于 高于 长于 超过 以上 > ≥"),
    // Verbs and quantities.
    (
        Class::Do,
        "用 使用 采用 运用 写 写成 写得 写出 写上 要 保持 偏好 偏爱 喜欢 喜爱 倾向 倾向于 爱用 爱写 喜用 坚持 以 应 应该 应当 需 需要 要求 \
         让 让人物 让角色 把 将 可以 允许 适当 适量 带 带上 有 加入 加 添 堆 堆砌 追求 注重 突出 推动情节 推进情节 推动剧情 推进剧情 为主 为宜 优先 首选 \
         多用些 偏向 走 转向 多为 一律 一律用 全用 都用 只用 强调 采取 改用",
    ),
    (
        Class::More,
        "多 更多 多用 多写 多加 多来 多些 多一些 多一点 多点 增加 增多 加强 加重 大量 充分 常 常常 常用 经常 勤 越多越好 穿插 善用 放手 大胆 尽情 丰富",
    ),
    (
        Class::Less,
        "不 不要 不用 不使用 不写 不加 不带 不堆 不堆砌 不出现 不得 不得使用 不许 不准 不能 不能用 不可 不可以 不应 不应该 不宜 不必 不再 不允许 别 别用 别写 别再 \
         勿 莫 少 少用 少写 少加 少些 少一些 少一点 少点 更少 减少 尽少 避免 避开 避免使用 杜绝 拒绝 禁 禁止 禁用 禁止使用 讨厌 反感 不喜欢 不喜 不爱 不爱用 \
         去掉 去除 删 删去 删掉 删除 省 省去 省掉 没有 没 无 无需 克制 节制 限制 收起 收敛 慎用 戒 戒掉 忌 忌用 砍 砍掉 拆 拆开 拆掉 合并 并进 并入 绝不 能少则少 能不用就不用 能省则省 \
         从不 决不 绝对不 绝对不用 切勿 远离 摆脱 停用 不想要 不想 不希望 越少越好 减 剔除 改掉 弃用",
    ),
    (Class::TooMany, "太多 过多 太多了 过度 滥用 泛滥 太频繁"),
    (Class::TooFew, "太少 过少 太少了 不够多 不够"),
    (Class::Must, "必须 一定 务必 永远 始终不"),
    // Conjunctions and negations.
    (Class::Not, "而不是 而非 而不要 而不用 不是"),
    (Class::Into, "改成 改为 拆成 并成 分成 合成 换成 换为 变成 变为 转为 改写成 换作"),
    (Class::End, "但 但是 可是 然后 所以 于是 而且 并且 同时 而 不过 并"),
    (Class::Lead("description"), "描写 景物描写 环境描写 写景"),
    (Class::Lead("action"), "动作 打斗 打戏 战斗 动作描写"),
    (Class::Lead("monologue"), "独白 内心独白"),
    (Class::Speech, "对话 对白 台词 人物对话 人物对白 角色对话 角色对白 人物的话 直接引语"),
    (
        Class::Filler,
        "的 地 得 了 着 过 在 里 中 上 下 时 也 都 就 则 是 为 和 与 及 或 或者 以及 还 又 且 会 能 请 请你 你 你常 你好像 你往往 往往 我 我喜欢 我想 我要 我希望 希望 想要 \
         尽量 尽可能 尽 一般 通常 总是 总 始终 一直 严格 严格地 坚决 完全 全部 全程 全文 全书 通篇 整体 整个 所有 所有的 全体 任何 每个 各种 一切 一些 一点 一点儿 些 个 \
         所有角色 所有人物 每个角色 每个人物 角色的 人物的 作者 叙述 叙事 叙述视角 叙事视角 叙述风格 叙事风格 视角 人称 口吻 语气 语言 语言风格 行文 文风 文笔 文字 风格 写作 写作风格 写法 \
         用词 措辞 遣词 词汇 词语 词 字 表达 表述 描述 效果 感觉 故事 小说 正文 文章 作品 文本 内容 场景 情况 情况下 时候 部分 地方 节奏 快节奏 节奏快 节奏要快 节奏紧凑 紧凑 \
         很 非常 十分 特别 相当 比较 更 更加 最好 过于 太 稍 稍微 略 略微 大部分 大多 大多数 主要 多数 平均 大约 左右 内 之间 后面 前面 里面 其中 \
         不是什么 没有什么 什么 来 去 自己 句 起句 起头 开头 开始 句首 作开头 来连接上下句 如 例如 比如 像 等 之类 统一 从头到尾 每次 大段 句号 标点 标点符号 一章 每章 一页 每页 一节 这类 这样 这种 那种 类 来称呼人物 来称呼 称呼 称呼人物 \
         全知 限知 有限 单一 固定 插话 转折 来插话和转折 加重语气 写成了 一笔 一致 地写 地来回 相邻 前后句 前后 之后 以后 当中 处 \
         “了” “过” “着” “正在” 展开来写 现成的 勤换行 即可 为好 更好 为妙 就好 就行 吧 哦 啊 呢 哈 谢谢 里的 中的 上的 必要时 除非必要 除非必须 实在需要 直接 说出来 多样 段落之间 \
         段与段之间 句子之间 句与句之间 本书 这本书 这本 续写时 润色时 改写时 扩写时 缩写时 回答时 我的 我的书 故事里 小说里 文中 书中",
    ),
];

/// The built-in scene types, by their names.
pub(super) const SCENES: &[(&str, &str)] = &[
    ("dialogue", "对话 对白"),
    ("action", "动作 打斗 战斗 打戏 武打 追逐 打架"),
    ("description", "描写 景物 写景 景物描写 环境描写 环境"),
    ("monologue", "独白 内心独白"),
    ("narration", "叙述 叙事"),
    ("transition", "过渡 转场"),
];

/// Suffixes that make such a word a place.
pub(super) const PLACES: &str = "场景里 场景中 场景下 场景时 场景的 场景 场面里 场面中 场面 戏里 戏中 戏 戏份 段落里 段落中 段落 部分 里 里面 中 里的 中的 时 的时候 的时 时候";

/// Words before 场景 that name no scene type.
pub(super) const NO_SCENE: &str =
    "所有 每个 任何 全部 各种 一切 各个 每一个 多数 大多数 大部分 这个 这种 这类 某些 有些 其他 其它 不同 本";

/// Traditional characters of the words above, each followed by its simplified form.
pub(super) const TRADITIONAL: &str = "\
稱称對对話话嘆叹歎叹驚惊號号詞词語语寫写長长簡简潔洁華华麗丽場场動动獨独敘叙過过標标點点個个減减讓让書书氣气質质樸朴實实練练換换開开頭头連连覺觉聽听聲声視视顏颜觸触緒绪內内節节緊紧湊凑應应該该須须請请絕绝數数專专複复復复變变豐丰體体\
間间轉转躍跃斷断併并並并這这裡里裏里後后與与無无沒没別别們们說说誰谁幾几於于風风調调總总類类戲戏鬥斗戰战敍叙極极離离濫滥陳陈飾饰隱隐會会樣样為为將将從从來来盡尽儘尽當当單单純纯強强嚴严雙双錄录張张給给麼么隻只係系臺台術术藝艺態态現现\
進进時时還还壓压縮缩憶忆遠远車车門门萬万東东馬马鳥鸟魚鱼龍龙軍军運运閃闪閉闭問问題题結结終终經经約约級级紀纪紅红細细網网線线緩缓編编縱纵織织繼继續续貝贝負负財财責责貴贵買买費费資资賣卖軟软載载較较輕轻輪轮輯辑輸输轟轰辦办農农選选鄉乡\
醫医釋释鐘钟鐵铁銀银錯错鋒锋隊队陽阳陰阴階阶際际難难電电靜静響响頁页頂顶順顺預预領领頻频願愿飛飞飯饭館馆駕驾騎骑驗验麥麦黃黄齊齐殺杀條条愛爱戀恋懷怀憐怜戶户擇择據据擔担擁拥攝摄攔拦機机權权歲岁歷历殘残漢汉潛潜濕湿熱热爐炉爭争牆墙狀状\
猶犹環环產产畫画異异療疗盤盘眾众睜睁矯矫確确禮礼禱祷種种穩稳窮穷競竞筆笔築筑籠笼糧粮納纳紙纸紛纷紮扎組组絲丝維维綠绿纖纤罵骂羅罗聯联職职聰聪肅肃腦脑臉脸臟脏艱艰芻刍莊庄葉叶藍蓝處处虧亏蟲虫補补襯衬觀观訂订計计訊讯討讨訓训記记許许訴诉\
診诊註注評评試试詩诗誠诚誤误諒谅論论諷讽諾诺謀谋謝谢謹谨證证識识譯译議议護护讀读讚赞";
