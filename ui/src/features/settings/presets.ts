import type { ProviderKind } from "../../backend";

/** A known service and its address. Nothing is sent there before the writer saves it. */
export interface Preset {
  id: string;
  name: string;
  kind: ProviderKind;
  baseUrl: string;
  /** Whether the service needs a key. */
  key: boolean;
}

export const PRESETS: Preset[] = [
  { id: "openai", name: "OpenAI", kind: "openAi", baseUrl: "https://api.openai.com/v1", key: true },
  { id: "anthropic", name: "Anthropic", kind: "anthropic", baseUrl: "https://api.anthropic.com", key: true },
  { id: "deepseek", name: "DeepSeek", kind: "openAi", baseUrl: "https://api.deepseek.com/v1", key: true },
  { id: "qwen", name: "Qwen", kind: "openAi", baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1", key: true },
  { id: "moonshot", name: "Moonshot", kind: "openAi", baseUrl: "https://api.moonshot.cn/v1", key: true },
  { id: "ollama", name: "Ollama", kind: "ollama", baseUrl: "http://127.0.0.1:11434", key: false },
  { id: "lmstudio", name: "LM Studio", kind: "openAi", baseUrl: "http://127.0.0.1:1234/v1", key: false },
  { id: "llamacpp", name: "llama.cpp", kind: "openAi", baseUrl: "http://127.0.0.1:8080/v1", key: false },
  { id: "vllm", name: "vLLM", kind: "openAi", baseUrl: "http://127.0.0.1:8000/v1", key: false },
];

export const OLLAMA = PRESETS.find(({ kind }) => kind === "ollama")!;
