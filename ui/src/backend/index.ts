export type * from "./bindings.gen";
export { BackendError, beforeClose, call, installHost, listen, pickFolder, toBackendError, type Host } from "./host";
export { createQueryClient, followChanges, queries, wholeSettings } from "./queries";
