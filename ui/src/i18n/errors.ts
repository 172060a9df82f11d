import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { count } from "./words";

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
  MEMORY_WRITE_FAILED: msg`没能写进磁盘，看看是不是满了。`,
  MEMORY_STORE_UNAVAILABLE: msg`记忆库打不开。写作不受影响。`,
  MEMORY_LEARNING_PAUSED: msg`学习已暂停。`,
  MEMORY_MODEL_UNAVAILABLE: msg`模型没有回应。写作和记忆不受影响。`,
  UNSAVED: msg`还有字没存好，窗口先不关。处理好再关；这样再关一次，没存的就不要了。`,
  UNSAVED_KEPT: msg`还有字没存好，窗口先不关。没存的字另外留好了：再关一次就关，下次打开这一章，可以放回来。`,
  UNSAVED_PAGE: msg`这一页还没能存进书里。先存好，再来清除。`,
  IPC_REFUSED: msg`程序没有接受这个操作。`,
};

/** Why a model did not write, and what to do about it. The writer's text is safe in every one of these. */
const MODEL: Record<string, MessageDescriptor> = {
  keyMissing: msg`这个服务要密钥，这里还没有。到设置里填上，再来一次。`,
  keyRefused: msg`服务不认这个密钥。到设置里换一个，或者看看它是不是过期了。`,
  noCredit: msg`账户里没有余额了。去服务商那里充值，或者在设置里换一个模型。`,
  rateLimited: msg`问得太勤，服务让等一等。过一会儿再试。`,
  contextTooLong: msg`这个模型一次读不下这么多，少带一些也还是不行。选短一点的一段，或者换一个读得长的模型。`,
  modelUnknown: msg`服务那边没有这个模型。到设置里另选一个。`,
  contentRefused: msg`模型不肯写这一段。换个说法，或者换一个模型。`,
  timeout: msg`等了很久，没有等到回答。再试一次；本机的模型头一回要先装进内存，会慢。`,
  unreachable: msg`这个地址没有人应。看看网络通不通；本机的模型，看看它开着没有。`,
  redirectRefused: msg`这个地址转到了别处，没有跟过去。到设置里核对地址。`,
  malformed: msg`回来的内容读不懂，或者断在半路。再试一次；还是这样，到设置里核对地址和种类。`,
  interrupted: msg`写到一半，服务那边出了错。已经写出来的还在，可以采用，也可以再来一次。`,
  answerTooLong: msg`模型写得太长，一份草稿放不下，已经停了。写出来的还在，可以采用，也可以再来一次。`,
  providerFailed: msg`服务那边出了故障。过一会儿再试，或者换一个模型。`,
  requestRefused: msg`服务不接受这个请求。到设置里测一测连接，或者换一个模型。`,
  otherModel: msg`这一段是另一个模型写的，现在选的不是它。到设置里换回去再来。`,
  dailyLimit: msg`今天用到了你定的上限。明天再用，或者到设置里放宽。`,
};
/** Those that are put right in the settings. */
const IN_SETTINGS = new Set([
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

/** Where the code alone would leave the writer guessing. */
const REASONS: Record<string, MessageDescriptor> = {
  chapterGone: msg`这一章的文件不见了。`,
  notUtf8: msg`这个文件不是 UTF-8 编码，没有动它。`,
  tooLarge: msg`这个文件太大，当不了一章。`,
  link: msg`这是一个链接，不跟着它走到书外面去。`,
  exists: msg`已经有一个同名的文件，没有动它。`,
  newerFormat: msg`这本书是更新版本的程序打开过的，这个版本读不了。`,
  damagedIdFile: msg`书里 .palimpsest 文件夹中的编号文件坏了，没有动它。`,
  damaged: msg`正文不受影响。这个库坏了，或者不见了，要放回一份备份才能用。`,
  foreignSchema: msg`正文不受影响。这个库或这份备份里的表不对，被别的程序改过，不能用。`,
  notADatabase: msg`正文不受影响。该放文件的地方是别的东西，不能用。`,
  newerSchema: msg`正文不受影响。这个库或这份备份来自更新的版本，这一版读不懂。`,
  inUse: msg`另一个程序正在用这个数据文件夹。`,
  folderUnusable: msg`数据文件夹用不了，看看它能不能写。`,
  lockLost: msg`正文不受影响。另一个程序占用了数据文件夹，关掉它再试。`,
  logLost: msg`正文不受影响。记忆库的日志文件被别的程序删改过，再试一次。`,
  brokeOff: msg`程序自己出了错，这一步没有做完。正文不受影响，可以再试一次。`,
  clearing: msg`这份记忆正在清除，清完就好。`,
  nothingToMeasure: msg`这一段带上的记忆里，没有一条是量得了的。`,
  draftGone: msg`这一稿已经不在了，量不了。`,
  wordsErased: msg`它的字句已按你的要求清掉，量不了，也放不回来。`,
  fileUnreadable: msg`这个文件读不了，看看它还在不在。`,
  unknownFormat: msg`读不了这种文件。可以导入 .txt、.md 和 .docx。`,
  oldWord: msg`这是老格式的 Word 文件（.doc）。在 Word 里另存为 .docx，再导入。`,
  encrypted: msg`这个文件有密码。先在 Word 里去掉密码，再导入。`,
  damagedDocument: msg`这个 Word 文件坏了，或者不是 Word 文件。`,
  notText: msg`这个文件里不是文字。`,
  emptyFile: msg`这个文件是空的。`,
  importTooLarge: msg`这个文件太大，一次放不进来。分成几个再导入。`,
  tooManyChapters: msg`这个文件里的章节太多，一次放不进来。分成几个再导入。`,
  insideTheBook: msg`这里是书的文件夹，导出的文件会变成一章，或者盖掉书自己的文件。换一个地方。`,
  insideTheMemory: msg`这里是记忆自己的文件夹，导出的文件不能放进来。换一个地方。`,
  notAFile: msg`那里已经有一个同名的文件夹、链接或设备，没有动它。换一个名字。`,
  noFolder: msg`那里没有这个文件夹。`,
  folderOfAnotherBook: msg`这本书的文件夹里现在是另一本书，没有打开它。`,
  exportFailed: msg`没能写到那里，看看那个文件夹能不能写、磁盘是不是满了。原来的文件没有动。`,
  invisibleCharacters: msg`里面有看不见的字符，模型会读到它们。删掉它们，或者重新打一遍。`,
  io: msg`这个文件夹用不了，看看它还在不在、能不能写。`,
};
const FIELDS: Record<string, MessageDescriptor> = {
  path: msg`那里没有这个文件夹。`,
  title: msg`名字不能空着，也别太长。`,
  name: msg`名字不能空着，也别太长。`,
  baseUrl: msg`这个地址用不了。要完整的网址；不在本机和自家网络里的，要用 https 开头。`,
  key: msg`这个密钥用不了，看看是不是多了空格或换行。`,
  model: msg`模型的名字不能空着，也别太长。`,
  file: msg`这个库其实好好的，没有动它。`,
  ruleId: msg`它没有更早的样子了。`,
  referenceId: msg`这份来历里没有这一条，什么也没有记下。`,
  names: msg`这个名字或化名用不了，看看是不是重复了，或者化名里带着本名。`,
  requestsPerDay: msg`上限要大于零；不要上限，就空着。`,
  tokensPerDay: msg`上限要大于零；不要上限，就空着。`,
};

interface Told {
  code: string;
  details: { reason?: string | null; field?: string | null; retryAfterSeconds?: number | null };
}

function told(error: unknown): Told {
  const { code = "UNKNOWN", details } = (typeof error === "object" && error !== null ? error : {}) as {
    code?: string;
    details?: Told["details"] | null;
  };
  return { code, details: details ?? {} };
}

export function errorSentence(error: unknown): string {
  const { code, details } = told(error);
  const { reason, field, retryAfterSeconds: seconds } = details;
  if (code === "MEMORY_MODEL_UNAVAILABLE") {
    if (reason === "rateLimited" && seconds) return t`问得太勤，服务让等 ${count(seconds)} 秒。到时候再试。`;
    return i18n._(MODEL[reason ?? ""] ?? SENTENCES[code]!);
  }
  const sentence =
    REASONS[reason ?? ""] ??
    (code === "MEMORY_INVALID_ARGUMENT" ? FIELDS[(field ?? "").replace(/\[.*/, "")] : undefined) ??
    SENTENCES[code];
  return sentence ? i18n._(sentence) : t`没有做成（${code}）。`;
}

/** The sentence of a reason alone, where the backend names one without an error; null when it names none. */
export function reasonSentence(reason: string | null | undefined): string | null {
  const sentence = MODEL[reason ?? ""];
  return sentence ? i18n._(sentence) : null;
}

/** Whether the remedy is found in the settings. */
export function isForSettings(error: unknown): boolean {
  const { code, details } = told(error);
  return code === "MEMORY_MODEL_UNAVAILABLE" && IN_SETTINGS.has(details.reason ?? "");
}

/** The argument that was refused, where it was one. */
export function refusedField(error: unknown): string | null {
  const { code, details } = told(error);
  return code === "MEMORY_INVALID_ARGUMENT" ? (details.field ?? null) : null;
}
