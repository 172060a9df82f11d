export type * from "./bindings.gen";
export {
  BackendError,
  beforeClose,
  call,
  installHost,
  listen,
  pickFile,
  pickFiles,
  pickFolder,
  pickSavePath,
  toBackendError,
  type FileKind,
  type Host,
} from "./host";
export { healthProblems, useHealthProblems, type HealthProblem, type HealthProblemKind } from "./health";
export { SCENE_KEYS, useScenes } from "./scenes";
export {
  createQueryClient,
  MAX_MATCHES,
  type PastEpisode,
  type PastMatch,
  queries,
  type Searched,
  subscribeToChanges,
  watchEpisodesRestored,
  type Totals,
  wholeSettings,
} from "./queries";
