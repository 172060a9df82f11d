import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type FoundBackend } from "../../backend";
import { Button, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { AssistantForm } from "./AssistantForm";
import { AssistantRow } from "./AssistantRow";
import { programName } from "./programs";
import css from "./settings.module.css";

const NEW = "new";

/** The programs of this machine that answer questions: those that are set up, and those that were found. */
export function Assistants() {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(queries.backends());
  const { data: found } = useQuery(queries.foundBackends());
  /** Id of the program whose form is open, or of a new one. */
  const [open, setOpen] = useState<string | null>(null);
  /** The program whose form was closed last: its row gets the focus back. */
  const [back, setBack] = useState<string | null>(null);
  const close = (at: string) => {
    setOpen(null);
    setBack(at);
  };
  const backends = data?.backends ?? [];
  const others = (found?.programs ?? []).filter(({ kind }) => !backends.some((one) => one.kind === kind));
  return (
    <section className={css.group} data-testid="assistants">
      <h3>{t`命令行助手`}</h3>
      <div>
        {error && (
          <Notice
            warn
            title={t`命令行助手读不出来`}
            actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
          >
            {errorSentence(error)}
          </Notice>
        )}
        {data?.degradedReason && (
          <Notice warn title={t`命令行助手可能不全`}>
            {data.degradedReason}
          </Notice>
        )}
        <ul className={css.providers}>
          {backends.map((backend) => (
            <li key={backend.backendId} className={css.provider} data-testid="assistant">
              {open === backend.backendId ? (
                <AssistantForm backend={backend} onDone={() => close(backend.backendId)} />
              ) : (
                <AssistantRow
                  backend={backend}
                  onEdit={() => setOpen(backend.backendId)}
                  cameBack={back === backend.backendId}
                />
              )}
            </li>
          ))}
          {others.map((program) => (
            <li key={program.kind} className={css.provider} data-testid="assistant-found">
              <FoundRow found={program} />
            </li>
          ))}
        </ul>
        {data && found && backends.length + others.length === 0 && (
          <p className={css.note} data-testid="assistants-none">
            {t`这台电脑上没有找到 Claude Code、Codex 或 Gemini CLI。`}
          </p>
        )}
        {open === NEW ? (
          <AssistantForm backend={null} onDone={() => close(NEW)} />
        ) : (
          <div className={css.line}>
            <Button
              icon="plus"
              onPress={() => setOpen(NEW)}
              autoFocus={back === NEW}
              data-testid="assistant-own"
            >{t`自己的程序`}</Button>
          </div>
        )}
        <p className={css.note}>
          {t`提问时可以选它们来答：在书的一份抄本里自己翻，名字换成化名。它们用自己的账号，读到的由它们发出去。`}
        </p>
      </div>
    </section>
  );
}

/** A known program that is installed, added with one press. */
function FoundRow({ found: { kind, program } }: { found: FoundBackend }) {
  const { t } = useLingui();
  const name = programName(kind);
  // Its usual name is stored, so it is found again after an update that moves it.
  const add = useMutation({ mutationFn: () => call("backend:save", { kind, name }) });
  return (
    <>
      <div className={css.providerFace}>
        <b>{name}</b>
        <span className={css.providerAt}>{t`找到了·${program}`}</span>
        <span className={css.providerActs}>
          <Button
            size="s"
            icon="plus"
            isDisabled={add.isPending}
            onPress={() => add.mutate()}
            aria-label={t`添加 ${name}`}
            data-testid="assistant-add"
          >{t`添加`}</Button>
        </span>
      </div>
      {add.error && (
        <p className={css.problem} role="alert" data-testid="assistant-problem">
          {t`没有保存。${errorSentence(add.error)}`}
        </p>
      )}
    </>
  );
}
