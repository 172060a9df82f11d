import { describe, expect, test } from "vitest";
import { numberOver } from "../../src/lib/ordinal";

const over = (...titles: string[]) => titles.map((_, index) => numberOver(titles, index));

describe("the number over a chapter's title", () => {
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

  test("is none while the chapter is not among them", () => {
    expect(numberOver(["交接"], -1)).toBeNull();
  });
});
