import { Writable } from "node:stream";
import { createLogger, type Logger } from "../../src/platform/logger.js";

/** A logger whose lines a test can read, parsed. */
export function recordingLogger(
  level = "trace",
  secrets: readonly string[] = [],
): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const target = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { logger: createLogger(level, secrets, target), lines };
}

/** A logger that writes nothing. */
export function silentLogger(): Logger {
  return createLogger("silent");
}
