// A simulated writer with preferences, recorded by the tests in place of weeks of writing. Real sentences, reproducible
// randomness, and a fixed way of choosing: in action scenes the shorter draft, and no exclamation marks.

const SENTENCES = {
  zh: [
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
  ],
  en: [
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
  ],
};

/** SplitMix64 (Steele, Lea & Flood 2014). */
class Dice {
  #state;

  constructor(seed) {
    this.#state = BigInt(seed);
  }

  below(count) {
    const whole = (value) => BigInt.asUintN(64, value);
    this.#state = whole(this.#state + 0x9e3779b97f4a7c15n);
    let z = this.#state;
    z = whole((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = whole((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return Number((z ^ (z >> 31n)) % BigInt(count));
  }
}

/** Generates a sequence of episodes, as drafts of `memory:episode:record`. */
export class Life {
  #dice;
  #count = 0;

  constructor(language, projectId, chapterId, seed = 1) {
    this.language = language;
    this.place = { projectId, chapterId };
    this.#dice = new Dice(seed);
  }

  /** A passage of this many different sentences. */
  #passage(sentences) {
    const left = [...SENTENCES[this.language]];
    const chosen = Array.from({ length: sentences }, () => left.splice(this.#dice.below(left.length), 1)[0]);
    return chosen.join(this.language === "zh" ? "" : " ");
  }

  /**
   * The next episode. Four of five are action scenes. There, in turn, the drafts differ in length and the shorter one is
   * taken, or they differ in exclamation marks and the one without is taken. In dialogue scenes the choice is random.
   */
  next() {
    const count = this.#count;
    this.#count += 1;
    const action = count % 5 < 4;
    const differsInLength = count % 2 === 0;
    const passage = this.#passage(differsInLength ? 2 : 4);
    const other = differsInLength ? this.#passage(6) : this.#exclaimed(passage);
    const candidates = this.#dice.below(2) === 0 ? [passage, other] : [other, passage];
    const selectedIndex = action ? candidates.indexOf(passage) : this.#dice.below(2);
    return {
      ...this.place,
      skillUsed: "continue",
      sceneType: action ? "action" : "dialogue",
      inputContext: "",
      candidates,
      selectedIndex,
      finalText: candidates[selectedIndex],
    };
  }

  /** The passage with an exclamation mark at the end of each sentence. */
  #exclaimed(passage) {
    return passage.replace(/[。.]/g, this.language === "zh" ? "！" : "!");
  }
}
