const DIGITS = "零一二三四五六七八九";

/** 1 to 999 as a Chinese book counts its chapters: 三, 十二, 二十, 一百零五. */
export function hanNumber(value: number): string {
  if (!Number.isInteger(value) || value < 1 || value > 999) return String(value);
  const [hundreds, tens, ones] = [Math.floor(value / 100), Math.floor((value % 100) / 10), value % 10];
  let text = hundreds > 0 ? `${DIGITS[hundreds]}百` : "";
  if (tens > 0) text += tens === 1 && hundreds === 0 ? "十" : `${DIGITS[tens]}十`;
  else if (hundreds > 0 && ones > 0) text += "零";
  if (ones > 0) text += DIGITS[ones];
  return text;
}

const HAN = "零〇一二三四五六七八九十百千两";
const ROMAN = "(?=[CLXVI])C?(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})";
const WORD =
  "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty)";
const NUMERAL = String.raw`(?:\d+|[IVXLC]+|${WORD}|the\s+\p{L}+)`;
const END = String.raw`(?![\p{L}\p{N}])`;
/** Titles that contain their number in words that say so, or are a number. */
const NUMBERED = [
  // 第三章 灯塔, 第 12 回, 3章, 卷二, 卷上
  new RegExp(String.raw`^第\s*[${HAN}\d０-９]+\s*[章回节節卷部集幕篇话話]`),
  new RegExp(String.raw`^(?:\d+\s*[章回节節话話]|卷\s*[${HAN}上中下\d])`),
  // Chapter Three, chapter 4: Home, Part II, Book the First
  new RegExp(String.raw`^(?:chapter|ch\.|part|book|volume|vol\.|act|scene|letter|no\.)\s*${NUMERAL}${END}`, "iu"),
  // 5. Harbour, 6、灯塔, 7) Rain, 8 – Storm, 09-渡船, 一、山, （二）水
  new RegExp(String.raw`^[（(]?(?:\d+|[${HAN}]+)\s*(?:[.、．:：)）]|[-–—_]\s*(?:\s|\p{Script=Han}))`, "u"),
  new RegExp(String.raw`^${ROMAN}\s*[.:)–—-]`),
  // XII, 十二, Three, 12; not 1984
  new RegExp(String.raw`^(?:${ROMAN}|[${HAN}]+|\d{1,3})$`),
  new RegExp(`^${WORD}$`, "i"),
];
/** Titles that are not numbered chapters. */
const OUTSIDE =
  /^(?:自?序言?|序[章幕曲]|代序|前言|楔子|引子|尾声|后记|跋|番外|附录|prologue|epilogue|preface|foreword|afterword|interlude|appendix)(?![\p{L}\p{N}])/iu;

/**
 * The number of each chapter, from 1, as it is shown beside its title; `null` if the title contains a number already, or
 * names a part such as a prologue. Where most titles contain their numbers, the others have none: a count of ours would
 * contradict the writer's.
 */
export function chapterNumbers(titles: readonly string[]): (number | null)[] {
  let [counted, own] = [0, 0];
  const numbers = titles.map((given) => {
    const title = given.trim();
    if (OUTSIDE.test(title)) return null;
    counted += 1;
    // "2 Storm" is the second chapter, and "24 hours" is not the twenty-fourth.
    const repeats = Number(/^\d+(?=[\s-])/.exec(title)?.[0]) === counted;
    if (!repeats && !NUMBERED.some((pattern) => pattern.test(title))) return counted;
    own += 1;
    return null;
  });
  return own * 2 > counted ? numbers.map(() => null) : numbers;
}

/** Number of a chapter in the book, from 1; 0: it is not in the book. */
export const numberOf = (chapterId: string, chapters: readonly { chapterId: string }[]): number =>
  chapters.findIndex((chapter) => chapter.chapterId === chapterId) + 1;
