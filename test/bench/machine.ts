import { cpus, loadavg, totalmem } from "node:os";

const GIB = 1024 ** 3;

/** What the figures were measured on, in one line. */
export function describeMachine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? "unknown processor";
  const [load = 0] = loadavg();
  return [
    model,
    `${processors.length} cores`,
    `${(totalmem() / GIB).toFixed(0)} GiB`,
    `node ${process.versions.node}`,
    `load before the run ${load.toFixed(1)}`,
  ].join(" · ");
}
