import type { RunningProgram } from "./program.js";

/** True once the service answers. */
export function isUp({ port }: Pick<RunningProgram, "port">): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
