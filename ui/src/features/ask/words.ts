import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { AskStep, AskStepKind, ChapterInfo } from "../../backend";
import { count } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";

const STEP_NAMES: Record<AskStepKind, MessageDescriptor> = {
  need: msg({ message: "要知道", context: "a step of a question" }),
  journal: msg({ message: "流水里", context: "a step of a question" }),
  answers: msg({ message: "留下的答案", context: "a step of a question" }),
  episodes: msg({ message: "往事里", context: "a step of a question" }),
  book: msg({ message: "书里", context: "a step of a question" }),
  read: msg({ message: "读", context: "a step of a question" }),
  entity: msg({ message: "卡片", context: "a step of a question" }),
  where: msg({ message: "出场", context: "a step of a question" }),
  together: msg({ message: "同场", context: "a step of a question" }),
  times: msg({ message: "时间", context: "a step of a question" }),
  program: msg({ message: "它自己", context: "a step of a question" }),
};

/** The action of a program with a tool, by the names of the tool in the programs. */
const TOOLS: [names: string[], words: MessageDescriptor][] = [
  [["Read", "read_file", "read_many_files"], msg({ message: "读文件", context: "a tool" })],
  [["Grep", "grep_search", "search_file_content"], msg({ message: "在文件里找", context: "a tool" })],
  [["Glob", "LS", "glob", "list_directory"], msg({ message: "看有哪些文件", context: "a tool" })],
  [["Bash", "command_execution", "run_shell_command"], msg({ message: "运行命令", context: "a tool" })],
  [
    ["WebSearch", "WebFetch", "web_search", "web_fetch", "google_web_search"],
    msg({ message: "上网查", context: "a tool" }),
  ],
  [["Write", "Edit", "write_file", "replace"], msg({ message: "改文件", context: "a tool" })],
];

/** The action of a program with a tool; for a tool that this version does not know, its name. */
function toolWords(tool: string): string {
  const words = TOOLS.find(([names]) => names.includes(tool))?.[1];
  if (words) return i18n._(words);
  return tool === "" ? t`用一个工具` : t`用工具 ${tool}`;
}

/** The action of a step. */
export const stepName = (kind: AskStepKind): string => i18n._(STEP_NAMES[kind]);

/** The action of a step that is under way. */
export const doingWords = ({ kind, subject }: AskStep): string =>
  kind === "program" ? toolWords(subject) : stepName(kind);

export const placeOf = (chapterId: string, chapters: readonly ChapterInfo[]): string => {
  const number = numberOf(chapterId, chapters);
  return number > 0 ? t`第 ${count(number)} 章` : t`那一章不在了`;
};

/** The subject of a step, and its result. */
export function stepFinding(step: AskStep, chapters: readonly ChapterInfo[]): { sought: string; found: string } {
  const { kind, subject, found, chapterId, state } = step;
  if (kind === "program") {
    const words = toolWords(subject);
    return { sought: "", found: state === "failed" ? t`${words}，没有成` : words };
  }
  if (state === "failed") return { sought: subject, found: t`没有查成` };
  if (kind === "need") return { sought: "", found: subject };
  if (kind === "read") {
    const chapter = chapters.find((one) => one.chapterId === chapterId);
    if (!chapter) return { sought: "", found: subject };
    return { sought: "", found: t`第 ${count(numberOf(chapter.chapterId, chapters))} 章，${chapter.title}` };
  }
  if (found === null) return { sought: subject, found: "" };
  if (found === 0) return { sought: subject, found: t`没有说到` };
  if (kind === "journal" || kind === "answers")
    return { sought: subject, found: t({ message: `${count(found)} 条`, context: "found by a step" }) };
  if (kind === "where")
    return { sought: subject, found: t({ message: `${count(found)} 章`, context: "found by a step" }) };
  return { sought: subject, found: t({ message: `${count(found)} 处`, context: "found by a step" }) };
}

/** Chapters by number, neighbours joined: “1–3、5”. `null`: none of them is in the book. */
export function chapterRanges(chapterIds: readonly string[], chapters: readonly ChapterInfo[]): string | null {
  const numbers = [...new Set(chapterIds.map((id) => numberOf(id, chapters)))]
    .filter((number) => number > 0)
    .toSorted((a, b) => a - b);
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  if (ranges.length === 0) return null;
  const parts = ranges.map(({ from, to }) => (from === to ? count(from) : `${count(from)}–${count(to)}`));
  return parts.join(t({ message: "、", context: "between ranges of chapters" }));
}

const WHY_NOT: Record<string, MessageDescriptor> = {
  trivial: msg`里面没有说出什么`,
  secret: msg`里面像是有密钥`,
  short: msg`太短了`,
  long: msg`太长了`,
  confidence: msg`把握不够`,
  hasStrong: msg`已经有一个可靠的`,
  answeredAlready: msg`同一个问题已经有答案`,
  deleted: msg`你删过同一个问题的答案`,
  rulesUnread: msg`规则库读不出来，看不出你是不是删过它的答案`,
  unstored: msg`没能存下来`,
  off: msg`设置里没有让它留答案`,
};

/** Why an answer is not kept; for a reason that this version does not know, only that it is not. */
export function whyNotSentence(whyNot: readonly string[]): string {
  const known = whyNot.flatMap((reason) => WHY_NOT[reason] ?? [])[0];
  return known ? t`没有留下：${i18n._(known)}。` : t`没有留下。`;
}
