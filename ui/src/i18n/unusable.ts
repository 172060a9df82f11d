import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { UnusableReason } from "../backend";

const SENTENCES: Record<UnusableReason, MessageDescriptor> = {
  promptEcho: msg`它照抄了发给它的说明。`,
  repeatsPassage: msg`它只重复了已有的文字。`,
  refusal: msg`它拒绝写。`,
  advice: msg`它在谈怎么写，没有写。`,
  wrongLanguage: msg`它用了另一种语言。`,
  loop: msg`它反复写同一句。`,
  empty: msg`它没有写出正文。`,
};

/** Why a model's text is no draft, in a sentence. */
export const unusableSentence = (reason: UnusableReason): string => i18n._(SENTENCES[reason]);
