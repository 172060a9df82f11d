//! Words that name no thing by themselves: particles, pronouns, numbers, and what is in almost every text.

/// Chinese words in both scripts. The dictionary's other function words are known by their first gloss, which has only
/// stop words.
const FUNCTION_WORDS: &str = "\
的 了 着 著 过 過 地 得 吗 嗎 呢 吧 啊 呀 嘛 哦 么 麼 们 們 者 所 之 等 \
是 有 在 不 没 沒 无 無 未 这 這 那 哪 此 某 每 各 个 個 些 样 樣 种 種 次 件 \
与 與 和 跟 及 或 而 但 也 就 都 还 還 又 再 很 太 更 最 只 才 却 卻 便 则 則 已 曾 正 真 \
被 把 将 將 让 讓 给 給 对 對 从 從 向 往 到 于 於 以 为 為 因 如 若 由 用 像 比 \
我 你 您 他 她 它 牠 谁 誰 咱 自 己 其 何 几 幾 \
一 二 两 兩 三 四 五 六 七 八 九 十 百 千 万 萬 半 多 少 \
来 來 去 说 說 道 要 会 會 能 可 想 做 作 看 见 見 走 起 出 进 進 回 开 開 成 当 當 使 叫 \
上 下 里 裡 裏 中 内 內 外 前 后 後 间 間 时 時 大 小 好 \
什么 什麼 怎么 怎麼 怎样 怎樣 这么 這麼 那么 那麼 这样 這樣 那样 那樣 这个 這個 那个 那個 哪个 哪個 一个 一個 \
这些 這些 那些 哪些 这里 這裡 這裏 那里 那裡 那裏 哪里 哪裡 哪裏 这儿 這兒 那儿 那兒 这种 這種 那种 那種 \
自己 别人 別人 人家 大家 一些 一下 一样 一樣 一种 一種 一点 一點 一直 一定 一起 已经 已經 没有 沒有 不是 就是 \
可以 可能 因为 因為 所以 但是 可是 不过 不過 如果 虽然 雖然 然后 然後 还是 還是 或者 而且 时候 時候 东西 東西 \
起来 起來 出来 出來 下来 下來 上来 上來 过来 過來 回来 回來 出去 下去 上去 过去 過去 回去 进来 進來 进去 進去";

/// The words, sorted.
pub(crate) fn function_words() -> Vec<&'static str> {
    let mut words: Vec<&str> = FUNCTION_WORDS.split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The stems of English words that are no stop words and yet in almost every text.
const COMMON_STEMS: &str = "\
come get go look make say see take two three four five six seven eight nine ten hundr thousand";

/// Whether an English stem names nothing by itself.
pub(crate) fn is_common_stem(stem: &str) -> bool {
    COMMON_STEMS.split(' ').any(|common| common == stem)
}

/// Whether a counted thing follows `c`: a classifier after it names nothing.
pub(crate) fn is_before_classifier(c: char) -> bool {
    "一二两兩三四五六七八九十百千万萬几幾半每这這那哪某数數各".contains(c)
}
