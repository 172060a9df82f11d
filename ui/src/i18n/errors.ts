import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Code, Details, Reason } from "../backend/bindings.gen";
import { reasonSentence } from "./reasons";
import { count } from "./words";

/** Errors of the window itself. */
type WindowCode = "UNSAVED" | "UNSAVED_KEPT" | "UNSAVED_PAGE" | "IPC_REFUSED";

/** One plain sentence for every code: what still works before what does not. */
const SENTENCES: Record<Code | WindowCode, MessageDescriptor> = {
  MEMORY_CLEAR_CONFIRM_REQUIRED: msg`清除要先确认。什么也没有改动。`,
  MEMORY_CLEANUP_FAILED: msg`整理记忆没有完成，下次会再试。写作不受影响。`,
  MEMORY_BACKPRESSURE: msg`请求太多，等一会儿再试。`,
  MEMORY_INVALID_ARGUMENT: msg`这里填的内容用不了，看看是不是漏了什么。`,
  MEMORY_NOT_FOUND: msg`找不到了，可能已经删除。`,
  MEMORY_SCOPE_DENIED: msg`这是另一本书的，这里不能用。`,
  MEMORY_TRACE_MISMATCH: msg`这份来历前后不一致，不可信。`,
  MEMORY_CONFIDENCE_OUT_OF_RANGE: msg`把握应在 0 到 1 之间。`,
  MEMORY_CAPACITY_EXCEEDED: msg`记忆满了，剩下的都是你确认过的。删除几条再试。`,
  MEMORY_STALE_VERSION: msg`它刚刚在别处改过。已显示最新的，请再改一次。`,
  MEMORY_WRITE_FAILED: msg`没能写进磁盘，看看磁盘是不是满了。`,
  MEMORY_STORE_UNAVAILABLE: msg`记忆库打不开。写作不受影响。`,
  MEMORY_LEARNING_PAUSED: msg`学习已暂停。`,
  MEMORY_CITATION_NOT_FOUND: msg`存好的正文里找不到这几个字，没有记下。先保存，再从正文里选一遍。`,
  MEMORY_MODEL_UNAVAILABLE: msg`模型没有回应。写作和记忆不受影响。`,
  UNSAVED: msg`还有文字没保存，窗口没有关闭。请先处理；再关一次，未保存的文字会丢失。`,
  UNSAVED_KEPT: msg`还有文字没保存，窗口没有关闭。未保存的文字另外存了一份：再关一次就会关闭，下次打开这一章时可以放回正文。`,
  UNSAVED_PAGE: msg`这一页还没能保存到书里。先保存，再清除。`,
  IPC_REFUSED: msg`程序没有接受这个操作。`,
};

/** Those that are put right in the settings. */
const IN_SETTINGS = new Set<Reason>([
  "keyMissing",
  "keyRefused",
  "noCredit",
  "contextTooLong",
  "modelUnknown",
  "unreachable",
  "redirectRefused",
  "malformed",
  "providerFailed",
  "requestRefused",
  "otherModel",
  "dailyLimit",
]);

/** Where only the refused argument tells what is wrong. */
const FIELDS: Record<string, MessageDescriptor> = {
  path: msg`那里没有这个文件夹。`,
  title: msg`名字不能为空，也不能太长。`,
  name: msg`名字不能为空，也不能太长。`,
  baseUrl: msg`这个地址用不了。请填完整的网址；不在本机和局域网里的，要以 https 开头。`,
  key: msg`这个密钥用不了，看看是不是多了空格或换行。`,
  model: msg`模型的名字不能为空，也不能太长。`,
  program: msg`要填完整的路径，或者只填程序的名字。`,
  arguments: msg`这些参数用不了：最多 32 个，每个不超过 1000 个字。`,
  file: msg`这个库没有问题，没有改动它。`,
  ruleId: msg`它没有更早的版本了。`,
  question: msg`问题里要有字，也不能太长。`,
  answer: msg`答案不能是空的，也不能太长。`,
  words: msg`要找的话太长了。`,
  eventId: msg`这一步不能撤销了：后来又改过。`,
  referenceId: msg`这份来历里没有这一条，什么也没有记录。`,
  names: msg`这个名字或化名用不了，看看是不是重复了，或者化名里含有本名。`,
  requestsPerDay: msg`上限要大于零；不设上限就留空。`,
  tokensPerDay: msg`上限要大于零；不设上限就留空。`,
  agreedHost: msg`模型换过了，先看看现在的要花多少，再打开。`,
  journalTopK: msg`条数要在 1 到 50 之间。`,
  journalCognitionRounds: msg`轮数要在 1 到 3 之间。`,
};

const isCode = (code: string): code is keyof typeof SENTENCES => Object.hasOwn(SENTENCES, code);

/** The code and the details of anything that was thrown. */
function partsOf(error: unknown): { code: string; details: Details } {
  const { code = "UNKNOWN", details } = (typeof error === "object" && error !== null ? error : {}) as {
    code?: string;
    details?: Details | null;
  };
  return { code, details: details ?? {} };
}

/** The text of an error: the sentence of its reason, of the refused argument, or of its code. */
export function errorSentence(error: unknown): string {
  const { code, details } = partsOf(error);
  const { reason, field, retryAfterSeconds: seconds } = details;
  if (reason === "rateLimited" && seconds) return t`请求太频繁，服务要求等待 ${count(seconds)} 秒。到时候再试。`;
  const ofReason = reasonSentence(reason);
  if (ofReason) return ofReason;
  const ofField = code === "MEMORY_INVALID_ARGUMENT" ? FIELDS[(field ?? "").replace(/\[.*/, "")] : undefined;
  if (ofField) return i18n._(ofField);
  return isCode(code) ? i18n._(SENTENCES[code]) : t`没有成功（${code}）。`;
}

/** Whether something was refused for a reason. */
export const isOfReason = (error: unknown, reason: Reason): boolean => partsOf(error).details.reason === reason;

/** Whether the remedy is found in the settings. */
export function isForSettings(error: unknown): boolean {
  const { code, details } = partsOf(error);
  return code === "MEMORY_MODEL_UNAVAILABLE" && details.reason != null && IN_SETTINGS.has(details.reason);
}

/** The argument that was refused, where it was one. */
export function refusedField(error: unknown): string | null {
  const { code, details } = partsOf(error);
  return code === "MEMORY_INVALID_ARGUMENT" ? (details.field ?? null) : null;
}
