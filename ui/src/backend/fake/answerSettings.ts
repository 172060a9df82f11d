import type { AnswerConfig, Commands, ConfigProblem, ConfigType, ConfigValue } from "../bindings.gen";
import { invalid } from "./refusals";

interface Row {
  key: string;
  builtIn: ConfigValue;
  type: ConfigType;
  min: number;
  max: number;
}

const on = (key: string, builtIn = true): Row => ({ key, builtIn, type: "switch", min: 0, max: 1 });
const whole = (key: string, builtIn: number, min: number, max: number): Row => ({
  key,
  builtIn,
  type: "whole",
  min,
  max,
});
const share = (key: string, builtIn: number): Row => ({ key, builtIn, type: "number", min: 0, max: 1 });

/** As in the crate of answers: `settings.rs`. */
const ROWS: Row[] = [
  on("memory.enabled"),
  whole("memory.search_limit", 6, 1, 50),
  share("memory.min_score", 0.2),
  whole("prompt_inject.max_items", 10, 0, 10),
  whole("prompt_inject.max_answer_chars", 900, 1, 100_000),
  on("prompt_inject.include_meta_line"),
  whole("gatekeeper.max_inject", 3, 0, 10),
  whole("gatekeeper.min_level_inject", 2, 0, 3),
  whole("gatekeeper.min_level_fallback", 1, 0, 3),
  share("gatekeeper.min_trust_show", 0.4),
  whole("gatekeeper.block_if_consecutive_fail_ge", 3, 0, 1_000),
  share("gatekeeper.skip_if_top1_score_ge", 0.85),
  on("gatekeeper.exclude_stale_by_default"),
  { key: "gatekeeper.active_statuses", builtIn: ["active", "verified"], type: "texts", min: 1, max: 100 },
  share("gatekeeper.min_score_inject", 0.5),
  whole("gatekeeper.probation_slots", 1, 0, 1),
  share("gatekeeper.probation_min_score", 0.6),
  whole("candidate_extract.max_candidates", 1, 0, 10),
  whole("candidate_extract.min_answer_chars", 200, 1, 100_000),
  whole("candidate_extract.min_cited_answer_chars", 20, 1, 100_000),
  whole("candidate_extract.max_answer_bytes", 100_000, 1, 1_000_000),
  share("candidate_extract.confidence", 0.45),
  on("candidate_extract.redact"),
  on("candidate_extract.strict_secret_block"),
  whole("control.abort_grace_ms", 2_000, 0, 60_000),
  whole("control.max_first_line_ms", 30_000, 1_000, 600_000),
  whole("control.max_silence_ms", 180_000, 1_000, 3_600_000),
  whole("control.max_tool_silence_ms", 600_000, 1_000, 3_600_000),
  whole("control.max_run_ms", 900_000, 1_000, 86_400_000),
  whole("control.max_after_result_ms", 5_000, 0, 60_000),
  whole("control.max_concurrent_runs", 2, 1, 8),
  on("events_out.enabled", false),
  whole("events_out.max_file_bytes", 8 << 20, 65_536, 1_073_741_824),
  whole("events_out.max_files", 5, 1, 100),
];

function isPermitted({ type, min, max }: Row, value: ConfigValue) {
  if (type === "switch") return typeof value === "boolean";
  if (type === "texts") return Array.isArray(value) && value.length >= min && value.length <= max;
  if (typeof value !== "number" || (type === "whole" && !Number.isInteger(value))) return false;
  return value >= min && value <= max;
}

/** The settings of answers, and those that a story lets `config.toml` set. */
export class FakeAnswerSettings {
  readonly file = new Map<string, ConfigValue>();
  problems: ConfigProblem[] = [];
  ignored: string[] = [];
  private readonly stored = new Map<string, ConfigValue>();

  constructor(private readonly changed: () => void) {}

  readonly get = (): AnswerConfig => ({
    settings: ROWS.map(({ key, builtIn, ...row }) => {
      const stored = this.stored.get(key);
      const ofFile = this.file.get(key);
      const source = ofFile !== undefined ? "file" : stored !== undefined ? "stored" : "builtIn";
      return { key, value: ofFile ?? stored ?? builtIn, source, stored: stored ?? null, builtIn, ...row };
    }),
    problems: this.problems,
    ignored: this.ignored,
  });

  readonly set = ({ values }: Commands["answer:config:set"]["args"]): AnswerConfig => {
    this.check(values, "values");
    for (const [key, value] of Object.entries(values)) {
      if (value == null) this.stored.delete(key);
      else this.stored.set(key, value);
    }
    this.changed();
    return this.get();
  };

  /** Refuses unknown settings, and values that they cannot have. */
  check(values: Partial<Record<string, ConfigValue | null>>, field: "values" | "config") {
    for (const [key, value] of Object.entries(values)) {
      const row = ROWS.find((one) => one.key === key);
      if (!row) throw invalid(field);
      if (value == null) continue;
      if (!isPermitted(row, value)) throw invalid(`${field}.${key}`);
      if (field === "values" && this.file.has(key)) {
        throw { ...invalid(`${field}.${key}`), details: { field: `${field}.${key}`, reason: "setByFile" as const } };
      }
    }
  }
}
