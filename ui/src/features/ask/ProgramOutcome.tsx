import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../backend";
import { Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { answeringModel } from "./answering";
import type { Exchange } from "./exchange";

interface ProgramOutcomeProps {
  exchange: Exchange;
  onAgain: (onlyBook?: boolean) => void;
  /** Asks again without the fence of the system. */
  onUnfenced: () => void;
  /** Lets the model answer; the question stays in the field. */
  onModel: () => void;
  onSettings: () => void;
}

/** The cause of a program's missing or partial answer, with the actions on it. The question is in the field again. */
export function ProgramOutcome({ exchange, onAgain, onUnfenced, onModel, onSettings }: ProgramOutcomeProps) {
  const { t } = useLingui();
  const { data: models } = useQuery(queries.models());
  const { data: listed } = useQuery(queries.backends());
  const { askedOf, error, request } = exchange;
  const program = listed?.backends.find(({ backendId }) => backendId === request.backendId);
  const name = (askedOf?.kind === "program" ? askedOf.name : program?.name) ?? t`这个程序`;
  const reason = error?.details.reason ?? null;
  const { title, text } = useWords(exchange, name);
  const hasModel = models !== undefined && answeringModel(models) !== null;
  // One that is to run behind the fence alone is refused without it every time.
  const canBeUnfenced = reason === "notFenced" && program?.isolation !== "system";
  return (
    <Notice
      icon="terminal"
      warn={reason === "notFenced"}
      title={title}
      areActionsBelow
      actions={
        <>
          {canBeUnfenced && <Button size="s" onPress={onUnfenced} data-testid="ask-unfenced">{t`就这一次`}</Button>}
          {reason === "programMissing" && (
            <Button size="s" onPress={onSettings} data-testid="ask-to-settings">{t`去设置`}</Button>
          )}
          {reason !== "notFenced" && reason !== "programMissing" && (
            <Button size="s" onPress={() => onAgain()} data-testid="ask-again">{t`再问`}</Button>
          )}
          {hasModel ? (
            <Button size="s" onPress={onModel} data-testid="ask-model">{t`换模型来答`}</Button>
          ) : (
            <Button size="s" onPress={() => onAgain(true)} data-testid="ask-only-book">{t`只翻书`}</Button>
          )}
        </>
      }
      testId="ask-program-failed"
    >
      {text}
      {t({ message: "问题还在框里。", context: "after another sentence" })}
    </Notice>
  );
}

/** Title and text for the cause of a failure. */
function useWords({ error, text, steps, answered }: Exchange, name: string): { title: string; text: string } {
  const { t } = useLingui();
  const seconds = count(Math.max(1, Math.round((answered?.millis ?? 0) / 1_000)));
  const isPart = text !== "";
  switch (error?.details.reason) {
    case "notFenced":
      return {
        title: t`${name} 看得到这个文件夹以外的东西`,
        text: t`这台电脑关不住它：没换的名字、后面的章节、别的文件，它都读得到，读到的会发出去。所以没有启动。`,
      };
    case "programMissing":
      return { title: t`找不到 ${name}`, text: t`先安装它，或者到设置里写出它的完整位置。` };
    case "notLoggedIn":
      return { title: t`${name} 还没有登录`, text: t`在终端里打开它，登录一次，再来。` };
    case "versionTooOld":
      return { title: t`${name} 太旧了`, text: t`没有办法让它只读不写，所以没有启动。更新它，再来。` };
    case "silent":
      return {
        title: isPart || steps.length > 0 ? t`${name} 很久没有出声，停掉了` : t`${name} ${seconds} 秒没有出声，停掉了`,
        text: isPart ? t`答到这里的还看得见，不当答案记。` : "",
      };
    case "wroteFiles":
      return {
        title: t`它想改书，正文没有动`,
        text: isPart ? t`改的是抄本，没有采用。答到这里的也不当答案记。` : t`改的是抄本，没有采用。`,
      };
    default:
      return { title: isPart ? t`答到一半断了` : t`没有答上来`, text: errorSentence(error) };
  }
}
