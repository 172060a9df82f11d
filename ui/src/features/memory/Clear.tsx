import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, queries, type Project } from "../../backend";
import { Ask, Busy, Button, Field, Icon } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./memory.module.css";

interface ClearProps {
  /** Whether it was cleared; if not, the writer thought better of it. */
  onDone: (cleared: boolean) => void;
}

/** Nothing of it comes back: the title of the book has to be typed. */
export function ClearBook({ project, onDone }: ClearProps & { project: Project }) {
  const { t } = useLingui();
  const { projectId, title, language } = project;
  const { data } = useQuery(queries.rules(projectId));
  const [typed, setTyped] = useState("");
  const clear = useClear(() => call("memory:clear:project", { projectId, confirmed: true }), onDone);
  const [wanted, given] = [plain(title), plain(typed)];
  const matches = wanted === given;
  const left = Array.from(wanted).length - Array.from(given).length;
  const note = matches ? t`对上了。` : given !== "" && wanted.startsWith(given) ? t`还差 ${count(left)} 个字。` : given !== "" ? t`和书名对不上。` : " ";
  const own = data?.rules.filter(({ scope }) => scope === "project").length ?? 0;
  const everywhere = (data?.rules.length ?? 0) - own;
  const dismiss = () => !clear.isPending && onDone(false);
  return (
    <Ask
      title={t`清除《${title}》的记忆`}
      alert
      onDismiss={dismiss}
      testId="clear-book-dialog"
      actions={
        <>
          {clear.isPending && <Busy>{t`正在清除……`}</Busy>}
          <span className="grow" />
          <Button isDisabled={clear.isPending} onPress={dismiss} data-testid="clear-cancel">{t`不清了`}</Button>
          <Button kind="destroy" isDisabled={!matches || clear.isPending} onPress={() => clear.mutate()} data-testid="clear-confirm">{t`清除`}</Button>
        </>
      }
    >
      <Points
        gone={data && t`${count(data.episodesRecorded)} 次互动、${count(own)} 条本书规则，连同每一段的来历和备份里的，不能恢复`}
        kept={data && t`正文一个字不动；${count(everywhere)} 条全局规则和藏着的名字也留着`}
      />
      <Field label={t`输入书名“${title}”以确认`} value={typed} onChange={setTyped} note={note} autoFocus lang={language === "zh" ? "zh-CN" : "en"} testId="clear-title" />
      {clear.error && <p className={css.problem} role="alert" data-testid="clear-problem">{errorSentence(clear.error)}</p>}
    </Ask>
  );
}

/** Asked twice; the second time the keyboard stands on the way back. */
export function ClearAll({ onDone }: ClearProps) {
  const { t } = useLingui();
  const { data } = useQuery({ ...queries.whole(), staleTime: 0 });
  const [second, setSecond] = useState(false);
  const clear = useClear(() => call("memory:clear:all", { confirmed: true }), onDone);
  const dismiss = () => !clear.isPending && onDone(false);
  return (
    <Ask
      title={second ? t`真的全部清除？` : t`清除全部记忆`}
      alert
      onDismiss={dismiss}
      testId="clear-all-dialog"
      actions={
        <>
          {clear.isPending && <Busy>{t`正在清除……`}</Busy>}
          <span className="grow" />
          {second ? (
            <>
              <Button key="back" autoFocus isDisabled={clear.isPending} onPress={dismiss} data-testid="clear-cancel">{t`不清了`}</Button>
              <Button kind="destroy" isDisabled={clear.isPending} onPress={() => clear.mutate()} data-testid="clear-confirm">{t`全部清除`}</Button>
            </>
          ) : (
            <>
              <Button autoFocus onPress={dismiss} data-testid="clear-cancel">{t`不清了`}</Button>
              <Button kind="danger" onPress={() => setSecond(true)} data-testid="clear-next">{t`往下`}</Button>
            </>
          )}
        </>
      }
    >
      {second ? (
        <p className={css.last}>{t`这一步以后，AI 对你一无所知，和第一次打开时一样。没有备份能放回来。`}</p>
      ) : (
        <Points
          gone={data && t`${count(data.books)} 本书的 ${count(data.episodes)} 次互动、${count(data.bookRules)} 条本书规则、${count(data.globalRules)} 条全局规则、藏着的名字和所有备份，不能恢复`}
          kept={data && t`每本书的正文一个字不动，书的清单、模型和设置也留着`}
        />
      )}
      {clear.error && <p className={css.problem} role="alert" data-testid="clear-problem">{errorSentence(clear.error)}</p>}
    </Ask>
  );
}

function useClear(clear: () => Promise<unknown>, onDone: (cleared: boolean) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: clear,
    onSuccess: async () => {
      client.removeQueries({ queryKey: ["traces"] });
      await client.invalidateQueries();
      onDone(true);
    },
  });
}

function Points({ gone, kept }: { gone: ReactNode; kept: ReactNode }) {
  const { t } = useLingui();
  if (!gone) return <p className={css.counting}><Busy>{t`正在数……`}</Busy></p>;
  return (
    <ul className={css.points}>
      <li>
        <Icon name="cross" />
        <span data-testid="clear-gone">{gone}</span>
      </li>
      <li>
        <Icon name="check" />
        <span>{kept}</span>
      </li>
    </ul>
  );
}

/** Typed by another input method, a title is still the same title. */
const plain = (title: string) => title.normalize("NFKC").trim().replace(/\s+/g, " ");
