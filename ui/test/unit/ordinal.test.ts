import { describe, expect, test } from "vitest";
import { chapterNumbers } from "../../src/lib/ordinal";

const over = (...titles: string[]) => chapterNumbers(titles);

describe("the number of a chapter beside its title", () => {
  test("counts the chapters", () => {
    expect(over("交接", "铅笔", "墙上的线")).toEqual([1, 2, 3]);
    expect(over("Handover", "Pencil")).toEqual([1, 2]);
  });

  test("is not repeated if the title contains it", () => {
    expect(
      over("第一章 雾中的渡口", "第 12 回", "卷二 归途", "Chapter Three", "chapter 4: Home", "5. Harbour", "6、灯塔"),
    ).toEqual(Array(7).fill(null));
  });

  test("is none for what no book counts, and counts on behind it", () => {
    expect(over("楔子", "交接", "尾声")).toEqual([null, 1, null]);
    expect(over("Prologue", "Handover", "Interlude: Rain", "Pencil", "Epilogue")).toEqual([null, 1, null, 2, null]);
  });

  test("takes no word for what only begins like it", () => {
    expect(over("序列号", "第一次见面", "1984", "Partings", "Bookshop", "后记忆时代")).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("is not repeated if the title is a number, or begins with its own", () => {
    const numbered = ["I", "Two", "三", "4", "V. The Lamp", "06-渡船", "7 – Storm", "8 Rain", "（九）灯", "Part II"];
    expect(over(...numbered)).toEqual(Array(10).fill(null));
    expect(over("第３章 灯", "第二話", "3章 雨", "Chapter the First", "Letter 4", "CHAPTER IX.")).toEqual(
      Array(6).fill(null),
    );
  });

  test("is none for any title where most have their own, and counts on where few have", () => {
    expect(over("第一章 渡船", "门后", "第二章 簿子")).toEqual([null, null, null]);
    expect(over("Handover", "Chapter 2", "Pencil")).toEqual([1, null, 3]);
  });

  test("stays beside a title that only begins with a number, or with a word for a chapter", () => {
    const titles = [
      "24 Hours",
      "Part of the Plan",
      "Mix",
      "Ivy",
      "三生石",
      "7-Eleven",
      "一往无前",
      "Civil War",
      "Onefold",
    ];
    expect(over(...titles)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
