import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

export type Logger = PinoLogger;

const BOT_TOKEN = /\b\d{5,}:[A-Za-z0-9_-]{30,}/g;
const API_KEY = /\batl_[A-Za-z0-9_-]{8,}/g;
const BEARER = /\b(Bearer|Key)\s+[A-Za-z0-9._~+/=-]{8,}/g;
const SIGNATURE = /([?&](?:sig|signature|token|key)=)[^&\s"'\\]+/g;

/** Takes everything that grants access out of one line of log. */
export function redact(line: string): string {
  return line
    .replace(BOT_TOKEN, "[token]")
    .replace(API_KEY, "[key]")
    .replace(BEARER, "$1 [secret]")
    .replace(SIGNATURE, "$1[signature]");
}

/**
 * The one logger: JSON lines, one event a line, ISO times. Every line passes `redact`, whatever
 * field or error message a secret hid in.
 * @param destination where lines go; standard output by default
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const target = destination ?? pino.destination({ fd: 1, sync: true });
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    target,
  );
}
