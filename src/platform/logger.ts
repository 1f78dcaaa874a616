import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { type CancelTimer, type Clock, systemClock } from "./clock.js";

export type Logger = PinoLogger;

/** Matches tokens, which in URLs of the Bot API follow `bot` without a boundary. */
const BOT_TOKEN = /\d{5,}:[A-Za-z0-9_-]{30,}/g;
const API_KEY = /atl_[A-Za-z0-9_-]{8,}/g;
const BEARER = /\b([Bb]earer|Key)\s+[A-Za-z0-9._~+/=-]{8,}/g;
/** Matches addresses that services call about their tasks, also as a part of another address. */
const CALLBACK = /((?:\/|%2F)hooks(?:\/|%2F)[a-z_]+(?:\/|%2F))[A-Za-z0-9_-]{16,}/gi;
const SIGNATURE = /([?&](?:sig|signature|token|key)=)[^&\s"'\\]+/g;

const SECRET_LENGTH_MIN = 8;

/** Hides secrets of a known format. @param secrets further values that are hidden wherever they stand */
export function redactor(secrets: readonly string[]): (line: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const hidden = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (line) => hidden.reduce((text, form) => text.replaceAll(form, "[secret]"), redact(line));
}

export function redact(line: string): string {
  return line
    .replace(BOT_TOKEN, "[token]")
    .replace(API_KEY, "[key]")
    .replace(BEARER, "$1 [secret]")
    .replace(SIGNATURE, "$1[signature]")
    .replace(CALLBACK, "$1[token]");
}

export function createLogger(
  level: string,
  secrets: readonly string[] = [],
  destination?: DestinationStream,
): Logger {
  const target = destination ?? standardOutput();
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactor(secrets) },
      serializers: { err: (error: unknown) => describe(error, true) },
    },
    target,
  );
}

/** Writes to standard output. A full disk or a closed pipe must not end the service. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true });
  output.on("error", () => {});
  return gathered((lines) => output.write(lines), systemClock);
}

const GATHERED_FOR_MS = 20;
const GATHERED_LENGTH_MAX = 16_384;
/** Matches warnings and worse, and what was accepted: a crash may come next. */
const URGENT = /^\{"level":[456]|"msg":"[^"]*\baccepted\b/;

/** Gathers lines for some milliseconds, since a write costs more than a line. Urgent ones are written at once. */
export function gathered(
  write: (lines: string) => void,
  clock: Pick<Clock, "after">,
): DestinationStream & { flush(): void } {
  let waiting = "";
  let cancel: CancelTimer | undefined;
  const flush = () => {
    cancel?.();
    cancel = undefined;
    const lines = waiting;
    waiting = "";
    if (lines !== "") write(lines);
  };
  return {
    write(line) {
      waiting += line;
      if (URGENT.test(line) || waiting.length > GATHERED_LENGTH_MAX) flush();
      else cancel ??= clock.after(GATHERED_FOR_MS, flush);
    },
    flush,
  };
}

interface DescribedError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string | undefined;
  cause?: DescribedError;
}

/** Errors of others' answers and of what people sent: expected failures whose message says all. */
const WITHOUT_STACK: ReadonlySet<string> = new Set([
  "ContractError",
  "DownloadError",
  "ExchangeError",
  "FetchError",
  "GrammyError",
  "HttpError",
  "LimitExceededError",
  "NotConnectedError",
  "PictureRefusedError",
  "PictureRejectedError",
  "PriceChanged",
  "Unavailable",
  "UnreadableReferenceError",
  "UploadError",
]);

/** Selects fields: libraries attach whole requests, with users' texts, to their errors. */
function describe(error: unknown, hasStack: boolean): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const cause = error.cause ?? ("error" in error ? error.error : undefined);
  const isStackShown = hasStack && !WITHOUT_STACK.has(error.name);
  return {
    type: error.name,
    message: error.message,
    ...("code" in error ? { code: error.code } : {}),
    ...(isStackShown ? { stack: error.stack } : {}),
    ...(cause === undefined ? {} : { cause: describe(cause, isStackShown) }),
  };
}
