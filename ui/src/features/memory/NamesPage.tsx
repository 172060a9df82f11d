import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type HiddenName, type Language, type LowerCase, type Project } from "../../backend";
import { Button, Field, Icon, IconButton, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import learning from "./learning.module.css";
import css from "./memory.module.css";
import { NameForms } from "./NameForms";
import { problemOf, standIn, type NameProblem } from "./standIns";

/** Names of this book that no model receives, with their aliases. */
export function NamesPage({ project: { projectId, language } }: { project: Project }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: list, error, refetch } = useQuery(queries.names(projectId));
  const names = list?.names;
  /** Index of the name being edited; the number of names means a new one. */
  const [editing, setEditing] = useState<number | null>(null);
  const save = useMutation({
    mutationFn: (next: HiddenName[]) => call("memory:names:set", { projectId, names: next }),
    onSuccess: (saved) => {
      client.setQueryData(queries.names(projectId).queryKey, saved);
      void client.invalidateQueries({ queryKey: queries.nameForms(projectId).queryKey });
      setEditing(null);
    },
  });
  const lang = language === "zh" ? "zh-CN" : "en";
  const answer = (index: number, lowerCase: LowerCase) =>
    save.mutate((names ?? []).map((pair, at) => (at === index ? { ...pair, lowerCase } : pair)));
  const form = (index: number) => (
    <NameForm
      key={index}
      names={names ?? []}
      index={index}
      language={language}
      busy={save.isPending}
      error={save.error}
      onSave={(pair) => save.mutate((names ?? []).toSpliced(index, 1, pair))}
      onCancel={() => {
        save.reset();
        setEditing(null);
      }}
    />
  );

  return (
    <>
      <div className={css.rules}>
        <p className={css.explain} data-testid="names-explain">
          <Icon name="away" size="s" />
          <span>
            {t`写在这里的名字不会发给模型：模型读到的是化名，返回的稿子里再换成本名。大小写、全角、繁简、空格、连字符、撇号不同的写法，也算同一个名字。小名、只用姓或只用名这类叫法，要另加一行。从下一次请求起生效，以前发出去的收不回来。`}
          </span>
        </p>
        {error && (
          <Notice
            warn
            title={t`名字读不出来`}
            actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
          >
            {t`读不出来的时候，不让别处的模型写作，以免泄露名字。${errorSentence(error)}`}
          </Notice>
        )}
        {names && (
          <>
            {names.length > 0 && (
              <div className={css.nameHead} aria-hidden="true">
                <span>{t`书里的名字`}</span>
                <span>{t`发给模型的`}</span>
              </div>
            )}
            <ul>
              {names.map(({ name, alias }, index) => (
                <li key={name} className={css.name} data-testid="name-row">
                  {editing === index ? (
                    form(index)
                  ) : (
                    <div className={css.nameFace}>
                      <b lang={lang}>{name}</b>
                      <span lang={lang}>{alias}</span>
                      <span className={css.nameActs}>
                        <IconButton
                          name="pen"
                          size="xs"
                          label={t`修改“${name}”`}
                          isDisabled={save.isPending}
                          onPress={() => setEditing(index)}
                          data-testid="name-edit"
                        />
                        <IconButton
                          name="bin"
                          size="xs"
                          label={t`不再隐藏“${name}”`}
                          isDisabled={save.isPending}
                          onPress={() => save.mutate(names.toSpliced(index, 1))}
                          data-testid="name-remove"
                        />
                      </span>
                    </div>
                  )}
                  {editing !== index && list.askLowerCase.includes(name) && (
                    <div className={learning.question} data-testid="name-lower-case">
                      <p>{t`“${name.toLowerCase()}”也是常用词。小写的也隐藏吗？现在不隐藏。`}</p>
                      <Button
                        size="s"
                        isDisabled={save.isPending}
                        onPress={() => answer(index, "hidden")}
                        data-testid="name-lower-case-hidden"
                      >{t`小写也隐藏`}</Button>
                      <Button
                        size="s"
                        isDisabled={save.isPending}
                        onPress={() => answer(index, "kept")}
                        data-testid="name-lower-case-kept"
                      >{t`小写不隐藏`}</Button>
                    </div>
                  )}
                </li>
              ))}
            </ul>
            {editing === names.length && form(names.length)}
            {editing === null && names.length > 0 && (
              <NameForms
                projectId={projectId}
                names={names}
                language={language}
                busy={save.isPending}
                onAdd={(pair) => save.mutate([...names, pair])}
              />
            )}
            {editing === null && save.error && (
              <p className={css.problem} role="alert">
                {errorSentence(save.error)}
              </p>
            )}
          </>
        )}
      </div>
      <div className={css.foot}>
        <p className={css.recorded}>
          {names && (names.length > 0 ? t`隐藏了 ${count(names.length)} 个名字` : t`现在没有隐藏的名字`)}
        </p>
        <Button
          icon="plus"
          isDisabled={!names || editing !== null}
          onPress={() => setEditing(names?.length ?? 0)}
          data-testid="name-add"
        >{t`添加名字`}</Button>
      </div>
    </>
  );
}

interface NameFormProps {
  names: HiddenName[];
  /** Index of the name being edited; the number of names means a new one. */
  index: number;
  language: Language;
  busy: boolean;
  error: unknown;
  onSave: (pair: HiddenName) => void;
  onCancel: () => void;
}

function NameForm({ names, index, language, busy, error, onSave, onCancel }: NameFormProps) {
  const { t } = useLingui();
  const others = names.toSpliced(index, 1);
  const known = names[index];
  const [name, setName] = useState(known?.name ?? "");
  const [alias, setAlias] = useState(known?.alias ?? standIn(language, others));
  const problem = problemOf({ name, alias }, others);
  const messages: Record<NameProblem, string> = {
    letters: t`名字里至少要有一个字。`,
    long: t`太长了，最多一百个字。`,
    twice: t`这个名字已经在上面了。`,
    shared: t`这个化名已经用过了。`,
    says: t`化名里含有本名，起不到隐藏的作用。`,
    hides: t`另一个名字的化名里含有它。`,
    many: t`最多隐藏五百个名字。`,
  };
  const lang = language === "zh" ? "zh-CN" : "en";
  const save = () => problem === null && !busy && onSave({ name: name.trim(), alias: alias.trim() });
  // No error is shown before the writer has typed.
  const shown = name.trim() === "" || problem === null ? null : messages[problem];
  return (
    <div className={css.form} data-testid="name-form">
      <div className={css.nameFields}>
        <Field
          label={t`书里的名字`}
          value={name}
          onChange={setName}
          autoFocus
          lang={lang}
          onEnter={save}
          onEscape={onCancel}
          problem={problem !== "shared" && problem !== "says" ? shown : null}
          testId="name-name"
        />
        <Field
          label={t`发给模型的`}
          value={alias}
          onChange={setAlias}
          lang={lang}
          onEnter={save}
          onEscape={onCancel}
          problem={problem === "shared" || problem === "says" ? shown : null}
          testId="name-alias"
        />
      </div>
      {error !== null && error !== undefined && (
        <p className={css.problem} role="alert" data-testid="name-problem">
          {errorSentence(error)}
        </p>
      )}
      <div className={css.formRow}>
        <span className="grow" />
        <Button kind="quiet" onPress={onCancel}>{t`取消`}</Button>
        <Button
          kind="primary"
          onPress={save}
          isDisabled={problem !== null || busy}
          data-testid="name-save"
        >{t`隐藏`}</Button>
      </div>
    </div>
  );
}
