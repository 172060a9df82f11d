// The story panel in its window: a novel with names, and the ways to open it and to read its lists.

import { expect } from "vitest";
import type { FakeBackend, FakeOptions } from "../../src/backend/fake";
import { openWindow, type Window } from "./openWindow";

/** The window of the running test. */
export let w: Window;

/** Opens the window of a test. */
export async function open(options: Parameters<typeof openWindow>[0]): Promise<void> {
  w = await openWindow(options);
}

export const at = () => document.activeElement as HTMLElement;
export const texts = (testId: string) =>
  w
    .id(testId)
    .elements()
    .map((one) => one.textContent ?? "");
/** Names of the rows or of the proposals, in order. */
export const names = (testId: string) =>
  w
    .id(testId)
    .elements()
    .map((one) => one.querySelector("b")?.textContent);
export const rows = (...expected: string[]) => expect.poll(() => names("story-row")).toEqual(expected);
export const proposals = (...expected: string[]) => expect.poll(() => names("story-proposal")).toEqual(expected);
export const row = (name: string) =>
  w
    .id("story-row")
    .elements()
    .find((one) => one.querySelector("b")?.textContent === name) as HTMLElement;
export const selected = () => w.program.editor.passage().selection;
export const openedChapter = () => w.program.editor.chapterRef?.chapterId;
export const chapterId = (index: number) => w.file(index).info.chapterId;

export const times = (count: number, line: string) => Array.from({ length: count }, () => line);

/** Four chapters, and the names that their analysis finds. */
export function novel(backend: FakeBackend): void {
  const book = backend.books[0]!;
  const chapters: [string, string[]][] = [
    ["验潮屋", [...times(10, "老周在看潮。"), "那天船老大没有收钱。", ...times(2, "验潮屋的灯亮着。")]],
    ["簿子", [...times(2, "“翻过去。”老周说。"), ...times(3, "阿满写的是铅笔字。"), "是我女人看的。"]],
    ["停电", ["老周起来了。", ...times(3, "小满拿着鞋。"), "“我去看。”小满说。", ...times(2, "老纪在门口。")]],
    ["公函", [...times(3, "孟书记下了船。"), "老周没有说话。"]],
  ];
  book.files.length = 0;
  for (const [title, lines] of chapters) backend.projects.addFile(book, title, `# ${title}\n\n${lines.join("\n\n")}\n`);
  backend.entities.casts.set(book.project.projectId, [
    { kind: "character", forms: ["老周"] },
    { kind: "character", forms: ["阿满", "我女人"] },
    { kind: "character", forms: ["小满"] },
    { kind: "character", forms: ["老纪"] },
    { kind: "character", forms: ["孟书记"] },
    { kind: "character", forms: ["船老大"] },
    { kind: "place", forms: ["验潮屋"] },
  ]);
}

/** Opens the window with the caret at the end of a chapter, and the story panel by its key. */
export async function openStory({
  chapter = 2,
  before,
  ...options
}: FakeOptions & { chapter?: number; before?: (backend: FakeBackend) => void } = {}) {
  await open({
    ...options,
    before: (backend) => {
      novel(backend);
      before?.(backend);
    },
  });
  await w.openChapter(chapter);
  w.content().focus();
  await w.press("{F4}");
  await expect.element(w.id("story-panel")).toBeVisible();
}

/** Accepts names beforehand. */
export const accept =
  (...accepted: string[]) =>
  (backend: FakeBackend) => {
    const { projectId } = backend.books[0]!.project;
    const entityIds = accepted.map((name) => backend.entities.idOf(projectId, name));
    void backend.invoke("story:entity:accept", { projectId, entityIds });
  };
