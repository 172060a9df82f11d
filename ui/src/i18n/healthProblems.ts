import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Reason } from "../backend/bindings.gen";
import type { HealthProblemKind } from "../backend/health";
import { reasonSentence } from "./reasons";

interface Words {
  title: MessageDescriptor;
  detail: MessageDescriptor;
}

/** The sentence about a missing part. It begins with the functions that still work. */
const HEALTH_PROBLEMS: Record<HealthProblemKind, Words> = {
  all: { title: msg`记忆系统暂时不可用，AI 将以通用模式工作`, detail: msg`正文照常保存。记忆恢复后会自动继续使用。` },
  rulesOld: { title: msg`规则暂时只读`, detail: msg`规则库打不开，暂时使用备份里的规则：可以查看和使用，不能修改。` },
  rulesBuiltIn: { title: msg`规则暂时用自带的`, detail: msg`往事照常。规则库打不开，也没有备份可用。` },
  rulesUnwritten: { title: msg`规则暂时只读`, detail: msg`规则可以查看和使用，但写不进磁盘。看看磁盘是不是满了。` },
  episodes: { title: msg`过往示例暂不可用`, detail: msg`规则照常列出、修改和使用。往事库打不开。` },
  episodesUnwritten: {
    title: msg`新的往事暂时无法记录`,
    detail: msg`写作照常，已有的往事照样能想起，但写不进磁盘。看看磁盘是不是满了。`,
  },
  meaning: { title: msg`想起往事没那么准了`, detail: msg`语义查找暂时不可用，改按字词、场景和时间找。` },
  meaningSubstituted: { title: msg`暂时用自带的模型找往事`, detail: msg`你选的模型没有响应，有响应后会自动换回。` },
  words: { title: msg`想起往事没那么准了`, detail: msg`字词的索引暂时不可用，改按意思、场景和时间找。` },
  maintenance: { title: msg`整理记忆没有完成`, detail: msg`写作和记忆都照常。` },
  config: { title: msg`config.toml 里有几处没有采用`, detail: msg`提问和答案照常，没有采用的照原来的设置。` },
  audit: { title: msg`提问的审计文件写不进去`, detail: msg`提问和答案照常。能写以后会自动补上。` },
  missingWrites: {
    title: msg`有些记录不见了`,
    detail: msg`正文不受影响。记忆库的日志文件被别的程序删改过，最后几条记录丢失了。可以看看备份里有没有。`,
  },
  other: { title: msg`记忆不全，写作不受影响`, detail: msg`恢复后会自动继续使用。` },
};

/** Beside the title of a part, shorter sentences than those of an error. */
const OF_A_PART: Partial<Record<Reason, MessageDescriptor>> = {
  fileGone: msg`文件不见了。可以恢复一份备份。`,
  damaged: msg`文件损坏了。可以恢复一份备份。`,
  foreignSchema: msg`文件里的表不对，被别的程序改过。可以恢复一份备份。`,
  notADatabase: msg`文件应在的位置上不是文件。可以恢复一份备份。`,
  lockLost: msg`另一个程序占用了数据文件夹。关掉它再试。`,
  logLost: msg`文件的日志被别的程序删改过。稍后再试。`,
  brokeOff: msg`这项后台工作出错中断，会自动重来。`,
  newerSchema: msg`文件来自更新的版本，这个版本读不了。`,
};

/** Why a part does not serve, in the writer's language; null where only the operating system's own words are known. */
export function problemReason(reason: Reason | null): string | null {
  const special = reason && OF_A_PART[reason];
  return special ? i18n._(special) : reasonSentence(reason);
}

/** A few words for where there is little room. */
export const problemTitle = (kind: HealthProblemKind) => i18n._(HEALTH_PROBLEMS[kind].title);
export const problemDetail = (kind: HealthProblemKind) => i18n._(HEALTH_PROBLEMS[kind].detail);
