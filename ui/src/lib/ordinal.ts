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
