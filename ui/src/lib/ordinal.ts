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

/** 第三章 灯塔, 卷二, Chapter Three, 3. The lighthouse. */
const NUMBERED =
  /^(?:第\s*[零〇一二三四五六七八九十百千两\d]+\s*[章回节卷部集幕篇话]|卷[零〇一二三四五六七八九十百\d]|(?:chapter|part|book)\s+\S|\d+\s*[.、．:：])/i;
/** Titles that are not numbered chapters. */
const OUTSIDE =
  /^(?:自?序言?|序[章幕曲]|代序|前言|楔子|引子|尾声|后记|跋|番外|附录|prologue|epilogue|preface|foreword|afterword|interlude|appendix)(?![\p{L}\p{N}])/iu;

/**
 * Number shown above a chapter's title, from 1; `null` if the title contains a number already, or names a part such as
 * a prologue.
 */
export function numberOver(titles: readonly string[], index: number): number | null {
  const title = titles[index]?.trim();
  if (title === undefined || NUMBERED.test(title) || OUTSIDE.test(title)) return null;
  return titles.slice(0, index + 1).filter((one) => !OUTSIDE.test(one.trim())).length;
}
