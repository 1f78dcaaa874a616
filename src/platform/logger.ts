import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

export type Logger = PinoLogger;

/** In the URL of a call it stands right behind the word `bot`. */
const BOT_TOKEN = /\d{5,}:[A-Za-z0-9_-]{30,}/g;
const API_KEY = /atl_[A-Za-z0-9_-]{8,}/g;
const BEARER = /\b([Bb]earer|Key)\s+[A-Za-z0-9._~+/=-]{8,}/g;
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
  const target = destination ?? standardOutput();
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redact },
      serializers: { err: describeError },
    },
    target,
  );
}

/** A log that cannot be written (a full disk, a closed pipe) must not end a service that handles money. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true });
  output.on("error", () => {});
  return new TurnOutput(output);
}

/**
 * Writes the lines of one turn of the event loop together: a call of the system for each would cost a busy
 * service more than making the line. What ends the process has to `flush` first; a fatal line does by itself.
 */
export class TurnOutput implements DestinationStream {
  readonly #output: DestinationStream;
  #lines = "";

  constructor(output: DestinationStream) {
    this.#output = output;
  }

  write(line: string): void {
    if (this.#lines === "") setImmediate(() => this.flushSync());
    this.#lines += line;
  }

  flushSync(): void {
    const lines = this.#lines;
    this.#lines = "";
    if (lines !== "") this.#output.write(lines);
  }

  /** What `logger.flush` calls. */
  flush(done: (error?: Error) => void): void {
    this.flushSync();
    done();
  }
}

interface DescribedError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string | undefined;
  cause?: DescribedError;
}

/** Answers of other services that a stack would only make longer. */
const WITHOUT_STACK = new Set(["GrammyError", "HttpError"]);

/** What is worth logging of an error: libraries hang whole requests on theirs, people's words among them. */
function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const cause = error.cause ?? ("error" in error ? error.error : undefined);
  return {
    type: error.name,
    message: error.message,
    ...("code" in error ? { code: error.code } : {}),
    ...(WITHOUT_STACK.has(error.name) ? {} : { stack: error.stack }),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
}
