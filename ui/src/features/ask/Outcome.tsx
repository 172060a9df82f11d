import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../backend";
import { Button, Notice } from "../../design";
import { errorSentence, isForSettings } from "../../i18n/errors";
import { count } from "../../i18n/words";
import type { Exchange } from "./exchange";
import { ProgramOutcome } from "./ProgramOutcome";

interface OutcomeProps {
  exchange: Exchange;
  onAgain: (onlyBook?: boolean) => void;
  /** Asks a program again without the fence of the system. */
  onUnfenced: () => void;
  /** Lets the model answer; the question stays in the field. */
  onModel: () => void;
  onSettings: () => void;
  /** Opens the page where an unavailable part of the memory can be mended. */
  onMend: () => void;
}

/** The cause of a missing or partial answer, with the actions on it. The question is in the field again. */
export function Outcome(props: OutcomeProps) {
  const { exchange, onAgain, onSettings, onMend } = props;
  const { t } = useLingui();
  const { state, error, text, request } = exchange;
  const again = <Button size="s" onPress={() => onAgain()} data-testid="ask-again">{t`再问`}</Button>;
  if (state === "cancelled")
    return (
      <Notice icon="stop" title={t`停下了`} actions={again} testId="ask-stopped">
        {text === "" ? t`问题还在框里。` : t`答到这里的还看得见，不当答案记。`}
      </Notice>
    );
  if (state !== "failed") return null;
  if (error?.details.reason === "dailyLimit") return <LimitReached onlyBook={() => onAgain(true)} />;
  if (error?.details.reason === "namesUnread")
    return (
      <Notice
        warn
        title={t`先不问：不知道该藏哪些名字`}
        actions={<Button size="s" onPress={onMend} data-testid="ask-mend">{t`去看看`}</Button>}
        testId="ask-names"
      >
        {t`名字读不出来，所以什么也没有发出去。`}
      </Notice>
    );
  if (request.backendId !== null && !request.onlyBook) return <ProgramOutcome {...props} />;
  return (
    <Notice
      warn
      title={text === "" ? t`没有答上来` : t`答到一半断了`}
      actions={
        isForSettings(error) ? (
          <Button size="s" onPress={onSettings} data-testid="ask-to-settings">{t`去设置`}</Button>
        ) : (
          again
        )
      }
      testId="ask-failed"
    >
      {errorSentence(error)}
      {t({ message: "问题还在框里。", context: "after another sentence" })}
    </Notice>
  );
}

function LimitReached({ onlyBook }: { onlyBook: () => void }) {
  const { t } = useLingui();
  const { data: usage } = useQuery(queries.usage());
  const { tokensPerDay = null, tokens = 0, requestsPerDay = null, requests = 0 } = usage ?? {};
  const isOfRequests = requestsPerDay !== null && requests >= requestsPerDay;
  const limit = isOfRequests
    ? t`你设的是一天 ${count(requestsPerDay)} 次请求，零点再算。`
    : tokensPerDay !== null && tokens >= 0
      ? t`你设的是一天 ${count(tokensPerDay)} 词元，零点再算。`
      : "";
  return (
    <Notice
      title={t`今天不再问模型了`}
      actions={<Button size="s" onPress={onlyBook} data-testid="ask-only-book">{t`只翻书`}</Button>}
      testId="ask-limit"
    >
      {limit}
      {t`问题留在框里，原文照样能找。`}
    </Notice>
  );
}
