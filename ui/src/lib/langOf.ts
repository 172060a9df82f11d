/** The typeface follows the text itself: a rule may be in another language than the book. */
export const langOf = (text: string): "zh-CN" | "en" => (/\p{Script=Han}/u.test(text) ? "zh-CN" : "en");
