/** A stop that takes longer has failed, ms: supervisors kill after 10 s. */
const STOP_DEADLINE_MS = 9500;
/** Signals that come together are one: npm passes on what its whole process group was sent, ms. */
const SAME_SIGNAL_MS = 1000;

/** What a signal does; until the service is built there is nothing to stop. */
let onSignal = (_signal: NodeJS.Signals): void => process.exit(0);
// Heard before the program is loaded: process 1 of a container never gets a signal that it does not listen for.
process.on("SIGTERM", (signal) => onSignal(signal));
process.on("SIGINT", (signal) => onSignal(signal));

const { createApp } = await import("./app.js");
const { ConfigError, readConfig } = await import("./config.js");

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
  onSignal = (signal) => void stop(signal);
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
