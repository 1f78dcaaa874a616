import { WORKER_FILE } from "@atelier/preview-renderer";
import type { Config } from "./config.js";
import type { Clock } from "./platform/clock.js";
import type { Provider } from "./ports/provider.js";
import { createLocalProvider } from "./providers/local.js";

/** Returns the providers of `PROVIDERS` in order: services of `upstreams`, and the local renderer where it is listed. */
export function listedProviders(
  config: Config,
  clock: Clock,
  upstreams: readonly Provider[],
): readonly Provider[] {
  return config.providers.map((name) => {
    const found = upstreams.find((upstream) => upstream.name === name);
    return found ?? localProvider(config, clock);
  });
}

function localProvider(config: Config, clock: Clock): Provider {
  return createLocalProvider({
    clock,
    workerFile: WORKER_FILE,
    concurrency: config.runnerConcurrency,
    timeoutSec: config.jobTimeoutSec,
  });
}
