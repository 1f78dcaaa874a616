import { createApp } from "./app.js";
import { ConfigError, readConfig } from "./config.js";

/** A stop that takes longer has failed, ms: supervisors kill after 10 s. */
const STOP_DEADLINE_MS = 9500;
/** Signals that come together are one: npm passes on what its whole process group was sent, ms. */
const SAME_SIGNAL_MS = 1000;

await main();

/** Starts the service and stops it on SIGTERM or SIGINT; a second signal, a while later, ends at once. */
async function main(): Promise<void> {
  const service = build();
  if (!service) return;
  const { logger } = service;
  process.on("exit", () => logger.flush());
  let stoppingSince: number | undefined;
  const stop = async (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    logger.info({ signal }, "stopping");
    // It also keeps the process alive until every part has ended.
    setTimeout(() => {
      logger.error("stopping took too long");
      process.exit(1);
    }, STOP_DEADLINE_MS);
    await service.stop();
    logger.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", (signal) => void stop(signal));
  process.on("SIGINT", (signal) => void stop(signal));
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));
  try {
    await service.start();
  } catch (error) {
    if (stoppingSince !== undefined) return;
    logger.fatal({ err: error }, "start failed");
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Reads environment, catalogue and texts; whatever is wrong is one line each, and nothing is opened. */
function build() {
  try {
    const { config, secrets } = readConfig(process.env);
    return createApp(config, secrets);
  } catch (error) {
    const lines =
      error instanceof ConfigError
        ? error.problems
        : [error instanceof Error ? error.message : String(error)];
    process.stderr.write(`${lines.join("\n")}\n`);
    process.exitCode = 1;
    return undefined;
  }
}
