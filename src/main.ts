import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

/** Milliseconds of a stop, less than the 10 s after which supervisors kill a process. */
const STOP_DEADLINE_MS = 9500;
/** Milliseconds in which signals count as one: npm forwards what its whole process group receives. */
const SAME_SIGNAL_MS = 1000;
const SOCKS_ADDRESS_MS = 3000;

// Files of the service and its renderers are private to its user.
process.umask(0o077);
// undici tries the addresses of a SOCKS server one after the other: half a second each, the default, is too short.
setDefaultAutoSelectFamilyAttemptTimeout(SOCKS_ADDRESS_MS);

let onSignal = (_signal: NodeJS.Signals): void => process.exit(0);
// Registered before the program is loaded: process 1 of a container ignores unhandled signals.
process.on("SIGTERM", (signal) => onSignal(signal));
process.on("SIGINT", (signal) => onSignal(signal));
let onReload = (): void => {};
process.on("SIGHUP", () => onReload());

const { createApp } = await import("./app.js");
const { ConfigError, mistypedVariables, readConfig } = await import("./config.js");
const { reasonOf, StartError } = await import("./platform/errors.js");

await main();

/** Stops on SIGTERM or SIGINT; a later second signal ends the process at once. */
async function main(): Promise<void> {
  const service = build();
  if (!service) return;
  const { logger } = service;
  process.on("exit", () => logger.flush());
  // In place of Node's own lines, which are no JSON.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, "warning of Node"));
  let stoppingSince: number | undefined;
  const stop = async (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    logger.info({ signal }, "stopping");
    // The timer also keeps the process alive until every part has stopped.
    setTimeout(() => {
      logger.error("stopping took too long");
      process.exit(1);
    }, STOP_DEADLINE_MS);
    await service.stop();
    logger.info("stopped");
    process.exit(0);
  };
  onSignal = (signal) => void stop(signal);
  onReload = () => service.reload();
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));
  try {
    await service.start();
  } catch (error) {
    if (stoppingSince !== undefined) return;
    // A StartError is for the operator; any other error is a bug.
    if (!(error instanceof StartError)) logger.fatal({ err: error }, "start failed");
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(1);
  }
}

/** Reads environment, catalogue and texts, and opens nothing. Each problem is one line. */
function build() {
  try {
    const { config, secrets } = readConfig(process.env);
    const app = createApp(config, secrets, { endProcess: () => process.exit(1) });
    for (const { given, meant } of mistypedVariables(process.env))
      app.logger.warn({ given, meant }, `${given} is no setting of the service: did you mean ${meant}?`);
    return app;
  } catch (error) {
    const lines = error instanceof ConfigError ? error.problems : [reasonOf(error)];
    process.stderr.write(`${lines.join("\n")}\n`);
    process.exitCode = 1;
    return undefined;
  }
}
