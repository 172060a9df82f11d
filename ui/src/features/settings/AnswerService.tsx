import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type ServiceSettings } from "../../backend";
import { Button, Check, Field } from "../../design";
import { errorSentence, refusedField } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./settings.module.css";

/** The team's answer service: its address, its key, and what is sent to it. */
export function AnswerService() {
  const { data } = useQuery(queries.answerService());
  // A change from elsewhere resets the fields.
  return data ? <AnswerServiceForm key={JSON.stringify(data)} settings={data} /> : null;
}

function AnswerServiceForm({ settings }: { settings: ServiceSettings }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: status } = useQuery(queries.status());
  const waiting = status?.answerOutbox ?? 0;
  const [baseUrl, setBaseUrl] = useState(settings.baseUrl ?? "");
  const [key, setKey] = useState("");
  const save = useMutation({
    mutationFn: (part: Partial<Pick<ServiceSettings, "enabled" | "sendCandidates">>) =>
      call("answer:service:set", {
        enabled: settings.enabled,
        sendCandidates: settings.sendCandidates,
        ...(baseUrl.trim() !== "" && { baseUrl: baseUrl.trim() }),
        ...(key.trim() !== "" && { key: key.trim() }),
        ...part,
      }),
    onSuccess: (saved) => {
      setKey("");
      client.setQueryData(queries.answerService().queryKey, saved);
    },
  });
  const field = refusedField(save.error);
  const message = save.error && errorSentence(save.error);
  const of = (which: string) => (field === which ? message : null);
  const isKnown = field === "baseUrl" || field === "key";
  const isChanged = baseUrl.trim() !== (settings.baseUrl ?? "") || key.trim() !== "";
  return (
    <div data-testid="answer-service">
      <Check
        label={t`也问团队的答案服务`}
        note={t`先找这里的，再问那里；那边答不上来，这里照常。要藏的名字换了再送。`}
        checked={settings.enabled}
        onChange={(enabled) => save.mutate({ enabled })}
        disabled={save.isPending || baseUrl.trim() === ""}
        testId="answer-service-on"
      />
      <Field
        label={t`答案服务的地址`}
        value={baseUrl}
        onChange={setBaseUrl}
        problem={of("baseUrl")}
        onEnter={() => save.mutate({})}
        testId="answer-service-url"
      />
      <Field
        secret
        label={t`答案服务的密钥`}
        value={key}
        onChange={setKey}
        placeholder={settings.keyKept === "none" ? "" : t`不改就留空`}
        problem={of("key")}
        onEnter={() => save.mutate({})}
        testId="answer-service-key"
      />
      <Check
        label={t`新的答案也送过去`}
        note={t`只送提问得来的新答案；像密钥的不送。`}
        checked={settings.sendCandidates}
        onChange={(sendCandidates) => save.mutate({ sendCandidates })}
        disabled={save.isPending || !settings.enabled}
        testId="answer-service-candidates"
      />
      {message && !isKnown && (
        <p className={css.problem} role="alert" data-testid="answer-service-problem">
          {t`没有保存。${message}`}
        </p>
      )}
      {waiting > 0 && (
        <p className={css.note} data-testid="answer-service-waiting">
          {t`还有 ${count(waiting)} 条等着送过去，过一会儿自己再试。`}
        </p>
      )}
      {isChanged && (
        <div className={css.formActs}>
          <Button
            size="s"
            onPress={() => save.mutate({})}
            isDisabled={save.isPending}
            data-testid="answer-service-save"
          >
            {save.isPending ? t`正在保存……` : t`保存`}
          </Button>
        </div>
      )}
    </div>
  );
}
