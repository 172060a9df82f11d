import { describe, expect, test } from "vitest";
import type { ChapterInfo, ContinuityIssue, ContinuityKind, ContinuityPlace, FoundBy } from "../../src/backend";
import { hasSides, inBookOrder, issuesUpTo, partsOf, sidesOf } from "../../src/features/story/continuity";
import {
  CONTINUITY_KINDS,
  continuityKindWord,
  foundByWord,
  issueTitle,
  verdictWords,
} from "../../src/features/story/continuityWords";
import { comparedWords, waitingWords } from "../../src/features/story/pairs";
import { CHAPTER_END } from "../../src/lib/chapterEnd";
import { i18n } from "../../src/i18n/locale";

const chapters = ["a", "b", "c"].map((chapterId): ChapterInfo => ({
  chapterId,
  title: chapterId,
  file: `${chapterId}.md`,
  words: 10,
  sceneType: null,
}));

const place = (chapterId: string, from = 0, quote = "二十四"): ContinuityPlace => ({
  chapterId,
  from,
  to: from + quote.length,
  quote,
  differs: null,
});

const issue = (
  [first, second]: [ContinuityPlace, ContinuityPlace],
  part: Partial<ContinuityIssue> = {},
): ContinuityIssue => ({
  issueId: "0".repeat(64),
  kind: "age",
  foundBy: "computed",
  entityId: null,
  entityName: null,
  first,
  second,
  values: [],
  why: null,
  verdict: null,
  resolvedAt: null,
  ...part,
});

test("an issue whose two places are one shows it once", () => {
  expect(sidesOf(issue([place("a"), place("a")]))).toEqual(["first"]);
  expect(sidesOf(issue([place("a"), place("a", 9)]))).toEqual(["first", "second"]);
  expect(sidesOf(issue([place("a"), place("b")]))).toEqual(["first", "second"]);
});

describe("the issues that are known at a position", () => {
  const across = issue([place("a"), place("b", 40)]);
  const gone = issue([place("a"), place("lost")]);

  test("leave out an open thread before the last chapter, since only there is it known that nothing touches it", () => {
    const open = issue([place("a"), place("a")], { kind: "openThread" });
    expect(issuesUpTo([open], { chapterId: "b", offset: CHAPTER_END }, chapters)).toEqual([]);
    expect(issuesUpTo([open], { chapterId: "c", offset: 0 }, chapters)).toEqual([open]);
    expect(issuesUpTo([open], null, chapters)).toEqual([open]);
  });

  test("are those of which both places are before it", () => {
    expect(issuesUpTo([across], { chapterId: "b", offset: 40 }, chapters)).toEqual([]);
    expect(issuesUpTo([across], { chapterId: "b", offset: 41 }, chapters)).toEqual([across]);
    expect(issuesUpTo([across], { chapterId: "a", offset: CHAPTER_END }, chapters)).toEqual([]);
    expect(issuesUpTo([across], { chapterId: "c", offset: 0 }, chapters)).toEqual([across]);
    expect(issuesUpTo([across], null, chapters)).toEqual([across]);
  });

  test("are none of those whose chapter is gone, not even in the whole book", () => {
    expect(issuesUpTo([gone], null, chapters)).toEqual([]);
    expect(issuesUpTo([across], null, [])).toEqual([]);
  });

  test("are listed in the order of the book, whatever verdict they have", () => {
    const [one, two, three] = [
      issue([place("a", 9), place("c")]),
      issue([place("b", 1), place("c")], { verdict: "first" }),
      issue([place("b", 7), place("c")]),
    ] as const;
    expect(inBookOrder([three, two, one], chapters)).toEqual([one, two, three]);
  });
});

describe("pairs of sentences in words", () => {
  const counts = { waiting: 0, conflicts: 0, changes: 0, unclear: 0 };

  test("count what the model said, and leave out what it said of none", () => {
    i18n.activate("en");
    expect(comparedWords({ ...counts, conflicts: 1, changes: 2, unclear: 7 })).toBe(
      "A model compared 10 pairs of sentences in the book: 1 does not agree, 2 tell a change, 7 are unclear.",
    );
    expect(comparedWords({ ...counts, changes: 1 })).toBe(
      "A model compared 1 pair of sentences in the book: 1 tells a change.",
    );
  });

  test.each(["zh-CN", "en"])("say what they wait for, %s", (locale) => {
    i18n.activate(locale);
    const states = [
      "ready",
      "afterQuestion",
      "afterOther",
      "backingOff",
      "usedUp",
      "notAgreed",
      "otherHost",
      "noModel",
    ] as const;
    const lines = states.map((state) => waitingWords({ ...counts, waiting: 3 }, state));
    expect(new Set(lines).size).toBe(states.length);
    for (const words of lines) expect(/\p{Script=Han}/u.test(words), words).toBe(locale === "zh-CN");
  });
});

test("the words that differ are cut out of a quote, by UTF-16 code units", () => {
  const quote = "时年𠮷二十七。";
  expect(partsOf({ ...place("a", 0, quote), differs: { from: 4, to: 7 } })).toEqual({
    before: "时年𠮷",
    differs: "二十七",
    after: "。",
  });
  expect(partsOf(place("a", 0, quote))).toEqual({ before: quote, differs: "", after: "" });
});

test("a side may be right only where both make a claim", () => {
  const kinds = CONTINUITY_KINDS.filter((kind) => !hasSides(issue([place("a"), place("b")], { kind })));
  expect(kinds).toEqual(["twoForOne", "beforeIntroduced", "knowsTooEarly", "worldRule", "openThread"]);
});

describe.each(["zh-CN", "en"])("an issue in words, %s", (locale) => {
  const isInLocale = (words: string) => expect(/\p{Script=Han}/u.test(words), words).toBe(locale === "zh-CN");

  test("asks a question of its own for each kind, with and without a name and values", () => {
    i18n.activate(locale);
    const name = locale === "en" ? "Ji" : "纪伯";
    const variants: Partial<ContinuityIssue>[] = [
      {},
      { entityName: name },
      { entityName: name, values: ["24", "27"] },
      { values: ["24", "27"] },
    ];
    for (const part of variants) {
      const titles = CONTINUITY_KINDS.map((kind) => issueTitle(issue([place("a"), place("b")], { kind, ...part })));
      expect(
        titles.every((title) => title.length > 3),
        titles.join(" "),
      ).toBe(true);
      expect(new Set(titles).size).toBeGreaterThanOrEqual(CONTINUITY_KINDS.length - 1);
      titles.filter((title) => /\p{L}{2}/u.test(title.replaceAll(name, "").replaceAll(" or ", ""))).forEach(isInLocale);
      // It never says that the book is wrong.
      expect(titles.join(" ")).not.toMatch(/错误|矛盾|error|wrong|contradict/i);
    }
  });

  test("has words for every kind, every way of finding and every verdict", () => {
    i18n.activate(locale);
    const kinds = CONTINUITY_KINDS.map((kind: ContinuityKind) => continuityKindWord(kind));
    expect(new Set(kinds).size).toBe(CONTINUITY_KINDS.length);
    const ways = (["computed", "facts", "model"] satisfies FoundBy[]).map(foundByWord);
    const verdicts = (["intended", "mistake", "first", "second"] as const).map(verdictWords);
    expect(new Set([...ways, ...verdicts]).size).toBe(7);
    for (const words of [...kinds, ...ways, ...verdicts]) isInLocale(words);
  });
});
