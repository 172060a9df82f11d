import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Reason } from "../backend/bindings.gen";

/**
 * One sentence for every reason that the backend can give; a missing one does not compile. The writer's text is safe in
 * every one of them.
 */
export const REASONS: Record<Reason, MessageDescriptor> = {
  // Books, files and the memory.
  chapterGone: msg`这一章的文件不见了。`,
  notUtf8: msg`这个文件不是 UTF-8 编码，没有改动它。`,
  tooLarge: msg`这个文件太大，不能作为一章。`,
  link: msg`这是一个链接，不会跟随它打开书外面的文件。`,
  exists: msg`已经有一个同名的文件，没有改动它。`,
  emptyPart: msg`光标前后都要有正文，才能拆成两章。`,
  changedSince: msg`这些章节后来又改过，不能撤销了。什么也没有改动。`,
  newerFormat: msg`这本书是更新版本的程序打开过的，这个版本读不了。`,
  damagedIdFile: msg`书里 .palimpsest 文件夹中的编号文件损坏了，没有改动它。`,
  fileGone: msg`正文不受影响。这个库不见了，要恢复一份备份才能用。`,
  damaged: msg`正文不受影响。这个库损坏了，要恢复一份备份才能用。`,
  foreignSchema: msg`正文不受影响。这个库或这份备份里的表不对，被别的程序改过，不能用。`,
  notADatabase: msg`正文不受影响。文件应在的位置上不是文件，不能用。`,
  newerSchema: msg`正文不受影响。这个库或这份备份来自更新的版本，这个版本读不了。`,
  inUse: msg`另一个程序正在用这个数据文件夹。`,
  folderUnusable: msg`数据文件夹用不了，看看它能不能写。`,
  lockLost: msg`正文不受影响。另一个程序占用了数据文件夹，关掉它再试。`,
  logLost: msg`正文不受影响。记忆库的日志文件被别的程序删改过，再试一次。`,
  brokeOff: msg`程序出了错，这一步没有完成。正文不受影响，可以再试一次。`,
  clearing: msg`这份记忆正在清除，很快完成。`,
  nothingToMeasure: msg`这一段带上的记忆里，没有一条可以测量。`,
  draftGone: msg`这一稿已经不在了，无法测量。`,
  wordsErased: msg`它的文字已按你的要求清除，无法测量，也无法恢复。`,
  fileUnreadable: msg`这个文件读不了，看看它还在不在。`,
  unknownFormat: msg`读不了这种文件。可以导入 .txt、.md 和 .docx。`,
  oldWord: msg`这是老格式的 Word 文件（.doc）。在 Word 里另存为 .docx，再导入。`,
  encrypted: msg`这个文件有密码。先在 Word 里去掉密码，再导入。`,
  damagedDocument: msg`这个 Word 文件损坏了，或者不是 Word 文件。`,
  notText: msg`这个文件里不是文字。`,
  emptyFile: msg`这个文件是空的。`,
  importTooLarge: msg`这个文件太大，一次导入不了。分成几个再导入。`,
  tooManyChapters: msg`这个文件里的章节太多，一次导入不了。分成几个再导入。`,
  importFileChanged: msg`这个文件在预览以后变了，没有导入。关掉这里，再选一次。`,
  importChoices: msg`这样分不出章来。至少勾选一章，名称不能是空的。`,
  importChanged: msg`导入的章节已经改过，不能整个撤销。`,
  insideTheBook: msg`这里是书的文件夹，导出的文件会变成一章，或者覆盖书自己的文件。换一个位置。`,
  insideTheMemory: msg`这里是记忆自己的文件夹，不能放导出的文件。换一个位置。`,
  notAFile: msg`那里已经有一个同名的文件夹、链接或设备，没有改动它。换一个名字。`,
  noFolder: msg`那里没有这个文件夹。`,
  folderOfAnotherBook: msg`这本书的文件夹里现在是另一本书，没有打开它。`,
  exportFailed: msg`没能写到那里，看看那个文件夹能不能写、磁盘是不是满了。原来的文件没有变。`,
  invisibleCharacters: msg`里面有看不见的字符，模型会读到。删除它们，或者重新输入。`,
  io: msg`这个文件夹用不了，看看它还在不在、能不能写。`,
  unwritable: msg`可以读取，不能写入：磁盘满了，或者被别的程序占用。`,
  encoderMissing: msg`语义模型的文件没有安装。`,
  encoderUnreadable: msg`语义模型的文件读不了，或者损坏了。请重新安装程序。`,
  encoderBrokeOff: msg`语义模型加载时出了错。重新打开程序再试。`,
  namesUnread: msg`隐藏的名字读不出来，所以什么也没有发送。`,
  addressInvalid: msg`这个地址用不了。到设置里核对地址。`,
  unbelievable: msg`模型的回答不符合要求，没有采用。`,
  configNotTaken: msg`config.toml 里有几处写得不对，照原来的设置。改好后重新打开程序。`,
  setByFile: msg`这一项由 config.toml 设定，在这里改不了。`,
  auditUnwritable: msg`审计文件写不进去，看看磁盘是不是满了、数据文件夹能不能写。`,
  settled: msg`这次提问已经记过了，又送来一份不一样的，没有再记。`,
  expired: msg`这次提问过了一天才送来结果，没有记下。`,
  hiddenNames: msg`里面有要藏的名字，没有给别的书用。`,

  // A program of this machine that answers questions.
  programMissing: msg`这台机器上找不到这个程序。先安装它，或者到设置里写出它的完整位置。`,
  notLoggedIn: msg`这个程序还没有登录。在终端里打开它，登录一次，再来问。`,
  notFenced: msg`这台机器不能把这个程序关在副本里，它可能读到隐藏的名字和后面的章节，所以没有启动。`,
  untrustedFolder: msg`这个程序不信任书的副本所在的文件夹，没有回答。更新它再试。`,
  versionTooOld: msg`这个程序的版本太旧，没有办法让它只读不写，所以没有启动。更新它再试。`,
  startFailed: msg`这个程序没能启动。看看它在终端里能不能打开、磁盘是不是满了。`,
  silent: msg`等了很久，这个程序什么也没有说，已经停了。再试一次，或者换一个来问。`,
  tooMuch: msg`这个程序说得太多，已经停了。`,
  wroteFiles: msg`这个程序改动了书的副本。书本身没有变，改动没有采用。`,

  // A file of memories or rules that is read in.
  noFile: msg`这个文件读不了，看看它还在不在。`,
  otherFormat: msg`这不是从这里导出的记忆。`,
  newerVersion: msg`这是更新版本的程序写的，这个版本读不了。`,
  cutOff: msg`到这里断了，文件不完整。`,
  linesMissing: msg`中间少了几行，文件不完整。`,
  afterTheEnd: msg`结尾后面还有其他内容。`,
  outOfOrder: msg`顺序不对。`,
  notJson: msg`无法识别。`,
  unreadable: msg`从这里起无法读取。`,
  unknownKind: msg`有这个版本无法识别的内容。`,
  unknownField: msg`有这个版本无法识别的内容。`,
  missingField: msg`少了一项。`,
  badValue: msg`有一项不对。`,
  tooLong: msg`太长了。`,
  otherBook: msg`把一本书的内容算成了另一本书的。`,
  noHistory: msg`有一条规则和它的修改记录不一致。`,
  unknownCategory: msg`上面没有可识别的标题，不知道归在哪一类。标题可以是：写作风格、叙事偏好、角色偏好、节奏、词汇。`,
  brokenLine: msg`上一条规则分成了两行。每条规则写在一行里。`,

  // A model: why it did not write, and what to do about it.
  keyMissing: msg`这个服务要密钥，这里还没有。到设置里填上，再来一次。`,
  keyRefused: msg`服务不认这个密钥。到设置里换一个，或者看看它是不是过期了。`,
  noCredit: msg`账户里没有余额了。去服务商那里充值，或者在设置里换一个模型。`,
  rateLimited: msg`请求太频繁，服务要求等待。过一会儿再试。`,
  contextTooLong: msg`这个模型一次读不了这么多，少带记忆也不行。选短一些的一段，或者换一个能读更多的模型。`,
  modelUnknown: msg`服务那边没有这个模型。到设置里另选一个。`,
  contentRefused: msg`模型拒绝写这一段。换个说法，或者换一个模型。`,
  timeout: msg`等了很久，没有收到回答。再试一次；本机的模型第一次要先加载，会慢一些。`,
  unreachable: msg`这个地址没有响应。检查网络；如果是本机的模型，看看它有没有启动。`,
  redirectRefused: msg`这个地址转向了别处，没有跟随。到设置里核对地址。`,
  malformed: msg`返回的内容无法识别，或者中途断开。再试一次；还是这样，就到设置里核对地址和种类。`,
  interrupted: msg`写到一半，服务那边出了错。已经写出来的还在，可以采用，也可以再来一次。`,
  answerTooLong: msg`模型写得太长，一份草稿放不下，已经停了。写出来的还在，可以采用，也可以再来一次。`,
  providerFailed: msg`服务那边出了故障。过一会儿再试，或者换一个模型。`,
  requestRefused: msg`服务不接受这个请求。到设置里测试连接，或者换一个模型。`,
  otherModel: msg`这一段是另一个模型写的，现在选的不是它。到设置里换回去再试。`,
  dailyLimit: msg`今天用到了你定的上限。明天再用，或者到设置里放宽。`,
};

const isReason = (reason: string): reason is Reason => Object.hasOwn(REASONS, reason);

/** The sentence of a reason; null for none, and for one that this version does not know. */
export function reasonSentence(reason: string | null | undefined): string | null {
  return reason && isReason(reason) ? i18n._(REASONS[reason]) : null;
}
