import { t } from "@lingui/core/macro";
import type { ProviderList } from "../../backend";
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

/** What a question sends, and where to. */
export function leavesSentence({ host, reach }: Answering): string {
  if (reach === "machine") return t`这台电脑上的模型。什么也不发出去。`;
  return t`发往 ${host}：你的问题、找到的原文、用到的卡片。名字换成化名。`;
}

/** The same where a kept answer is shown, and only asking again would send something. */
export function leavesAgainSentence({ host, reach }: Answering): string {
  if (reach === "machine") return t`这台电脑上的模型。什么也不发出去。`;
  return t`再问一次，才发往 ${host}：你的问题、找到的原文、用到的卡片。名字换成化名。`;
}

export const onlyBookSentence = (): string => t`不用模型，只把原文找出来。什么也不发出去。`;
