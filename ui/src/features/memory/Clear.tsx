import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { BackendError, call, queries, type Project } from "../../backend";
import { Busy, Button, ConfirmDialog, Field, Points } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./memory.module.css";

interface ClearProps {
  /** Saves the text; `false` if it could not be saved. Forgetting a book deletes its recovery copies. */
  onSave: () => Promise<boolean>;
  /** Whether the memory was cleared; `false`: cancelled. */
  onDone: (cleared: boolean) => void;
}

/** Clears the memory of a book after its title was typed. `forget`: also removes the book itself. */
export function ClearBook({ project, forget, onSave, onDone }: ClearProps & { project: Project; forget: boolean }) {
  const { t } = useLingui();
  const { projectId, title, language } = project;
  const { data } = useQuery(queries.rules(projectId));
  const [typed, setTyped] = useState("");
  const clear = useClear(async () => {
    if (!forget) return call("memory:clear:project", { projectId, confirmed: true });
    await saved(onSave);
    return call("project:forget", { projectId, confirmed: true });
  }, onDone);
  const [wanted, given] = [plain(title), plain(typed)];
  const matches = wanted === given;
  const left = Array.from(wanted).length - Array.from(given).length;
  const note = matches
    ? t`书名一致。`
    : given !== "" && wanted.startsWith(given)
      ? t`还差 ${count(left)} 个字。`
      : given !== ""
        ? t`和书名不一致。`
        : " ";
  const own = data?.rules.filter(({ scope }) => scope === "project").length ?? 0;
  const everywhere = (data?.rules.length ?? 0) - own;
  const dismiss = () => !clear.isPending && onDone(false);
  return (
    <ConfirmDialog
      title={forget ? t`忘掉《${title}》` : t`清除《${title}》的记忆`}
      alert
      onDismiss={dismiss}
      testId="clear-book-dialog"
      actions={
        <>
          {clear.isPending && <Busy>{t`正在清除……`}</Busy>}
          <span className="grow" />
          <Button isDisabled={clear.isPending} onPress={dismiss} data-testid="clear-cancel">
            {t`取消`}
          </Button>
          <Button
            kind="destroy"
            isDisabled={!matches || clear.isPending}
            onPress={() => clear.mutate()}
            data-testid="clear-confirm"
          >
            {forget ? t`忘掉` : t`清除`}
          </Button>
        </>
      }
    >
      <Consequences
        deleted={
          data &&
          (forget
            ? t`${count(data.episodesRecorded)} 次互动、${count(own)} 条本书规则，连同流水、答案、故事里的人与事、来历和备份里的；还有书名、文件夹的位置、隐藏的名字和未保存的文字。不能恢复`
            : t`${count(data.episodesRecorded)} 次互动、${count(own)} 条本书规则，连同流水、答案、故事里的人与事、每一段的来历和备份里的，不能恢复`)
        }
        unaffected={
          data &&
          (forget
            ? t`书的文件夹和正文一个字都不变，以后再打开时记忆从空的开始；${count(everywhere)} 条全局规则保留`
            : t`正文一个字都不变；书名、文件夹的位置、隐藏的名字和 ${count(everywhere)} 条全局规则保留`)
        }
      />
      <Field
        label={t`输入书名“${title}”以确认`}
        value={typed}
        onChange={setTyped}
        note={note}
        autoFocus
        lang={language === "zh" ? "zh-CN" : "en"}
        testId="clear-title"
      />
      {clear.error && (
        <p className={css.problem} role="alert" data-testid="clear-problem">
          {errorSentence(clear.error)}
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Asks twice; the second time the cancel button has the focus. */
export function ClearAll({ onSave, onDone }: ClearProps) {
  const { t } = useLingui();
  const { data } = useQuery({ ...queries.whole(), staleTime: 0 });
  const [second, setSecond] = useState(false);
  const clear = useClear(async () => {
    await saved(onSave);
    return call("memory:clear:all", { confirmed: true });
  }, onDone);
  const dismiss = () => !clear.isPending && onDone(false);
  return (
    <ConfirmDialog
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
              <Button
                key="back"
                autoFocus
                isDisabled={clear.isPending}
                onPress={dismiss}
                data-testid="clear-cancel"
              >{t`取消`}</Button>
              <Button
                kind="destroy"
                isDisabled={clear.isPending}
                onPress={() => clear.mutate()}
                data-testid="clear-confirm"
              >{t`全部清除`}</Button>
            </>
          ) : (
            <>
              <Button autoFocus onPress={dismiss} data-testid="clear-cancel">{t`取消`}</Button>
              <Button kind="danger" onPress={() => setSecond(true)} data-testid="clear-next">{t`继续`}</Button>
            </>
          )}
        </>
      }
    >
      {second ? (
        <p className={css.last}>{t`清除以后，AI 对你一无所知，和第一次打开时一样。没有备份可以恢复。`}</p>
      ) : (
        <Consequences
          deleted={
            data &&
            t`${count(data.books)} 本书的 ${count(data.episodes)} 次互动、${count(data.bookRules)} 条本书规则、${count(data.globalRules)} 条全局规则、流水、答案、故事里的人与事、隐藏的名字、书的清单、未保存的文字和所有备份，不能恢复`
          }
          unaffected={data && t`每本书的文件夹和正文一个字都不变；模型、设置和今天的用量保留`}
        />
      )}
      {clear.error && (
        <p className={css.problem} role="alert" data-testid="clear-problem">
          {errorSentence(clear.error)}
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Unsaved text may exist only as a recovery copy, which forgetting would delete. */
async function saved(onSave: () => Promise<boolean>): Promise<void> {
  if (!(await onSave())) throw new BackendError({ code: "UNSAVED_PAGE", message: "the page is not saved" });
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

function Consequences({ deleted, unaffected }: { deleted: ReactNode; unaffected: ReactNode }) {
  const { t } = useLingui();
  if (!deleted)
    return (
      <p className={css.counting}>
        <Busy>{t`正在统计……`}</Busy>
      </p>
    );
  return (
    <Points
      points={[
        { icon: "cross", words: deleted, testId: "clear-gone" },
        { icon: "check", words: unaffected },
      ]}
    />
  );
}

/** Normalized, because input methods may compose the same title differently. */
const plain = (title: string) => title.normalize("NFKC").trim().replace(/\s+/g, " ");
