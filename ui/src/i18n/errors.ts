import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

/** One plain sentence a code: what still works before what does not. */
const SENTENCES: Record<string, MessageDescriptor> = {
  MEMORY_CLEAR_CONFIRM_REQUIRED: msg`清除要先确认。什么也没有动。`,
  MEMORY_CLEANUP_FAILED: msg`整理记忆没有做完，下次会再试。写作不受影响。`,
  MEMORY_BACKPRESSURE: msg`一下子问得太多了，等一会儿再试。`,
  MEMORY_INVALID_ARGUMENT: msg`这里填的内容没法用，看看是不是漏了什么。`,
  MEMORY_NOT_FOUND: msg`找不到了，可能已经删掉。`,
  MEMORY_SCOPE_DENIED: msg`这是另一本书的，这里不能用。`,
  MEMORY_TRACE_MISMATCH: msg`这份来历前后对不上，不能当真。`,
  MEMORY_CONFIDENCE_OUT_OF_RANGE: msg`把握应在 0 到 1 之间。`,
  MEMORY_CAPACITY_EXCEEDED: msg`记忆满了，留着的都是你确认过的。删掉几条再试。`,
  MEMORY_STALE_VERSION: msg`它刚刚在别处变过。已经换成最新的，请再改一次。`,
  MEMORY_WRITE_FAILED: msg`没能写进磁盘，看看是不是满了。文字还在窗口里。`,
  MEMORY_STORE_UNAVAILABLE: msg`记忆库打不开。写作不受影响。`,
  MEMORY_LEARNING_PAUSED: msg`学习已暂停。`,
  MEMORY_MODEL_UNAVAILABLE: msg`模型没有回应。写作和记忆不受影响。`,
  UNSAVED: msg`还有字没存好，窗口先不关。处理好再关；这样再关一次，没存的就不要了。`,
  IPC_REFUSED: msg`程序没有接受这个操作。`,
};

/** Where the code alone would leave the writer guessing. */
const REASONS: Record<string, MessageDescriptor> = {
  chapterGone: msg`这一章的文件不见了。`,
  notUtf8: msg`这个文件不是 UTF-8 编码，没有动它。`,
  tooLarge: msg`这个文件太大，当不了一章。`,
  link: msg`这是一个链接，不跟着它走到书外面去。`,
  exists: msg`已经有一个同名的文件，没有动它。`,
  newerFormat: msg`这本书是更新版本的程序打开过的，这个版本读不了。`,
  damagedIdFile: msg`书里 .palimpsest 文件夹中的编号文件坏了，没有动它。`,
  io: msg`这个文件夹用不了，看看它还在不在、能不能写。`,
};
const FIELDS: Record<string, MessageDescriptor> = { path: msg`那里没有这个文件夹。`, title: msg`名字不能空着，也别太长。` };

export function errorSentence(error: unknown): string {
  const { code = "UNKNOWN", details } = (typeof error === "object" && error !== null ? error : {}) as { code?: string; details?: { reason?: string; field?: string } };
  const sentence = REASONS[details?.reason ?? ""] ?? (code === "MEMORY_INVALID_ARGUMENT" ? FIELDS[details?.field ?? ""] : undefined) ?? SENTENCES[code];
  return sentence ? i18n._(sentence) : t`没有做成（${code}）。`;
}
