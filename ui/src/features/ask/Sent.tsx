import { useLingui } from "@lingui/react/macro";
import { Notice, Raw } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./ask.module.css";
import type { Preview } from "./session";

/** The prompt of the first request of a question, as it would leave this computer. */
export function Sent({ preview: { context, askedOf, error } }: { preview: Preview }) {
  const { t } = useLingui();
  if (error)
    return (
      <Notice warn title={t`暂时无法显示`} testId="ask-preview-problem">
        {errorSentence(error)}
      </Notice>
    );
  if (askedOf === null) return <p className={css.said} role="status">{t`正在准备……`}</p>;
  if (context === null)
    return (
      <p className={css.said} role="status" data-testid="ask-preview-none">
        {askedOf.kind === "kept" ? t`一字不差地问过，用留下的答案，什么也不发出去。` : t`什么也不发出去。`}
      </p>
    );
  const { messages, totalTokens } = context;
  return (
    // A region that scrolls is reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.sent} role="region" aria-label={t`看发送内容`} tabIndex={0} data-testid="ask-preview">
      <p className={css.said}>
        {askedOf.kind === "program"
          ? t`给它的话，一共 ${count(totalTokens)} 词元；抄本由它自己翻。名字这样换，化名到时可能不同。`
          : t`第一次请求，一共 ${count(totalTokens)} 词元，一字不差。它要查什么，查到的接着发。`}
      </p>
      {messages.map((message, index) => (
        <section key={index}>
          <h4>{message.role === "system" ? t`总说明` : t`这一次`}</h4>
          <Raw>{message.content}</Raw>
        </section>
      ))}
    </div>
  );
}
