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
export { troublesOf, useTroubles, type Trouble, type TroubleKind } from "./health";
export { SCENE_KEYS, useScenes } from "./scenes";
export {
  createQueryClient,
  queries,
  subscribeToChanges,
  watchEpisodesRestored,
  type Whole,
  wholeSettings,
} from "./queries";
