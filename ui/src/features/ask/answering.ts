import { t } from "@lingui/core/macro";
import type { Backend, BackendKind, ProviderList, ServiceSettings } from "../../backend";
import type { IconName } from "../../design";
import { count } from "../../i18n/words";
import { whereIs, type Reach } from "../../lib/address";

/** The model that answers, and where a question goes. */
export interface Answering {
  model: string;
  /** Host and port. */
  host: string;
  reach: Reach;
  /** Whether it is the model that writes. */
  isOfWriting: boolean;
}

/** Who answers: a model, or a program of this machine. */
export type Answerer = { kind: "model"; model: Answering } | { kind: "program"; program: Backend };

/** The model of the purpose `asking`, else the one that writes. `null`: only the sample model, which never answers. */
export function answeringModel({ purposes, providers }: ProviderList): Answering | null {
  for (const purpose of ["asking", "writing"] as const) {
    const chosen = purposes.find((one) => one.purpose === purpose);
    const provider = providers.find(({ providerId }) => providerId === chosen?.providerId);
    if (chosen?.model && provider)
      return { model: chosen.model, ...whereIs(provider.baseUrl), isOfWriting: purpose === "writing" };
  }
  return null;
}

/** The company that a program sends to; `null`: it is not known. */
const COMPANIES: Record<BackendKind, string | null> = {
  claude: "Anthropic",
  codex: "OpenAI",
  gemini: "Google",
  own: null,
};

/** The answer service that is asked too. */
export interface AskedService {
  /** Host and port. */
  host: string;
  /** Whether new answers are sent to it. */
  getsAnswers: boolean;
}

/** The connected answer service; `null`: none is asked. */
export function askedService(settings: ServiceSettings | undefined): AskedService | null {
  if (!settings?.enabled || settings.baseUrl === null) return null;
  return { host: whereIs(settings.baseUrl).host, getsAnswers: settings.sendCandidates };
}

/**
 * The texts that a question sends, and where to. `lastChapter`: number of the last chapter that it knows; `null`: of
 * all. `service`: the answer service that is asked before the model or program; `null`: none.
 */
export function leavesSentence(
  answerer: Answerer,
  lastChapter: number | null,
  service: AskedService | null = null,
): string {
  const also = service === null ? "" : serviceSentence(service);
  if (answerer.kind === "program")
    return readsSentence(answerer.program, lastChapter) + goesSentence(answerer.program) + also;
  const { host, reach } = answerer.model;
  if (reach === "machine")
    return service === null ? t`这台电脑上的模型。什么也不发出去。` : t`这台电脑上的模型。` + also;
  return t`发往 ${host}：你的问题和选中的文字、找到的原文、用到的卡片、以前的回答、日志和取舍。名字换成化名。` + also;
}

/** The same where a kept answer is shown, and only asking again would send something. */
export function leavesAgainSentence(
  answerer: Answerer,
  lastChapter: number | null,
  service: AskedService | null = null,
): string {
  const sentence = leavesSentence(answerer, lastChapter, service);
  const isOfMachine = answerer.kind === "model" && answerer.model.reach === "machine";
  if (isOfMachine && service === null) return sentence;
  if (isOfMachine || answerer.kind === "program") return t`再问一次，才会这样：${sentence}`;
  const { host } = answerer.model;
  return (
    t`再问一次，才发往 ${host}：你的问题和选中的文字、找到的原文、用到的卡片、以前的回答、日志和取舍。名字换成化名。` +
    (service === null ? "" : serviceSentence(service))
  );
}

const serviceSentence = ({ host, getsAnswers }: AskedService): string =>
  getsAnswers
    ? t`问题也发给团队的答案服务 ${host}，记下的新答案也送过去，名字换成化名。`
    : t`问题也发给团队的答案服务 ${host}，名字换成化名。`;

/** The same in a menu, below a program that was described there already. */
export const leavesLikewiseSentence = (program: Backend): string => t`同样是抄本。` + goesSentence(program);

/** How a program reads the book. That one of the writer's own does not write, only the system can assure. */
function readsSentence({ kind }: Backend, lastChapter: number | null): string {
  const isOwn = kind === "own";
  if (lastChapter === null)
    return isOwn ? t`在书的一份抄本里自己翻，名字换成化名。` : t`在书的一份抄本里自己翻，只读，名字换成化名。`;
  const chapter = count(lastChapter);
  return isOwn
    ? t`在书的一份抄本里自己翻，到第 ${chapter} 章为止，名字换成化名。`
    : t`在书的一份抄本里自己翻，只读，到第 ${chapter} 章为止，名字换成化名。`;
}

function goesSentence({ kind }: Backend): string {
  const company = COMPANIES[kind];
  return company === null ? t`它读到的发往哪里，由它自己定。` : t`它读到的会发给 ${company}。`;
}

export const onlyBookSentence = (): string => t`不用模型，只把原文找出来。什么也不发出去。`;

/** The icon of who answers; `null`: the book alone. */
export function answererIcon(answerer: Answerer | null): IconName {
  if (answerer === null) return "book";
  if (answerer.kind === "program") return "terminal";
  return answerer.model.reach === "machine" ? "chip" : "away";
}

/** The number in what a program prints about its version, or the beginning of it. */
export const versionNumber = (version: string): string => /\d+(?:\.\d+)+/.exec(version)?.[0] ?? version.slice(0, 20);
