import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call, type Provider, type ProviderKind } from "../../backend";
import { Button, Field, LinkButton, Picker } from "../../design";
import { errorSentence, refusedField } from "../../i18n/errors";
import { kindName } from "../../i18n/words";
import { whereIs } from "../../lib/address";
import { isComposing } from "../../lib/ime";
import { PRESETS } from "./presets";
import css from "./settings.module.css";

interface ProviderFormProps {
  /** The provider to edit; `null`: a new one. */
  provider: Provider | null;
  keychain: boolean;
  onDone: (saved: Provider | null) => void;
}

const OTHER = "other";
const KINDS: ProviderKind[] = ["openAi", "anthropic", "ollama"];

/** Form of a provider. Keys are never read back: the field starts empty. */
export function ProviderForm({ provider, keychain, onDone }: ProviderFormProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [preset, setPreset] = useState(provider ? OTHER : PRESETS[0]!.id);
  const start = PRESETS.find(({ id }) => id === preset);
  const [kind, setKind] = useState<ProviderKind>(provider?.kind ?? PRESETS[0]!.kind);
  const [name, setName] = useState(provider?.name ?? PRESETS[0]!.name);
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? PRESETS[0]!.baseUrl);
  const [key, setKey] = useState("");
  const [drop, setDrop] = useState(false);
  /** The Enter that ends a composition must not submit. */
  const composing = useRef(false);

  const save = useMutation({
    mutationFn: () =>
      call("ai:provider:save", {
        ...(provider && { providerId: provider.providerId }),
        kind,
        name: name.trim(),
        baseUrl: baseUrl.trim(),
        // Undefined: unchanged. Empty: deleted.
        ...(drop ? { key: "" } : key.trim() !== "" && { key: key.trim() }),
      }),
    onSuccess: async (saved) => {
      client.removeQueries({ queryKey: ["served", saved.providerId] });
      await client.invalidateQueries({ queryKey: ["models"] });
      onDone(saved);
    },
  });
  const field = refusedField(save.error);
  const message = save.error && errorSentence(save.error);
  const of = (which: string) => (field === which ? message : null);
  const known = field !== null && ["name", "baseUrl", "key"].includes(field);

  const choose = (id: string) => {
    setPreset(id);
    save.reset();
    const chosen = PRESETS.find((one) => one.id === id);
    setKind(chosen?.kind ?? "openAi");
    setName(chosen?.name ?? "");
    setBaseUrl(chosen?.baseUrl ?? "");
  };
  const filled = name.trim() !== "" && baseUrl.trim() !== "";

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      className={css.form}
      aria-label={provider ? t`修改 ${provider.name}` : t`添加服务`}
      data-testid="provider-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (filled && !composing.current && !save.isPending) save.mutate();
      }}
      onKeyDown={(event) => {
        composing.current = isComposing(event.nativeEvent);
        if (event.key !== "Escape" || composing.current || event.defaultPrevented) return;
        event.preventDefault();
        onDone(null);
      }}
    >
      {!provider && (
        <div className={css.line}>
          <Picker
            label={t`选择服务`}
            value={preset}
            onChange={choose}
            options={[
              ...PRESETS.map(({ id, name: label, baseUrl: address }) => ({
                key: id,
                label,
                note: whereIs(address).reach === "machine" ? t`本机` : undefined,
              })),
              { key: OTHER, label: t`其他服务` },
            ]}
            testId="provider-preset"
          />
          <span className={css.note}>{start ? t`地址已经填好，可以改。` : t`多数服务都能用 OpenAI 接口。`}</span>
        </div>
      )}
      <div className={css.fields}>
        <Field
          label={t`名字`}
          value={name}
          onChange={setName}
          problem={of("name")}
          autoFocus={provider !== null}
          testId="provider-name"
        />
        {!start && (
          <div>
            <span className={css.label}>{t`种类`}</span>
            <Picker<ProviderKind>
              label={t`种类`}
              value={kind}
              onChange={setKind}
              options={KINDS.map((one) => ({ key: one, label: kindName(one) }))}
              testId="provider-kind"
            />
          </div>
        )}
      </div>
      <Field
        label={t`地址`}
        value={baseUrl}
        onChange={setBaseUrl}
        problem={of("baseUrl")}
        note={<DestinationHint address={baseUrl} />}
        testId="provider-url"
      />
      <Field
        secret
        label={t`密钥`}
        value={drop ? "" : key}
        onChange={(next) => {
          setKey(next);
          setDrop(false);
        }}
        placeholder={
          provider && provider.keyKept !== "none" && !drop ? t`不改就留空` : start?.key === false ? t`一般不用填` : ""
        }
        problem={of("key")}
        note={
          <KeyNote
            provider={provider}
            keychain={keychain}
            moved={
              provider !== null && (kind !== provider.kind || originOf(baseUrl.trim()) !== originOf(provider.baseUrl))
            }
            drop={drop}
            onDrop={setDrop}
          />
        }
        testId="provider-key"
      />
      {message && !known && (
        <p className={css.problem} role="alert">
          {message}
        </p>
      )}
      <div className={css.formActs}>
        <Button kind="quiet" onPress={() => onDone(null)} data-testid="provider-cancel">{t`取消`}</Button>
        <Button kind="primary" type="submit" isDisabled={!filled || save.isPending} data-testid="provider-save">
          {save.isPending ? t`正在保存……` : t`保存`}
        </Button>
      </div>
    </form>
  );
}

const originOf = (address: string) => (URL.canParse(address) ? new URL(address).origin : address);

/** Where text would be sent, shown while the address is typed. */
function DestinationHint({ address }: { address: string }) {
  const { t } = useLingui();
  if (!URL.canParse(address.trim())) return t`请填完整的网址。`;
  const { reach, host } = whereIs(address.trim());
  if (reach === "machine") return t`就在这台电脑上，文字不离开这台电脑。`;
  return reach === "network" ? t`在局域网里：文字发往 ${host}。` : t`在别处：用到它的时候，文字发往 ${host}。`;
}

interface KeyNoteProps {
  provider: Provider | null;
  keychain: boolean;
  /** The address points to another host, which must not get the stored key. */
  moved: boolean;
  drop: boolean;
  onDrop: (drop: boolean) => void;
}

function KeyNote({ provider, keychain, moved, drop, onDrop }: KeyNoteProps) {
  const { t } = useLingui();
  const storage = provider?.keyKept ?? "none";
  if (storage === "none")
    return keychain ? t`保存在系统钥匙串里，填写后不再显示。` : t`只保留到关闭程序，填写后不再显示。`;
  if (moved) return t`地址换了主机，原来的密钥不会带过去，请重新填写。`;
  return (
    <span className={css.keyNote}>
      {drop
        ? t`保存以后，密钥就移除了。`
        : storage === "keychain"
          ? t`现有的密钥在系统钥匙串里，不再显示。`
          : t`现有的密钥只保留到关闭程序，不再显示。`}
      <LinkButton onPress={() => onDrop(!drop)} data-testid="provider-key-drop">
        {drop ? t`保留密钥` : t`移除密钥`}
      </LinkButton>
    </span>
  );
}
