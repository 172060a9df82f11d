import { useLingui } from "@lingui/react/macro";
import type { DeletedWords } from "../../backend";
import { Button, InlineConfirm } from "../../design";
import { count, listed } from "../../i18n/words";
import css from "./memory.module.css";

interface ConfirmDeleteProps {
  label: string;
  /** The item that is deleted in any case. */
  what: string;
  busy: boolean;
  everywhere: boolean;
  onEverywhere: (everywhere: boolean) => void;
  onYes: () => void;
  onNo: () => void;
  testId: string;
}

/** Confirms a deletion; the option to erase the words everywhere is off by default. */
export function ConfirmDelete({
  label,
  what,
  busy,
  everywhere,
  onEverywhere,
  onYes,
  onNo,
  testId,
}: ConfirmDeleteProps) {
  const { t } = useLingui();
  return (
    <InlineConfirm
      label={label}
      yes={t`删除`}
      no={t`保留`}
      busy={busy}
      onYes={onYes}
      onNo={onNo}
      testId={testId}
      choice={{
        label: t`同时清除提示词、历史和备份里的文字`,
        checked: everywhere,
        onChange: onEverywhere,
        note: everywhere
          ? t`带过它的提示词会整个清空，备份会重写，移开的损坏文件会删除；别的记忆里相同的句子不变。不能撤销。`
          : t`不选的话，文字还留在以前的提示词、历史、备份和导出的文件里。`,
      }}
    >
      {what}
    </InlineConfirm>
  );
}

/** Where the words were erased, and which other texts contain the same sentences. */
export function ErasedWords({ words, onDone }: { words: DeletedWords; onDone: () => void }) {
  const { t } = useLingui();
  const { places, alsoIn, finishedAt } = words;
  const some = (kinds: [number | undefined, (n: string) => string][]) =>
    kinds.flatMap(([n, say]) => (n ? [say(count(n))] : []));
  const erased = some([
    [places.traces, (n) => t`${n} 份提示词`],
    [places.ruleVersions, (n) => t`${n} 版历史`],
    [places.runChanges, (n) => t`${n} 处学习记录`],
    [places.notes, (n) => t`${n} 条备注`],
    [places.remarks, (n) => t`${n} 段引用它的往事`],
    [places.setAside, (n) => t`${n} 个移开的损坏文件`],
    [finishedAt === null ? 0 : places.backups, (n) => t`${n} 份备份`],
  ]);
  const also = some([
    [alsoIn?.episodes, (n) => t`${n} 段往事`],
    [alsoIn?.traces, (n) => t`${n} 份提示词`],
    [alsoIn?.rules, (n) => t`${n} 条规则`],
    [alsoIn?.workingItems, (n) => t`${n} 条本次写作的记录`],
    [alsoIn?.recoveryCopies, (n) => t`${n} 份未保存的文字`],
  ]);
  return (
    <div className={css.erased} role="status" data-testid="erased-words">
      <div>
        <p>
          {finishedAt === null
            ? t`已删除。文字正在清除，会自动完成。`
            : erased.length > 0
              ? t`已删除，文字也已清除：${listed(erased)}。`
              : t`已删除，文字也已清除。`}
        </p>
        {also.length > 0 && <p>{t`相同的句子还在：${listed(also)}。没有改动。`}</p>}
      </div>
      <Button size="s" kind="quiet" onPress={onDone} data-testid="erased-done">{t`知道了`}</Button>
    </div>
  );
}
