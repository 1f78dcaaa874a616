import { readFileSync } from "node:fs";
import {
  boolean,
  botToken,
  chatPlace,
  dailyTime,
  duration,
  encryptionKeys,
  files,
  host,
  integerBetween,
  inUrl,
  inviteSums,
  kopecksOfStar,
  oneOf,
  optional,
  proxyAddress,
  proxyAddresses,
  reader,
  rootAddress,
  rubles,
  secret,
  starPacks,
  sums,
  text,
  userIds,
  type Variable,
  variable,
  webAddress,
} from "./config-readers.js";
import { isWithin } from "./platform/private-files.js";
import { slipsBetween } from "./platform/retry.js";

const CONCURRENCY_MAX = 10_000;

interface UpstreamService {
  prefix: string;
  title: string;
  needsKey: boolean;
  /** True for software that knows no key. */
  hasNoKey?: true;
  /** True for software that the operator runs: it has no address of its own. */
  needsRoot: boolean;
  /** True when the root includes a version prefix, such as `/v1`. */
  rootHasPath: boolean;
}

const ONLINE = { needsKey: true, needsRoot: false, rootHasPath: false };
const OWN = { needsKey: false, needsRoot: true, rootHasPath: false };

/** The services by their names in `PROVIDERS`. Each has an adapter. */
export const UPSTREAM_SERVICES: Readonly<Record<string, UpstreamService>> = {
  generation_api: {
    prefix: "GENERATION_API",
    title: "another Generation API v1",
    needsKey: true,
    needsRoot: true,
    rootHasPath: true,
  },
  fal: { prefix: "FAL", title: "fal.ai", ...ONLINE },
  kie: { prefix: "KIE", title: "kie.ai", ...ONLINE },
  polza: { prefix: "POLZA", title: "polza.ai", ...ONLINE },
  openai: { prefix: "OPENAI", title: "OpenAI", ...ONLINE, rootHasPath: true },
  replicate: { prefix: "REPLICATE", title: "Replicate", ...ONLINE },
  comfyui: { prefix: "COMFYUI", title: "ComfyUI", ...OWN, hasNoKey: true },
  ace_step: { prefix: "ACE_STEP", title: "ACE-Step", ...OWN },
};

const PROVIDER_NAMES = ["local", ...Object.keys(UPSTREAM_SERVICES)];

const providerNames = reader(
  `names separated by commas, of ${PROVIDER_NAMES.join(", ")}`,
  (given): readonly string[] | undefined => {
    const names = given.split(",").map((name) => name.trim());
    return names.every((name) => PROVIDER_NAMES.includes(name))
      ? Object.freeze([...new Set(names)])
      : undefined;
  },
);

interface UpstreamVariables {
  key?: readonly [name: string, Variable<string | undefined>];
  apiRoot: readonly [name: string, Variable<string | undefined>];
  concurrency: readonly [name: string, Variable<number | undefined>];
}

export function upstreamVariables(service: UpstreamService): UpstreamVariables {
  const { prefix, title, needsKey, hasNoKey, needsRoot, rootHasPath } = service;
  const version = rootHasPath ? ", with its version prefix" : "";
  const api = prefix.endsWith("_API") ? prefix : `${prefix}_API`;
  const keyOf = needsKey ? `The key of ${title}` : `The key of ${title}, where it was started with one`;
  return {
    ...(!hasNoKey && { key: [`${api}_KEY`, secret("none", keyOf)] as const }),
    apiRoot: [
      `${api}_ROOT`,
      optional(
        rootHasPath ? webAddress : rootAddress,
        needsRoot ? "none" : `${title}'s own`,
        `Where ${title} ${needsRoot ? "runs" : "is called"}${version}${needsRoot ? "" : ": a proxy or a stand-in"}`,
      ),
    ],
    concurrency: [
      `${prefix}_CONCURRENCY`,
      optional(integerBetween(1, CONCURRENCY_MAX), "from the catalogue file", `Tasks in flight at ${title}`),
    ],
  };
}

/** Lists one line for each value that a named service lacks. */
export function missingValues(
  name: string,
  service: UpstreamService,
  given: { key: string | undefined; apiRoot: string | undefined },
): string[] {
  const { key, apiRoot } = upstreamVariables(service);
  const isMissing = [
    [key?.[0], service.needsKey && given.key === undefined],
    [apiRoot[0], service.needsRoot && given.apiRoot === undefined],
  ] as const;
  return isMissing.flatMap(([variable, missing]) =>
    missing ? [`${variable}: must be set for ${name}`] : [],
  );
}

const shopId = reader("the id of the shop: digits alone", (given) =>
  /^\d{1,20}$/.test(given) ? given : undefined,
);

/** Variables of the tills beside Stars. */
const TILL_VARIABLES = {
  TILL: optional(
    oneOf(["yookassa"]),
    "none",
    "`yookassa`: top-ups by card and SBP beside Stars, where accounts are here (`CORE=embedded`). Telegram’s terms allow Stars alone for digital goods: see [payments.md](payments.md#cards-and-sbp-by-yookassa)",
  ),
  TOPUP_RUB: variable(sums, "300,500,1000", "Sums that `TILL` offers, in rubles; people may type others"),
  TOPUP_MIN_RUB: variable(
    rubles,
    "50",
    "The smallest sum that `TILL` sells; an order that lacks less is offered this",
  ),
  TOPUP_MAX_RUB: variable(rubles, "15000", "The largest sum that `TILL` sells"),
  YOOKASSA_SHOP_ID: optional(shopId, "none", "The id of the shop at YooKassa (shopId)"),
  YOOKASSA_SECRET_KEY: secret("none", "The secret key of that shop"),
  YOOKASSA_API_ROOT: optional(
    rootAddress,
    "YooKassa's own",
    "Where YooKassa is called: a proxy or a stand-in",
  ),
  YOOKASSA_VAT_CODE: optional(
    integerBetween(1, 12),
    "none: no receipts",
    "The VAT code of receipts (54-FZ), 1 for no VAT; people are asked for an e-mail address or a telephone number",
  ),
  YOOKASSA_TAX_SYSTEM: optional(
    integerBetween(1, 6),
    "none",
    "The tax system code of receipts, where the shop needs one",
  ),
  YOOKASSA_PAYMENT_MODE: variable(
    oneOf(["full_payment", "full_prepayment", "advance"]),
    "full_payment",
    "What receipts call the payment: `full_payment`, `full_prepayment` or `advance`",
  ),
};

/** A value that could not be read is absent. */
interface TillValues {
  TILL: "yookassa" | undefined;
  CORE: "embedded" | "api";
  TOPUP_RUB: readonly number[] | undefined;
  TOPUP_MIN_RUB: number | undefined;
  TOPUP_MAX_RUB: number | undefined;
  YOOKASSA_SHOP_ID: string | undefined;
  YOOKASSA_SECRET_KEY: string | undefined;
}

/** Lists one line for each value that `TILL` lacks or that contradicts another. */
export function tillConflicts(values: TillValues): string[] {
  if (values.TILL === undefined) return [];
  const {
    TOPUP_RUB: given = [],
    TOPUP_MIN_RUB: min = 100,
    TOPUP_MAX_RUB: max = Number.POSITIVE_INFINITY,
  } = values;
  const problems: string[] = [];
  if (values.CORE === "api") problems.push("TILL: works where accounts are, which is not with CORE=api");
  for (const name of ["YOOKASSA_SHOP_ID", "YOOKASSA_SECRET_KEY"] as const)
    if (!values[name]) problems.push(`${name}: must be set when TILL=yookassa`);
  if (min < 100 || min > max) problems.push("TOPUP_MIN_RUB: must be at least 1 and at most TOPUP_MAX_RUB");
  if (given.some((sum) => sum < min || sum > max))
    problems.push("TOPUP_RUB: each sum must be from TOPUP_MIN_RUB to TOPUP_MAX_RUB");
  return problems;
}

export const VARIABLES = {
  BOT_TOKEN: {
    ...secret("none: no bot", "The bot's token; one that Telegram refuses stops the start"),
    schema: botToken,
  },
  TELEGRAM_API_ROOT: optional(webAddress, "Telegram's", "A Bot API server of one's own, or the sandbox"),
  TELEGRAM_LOCAL: variable(
    boolean,
    "false",
    "Whether the server of `TELEGRAM_API_ROOT` runs with `--local`: files up to 2000 MB go out, and pictures are read from its disk, or fetched under `/file/bot…` where they cannot be",
  ),
  TELEGRAM_PROXY: {
    ...secret(
      "none",
      "The proxy for calls to Telegram alone: `http://`, `https://` or `socks5://user:password@host:port`; several, separated by commas, are tried in turn",
    ),
    schema: proxyAddresses,
  },
  ADMIN_IDS: optional(
    userIds,
    "empty",
    "Telegram user ids of the admins; while the bot has none, each start writes a code to the log, and the first who sends it `/start CODE` becomes one",
  ),
  ALLOWED_USERS: optional(
    userIds,
    "empty: everyone",
    "Telegram user ids; others, but for admins, get one polite refusal",
  ),
  CORE: variable(
    oneOf(["embedded", "api"]),
    "embedded",
    "`embedded`: this process is the whole service. `api`: it is the bot alone, and the Generation API of `CORE_URL` does the work",
  ),
  CORE_URL: optional(
    webAddress,
    "none",
    "For `CORE=api`: the base of the Generation API with its version, such as `https://host.example/v1`",
  ),
  CORE_API_KEY: secret(
    "none",
    "For `CORE=api`: the key of the account that all people of `ALLOWED_USERS` spend; without it each person connects a key of their own",
  ),
  HTTP_HOST: variable(host, "127.0.0.1", "The address to listen on; the image sets `0.0.0.0`"),
  HTTP_PORT: variable(integerBetween(1, 65_535), "8080", "The port to listen on"),
  PUBLIC_URL: optional(
    webAddress,
    "`http://HTTP_HOST:HTTP_PORT`",
    "What links begin with; where it is a public https address, services call `/hooks/…` under it when a task has ended",
  ),
  HTTPS_PROXY: {
    ...secret(
      "none",
      "The proxy for https calls to Telegram (where `TELEGRAM_PROXY` is not set), to the Generation API of `CORE_URL` and to the services of `PROVIDERS`: `http://`, `https://` or `socks5://`",
    ),
    schema: proxyAddress,
  },
  NO_PROXY: optional(text, "none", "Hosts that are called without `HTTPS_PROXY`, separated by commas"),
  MAX_CONNECTIONS: variable(
    integerBetween(1, 1_000_000),
    "2000",
    "Open connections of the HTTP port; beyond it the oldest that has sent no request is closed. An address has half of them, unless `TRUST_PROXY` is set",
  ),
  TRUST_PROXY: variable(boolean, "false", "Whether `X-Forwarded-*` headers are believed"),
  METRICS_TOKEN: secret("none: metrics on loopback only", "The Bearer token for `/metrics`"),
  DATA_DIR: variable(text, "data/local", "Database, media and link secret"),
  BACKUP_DIR: optional(
    text,
    "none: no backups",
    "Where the service keeps copies of its data, outside `DATA_DIR`; on the same disk media cost no space there",
  ),
  BACKUP_EVERY: variable(duration, "6h", "How often it makes one: `90m`, `6h`, `1d`"),
  BACKUP_KEEP: variable(integerBetween(1, 10_000), "14", "How many are kept; the oldest leave"),
  BACKUP_MEDIA: variable(
    boolean,
    "false",
    "Whether finished files are in them, besides database and link secret",
  ),
  CATALOGUE_FILE: variable(
    text,
    "data/catalogue.json",
    "The models and their prices, read at start; several files, separated by commas, are joined: a later one adds models, or replaces those of its keys",
  ),
  OFFERS_FILE: optional(
    text,
    "none",
    "The operator's prices, titles, and models on and off; read anew on SIGHUP and by `ctl offers reload`",
  ),
  LOG_LEVEL: variable(
    oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    "info",
    "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`",
  ),
  DEFAULT_LOCALE: variable(oneOf(["en", "ru"]), "en", "`en` or `ru`: for people whose language is neither"),
  WELCOME_CREDIT_RUB: variable(rubles, "0", "What a new account of the chat is given"),
  WELCOME_GUARD: variable(
    boolean,
    "true",
    "Whether only people who look real get it at first contact: a name with letters, an id known to be older than 30 days, and no more than 200 people a day. The others get it by a tap on a button",
  ),
  INVITE_RUB: optional(
    inviteSums,
    "none: no invitations",
    "What an invitation brings, as `50:50` (who invites and who is invited), after the invited person's first top-up of at least the larger sum; the inviter gets theirs for at most 10 people a month",
  ),
  MAX_ACTIVE_ORDERS: variable(
    integerBetween(0, 1000),
    "3",
    "Orders of the chat that a person may have in work at once; 0: any number. Orders of the API are not counted",
  ),
  ORDERS_PER_MINUTE: variable(
    integerBetween(0, 1000),
    "10",
    "Orders of the chat that a person may make within a minute; 0: any number",
  ),
  DRAFTS_PER_MINUTE: variable(
    integerBetween(0, 1000),
    "20",
    "Cards that a person may open within a minute without ordering; 0: any number",
  ),
  CORRECTION_ASK_RUB: variable(
    rubles,
    "10000",
    "An admin's `/credit` or `/debit` above this sum asks once more",
  ),
  EVENTS_CHAT_ID: optional(
    chatPlace,
    "none",
    "The chat that is told of new people, sales, failures, pauses and a report each day, and where messages to support arrive, as `/id` there tells it: `-1001234567890`, or `-1001234567890/45` for a topic",
  ),
  EVENTS_SALE_RUB: variable(rubles, "500", "Orders of at least this sum are told to the event chat"),
  REPORT_AT: optional(
    dailyTime,
    "none",
    "When the report of the day is sent to the event chat, or to the admins where there is none: `09:00` (UTC) or `09:00 Europe/Moscow`",
  ),
  MODERATION_FILE: optional(
    files,
    "none: every word passes",
    "Rules for the words of orders, several files separated by commas; topics to begin with are in `data/moderation`. Read anew on SIGHUP and by `ctl moderation reload`",
  ),
  MODERATION_API_ROOT: optional(
    webAddress,
    "none",
    "A service with OpenAI's moderation endpoint that judges words too: its base with the version, such as `https://api.openai.com/v1`",
  ),
  MODERATION_API_KEY: secret("none", "The key for `MODERATION_API_ROOT`"),
  MODERATION_MODEL: variable(text, "omni-moderation-latest", "The model of `MODERATION_API_ROOT`"),
  MODERATION_WHEN_DOWN: variable(
    oneOf(["open", "closed"]),
    "open",
    "While `MODERATION_API_ROOT` does not answer within 5 s: `open` lets words pass, `closed` takes no order",
  ),
  TOPUP_STARS: optional(
    starPacks,
    "none",
    "Top-ups for Telegram Stars, as Stars:rubles: `50:50,100:105,250:270`. Only where accounts are here (`CORE=embedded`)",
  ),
  STARS_RATE_KOPECKS: optional(
    kopecksOfStar,
    "none",
    "What a Star brings, in kopecks, where people type a sum or an order lacks one. Without this and `TOPUP_STARS` nothing is sold",
  ),
  ...TILL_VARIABLES,
  TERMS_DIR: optional(
    text,
    "`data/terms` of the program",
    "The operator's `terms.en.md`, `terms.ru.md`, `privacy.en.md` and `privacy.ru.md`, with `{SUPPORT_CONTACT}` and `{BOT}` for names. People agree to them before they pay, and again when they have changed",
  ),
  SUPPORT_CONTACT: optional(text, "none", "Shown where a person needs one"),
  REFUND_FAILED_JOBS: variable(boolean, "true", "Whether a failed job gives its money back"),
  RATE_LIMIT_PER_MINUTE: variable(integerBetween(0, 1_000_000), "0", "POSTs an account and minute; 0: off"),
  PROVIDERS: variable(
    providerNames,
    "local",
    "Who makes the files, in order of preference: `local` draws previews on this machine, the others are services that need a key",
  ),
  RUNNER_CONCURRENCY: variable(
    integerBetween(1, 64),
    "2",
    "Jobs rendered at once by the local renderer: about 1 GB of memory each",
  ),
  JOB_TIMEOUT_SEC: variable(
    integerBetween(1, 86_400),
    "600",
    "How long the local renderer may take for a job",
  ),
  POLL_INTERVAL_MS: variable(
    integerBetween(100, 60_000),
    "5000",
    "For `CORE=api`: the first pause before a job is asked for, ms; it grows with the job's age",
  ),
  MEDIA_RETENTION_DAYS: variable(
    integerBetween(8, 36_500),
    "30",
    "How long finished files are kept, at least 8; those of orders that are still to be delivered stay longer",
  ),
  LINK_SECRET: {
    ...secret("made on first start, kept in `DATA_DIR`", "Signs the links to files; at least 32 characters"),
    schema: reader("at least 32 characters without spaces", (given) =>
      /^\S{32,}$/.test(given) ? given : undefined,
    ),
  },
  ENCRYPTION_KEY: {
    ...secret(
      "none",
      "32 bytes in base64 (`openssl rand -base64 32`), needed where people connect keys of their own; several, separated by commas, while one is being replaced: the first encrypts, all decrypt",
    ),
    schema: encryptionKeys,
  },
} satisfies Record<string, Variable<unknown>>;

/** Thrown for invalid environment variables, one line each. Nothing was opened. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

type Name = keyof typeof VARIABLES;
type ValueOf<V> = V extends Variable<infer T> ? T : never;
type Values = { [N in Name]: ValueOf<(typeof VARIABLES)[N]> };

const UPSTREAM_VARIABLES = Object.values(UPSTREAM_SERVICES).flatMap(
  (service): [string, Variable<unknown>][] => {
    const { key, apiRoot, concurrency } = upstreamVariables(service);
    return [...(key ? [key] : []), apiRoot, concurrency].map(([name, variable]) => [name, variable]);
  },
);

export const ENVIRONMENT = [...Object.entries<Variable<unknown>>(VARIABLES), ...UPSTREAM_VARIABLES].map(
  ([name, { shownDefault, fallback, meaning, isSecret }]) => ({
    name,
    default: shownDefault,
    fallback,
    meaning,
    isSecret,
  }),
);

export type Environment = Readonly<Record<string, string | undefined>>;
export type Config = ReturnType<typeof configOf>;
export type Secrets = ReturnType<typeof secretsOf>;

/**
 * Reads the frozen settings. An empty value counts as unset. `NAME_FILE` names a file with a secret.
 * @param needsKeys false where no upstream service gets a key: none is read, and none is missed
 * @throws ConfigError with all problems at once and without secrets
 */
export function readConfig(
  environment: Environment,
  { needsKeys = true }: { needsKeys?: boolean } = {},
): { config: Config; secrets: Secrets } {
  const problems: string[] = [];
  const read = Object.entries(VARIABLES).map(([name, known]) => [
    name,
    readVariable(name, known, environment, problems),
  ]);
  const values = Object.fromEntries(read) as Values;
  const upstreams = readUpstreams(environment, values.PROVIDERS ?? [], needsKeys, problems);
  // A wrong value is no absent one: it has its line already.
  const isReported = (problem: string) =>
    problems.some((known) => known.startsWith(problem.split(":")[0] ?? ""));
  problems.push(...conflicts(values).filter((problem) => !isReported(problem)));
  if (problems.length > 0) throw new ConfigError(problems);
  return { config: configOf(values, upstreams), secrets: secretsOf(values, upstreams) };
}

export interface UpstreamSettings {
  apiRoot: string | undefined;
  concurrency: number | undefined;
}

interface ReadUpstream extends UpstreamSettings {
  name: string;
  key: string | undefined;
}

/** Reads the settings of the services that PROVIDERS names. Values of others are not looked at. */
function readUpstreams(
  environment: Environment,
  providers: readonly string[],
  needsKeys: boolean,
  problems: string[],
): readonly ReadUpstream[] {
  return providers.flatMap((name) => {
    const known = UPSTREAM_SERVICES[name];
    if (!known) return [];
    const service = { ...known, needsKey: known.needsKey && needsKeys };
    const read = <T>([variable, known]: readonly [string, Variable<T>]) =>
      readVariable(variable, known, environment, problems) as T;
    const variables = upstreamVariables(service);
    const before = problems.length;
    const given = {
      key: needsKeys ? variables.key && read(variables.key) : undefined,
      apiRoot: read(variables.apiRoot),
      concurrency: read(variables.concurrency),
    };
    // A wrong value is one problem, not also a missing one.
    if (problems.length === before) problems.push(...missingValues(name, service, given));
    return { name, ...given };
  });
}

function readVariable(
  name: string,
  { schema, fallback, isSecret }: Variable<unknown>,
  environment: Environment,
  problems: string[],
): unknown {
  const given = isSecret ? readSecret(name, environment, problems) : environment[name]?.trim();
  const chosen = given || fallback;
  if (chosen === undefined) return undefined;
  const result = schema.safeParse(chosen);
  if (result.success) return result.data;
  const shown = isSecret ? "" : `, not ${JSON.stringify(withoutPassword(chosen))}`;
  problems.push(`${name}: ${result.error.issues[0]?.message ?? "is wrong"}${shown}`);
  return undefined;
}

function withoutPassword(given: string): string {
  const [scheme = ""] = /^https?:\/\//i.exec(given) ?? [];
  return given.lastIndexOf("@") > 0 ? `${scheme}[hidden]${given.slice(given.lastIndexOf("@"))}` : given;
}

function readSecret(name: string, environment: Environment, problems: string[]): string | undefined {
  const given = environment[name]?.trim();
  const file = environment[`${name}_FILE`]?.trim();
  if (!file) return given;
  if (given) {
    problems.push(`${name}: set both by ${name} and by ${name}_FILE`);
    return undefined;
  }
  try {
    const held = readFileSync(file, "utf8").trim();
    if (!held) problems.push(`${name}_FILE: ${file} is empty`);
    return held;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    problems.push(`${name}_FILE: cannot read ${file} (${reason})`);
    return undefined;
  }
}

function conflicts(values: Values): string[] {
  return [
    ...telegramConflicts(values),
    ...backupConflicts(values),
    ...eventsConflicts(values),
    ...remoteConflicts(values),
    ...tillConflicts(values),
  ];
}

function telegramConflicts({ TELEGRAM_LOCAL, TELEGRAM_API_ROOT }: Values): string[] {
  if (!TELEGRAM_LOCAL || TELEGRAM_API_ROOT) return [];
  return [
    "TELEGRAM_API_ROOT: must be set when TELEGRAM_LOCAL=true: it is where your own Bot API server listens",
  ];
}

function eventsConflicts({ EVENTS_CHAT_ID, BOT_TOKEN }: Values): string[] {
  if (!EVENTS_CHAT_ID || BOT_TOKEN) return [];
  return ["BOT_TOKEN: must be set with EVENTS_CHAT_ID: it is the bot who writes there"];
}

function backupConflicts({ BACKUP_DIR, DATA_DIR }: Values): string[] {
  if (BACKUP_DIR === undefined || DATA_DIR === undefined || !isWithin(BACKUP_DIR, DATA_DIR)) return [];
  return [`BACKUP_DIR: must be outside DATA_DIR, not ${JSON.stringify(BACKUP_DIR)}`];
}

function remoteConflicts(values: Values): string[] {
  if (values.CORE !== "api") return [];
  const problems: string[] = [];
  const { BOT_TOKEN, CORE_URL, CORE_API_KEY, ALLOWED_USERS, ENCRYPTION_KEY } = values;
  if (!BOT_TOKEN) problems.push("BOT_TOKEN: must be set when CORE=api");
  if (!CORE_URL) problems.push("CORE_URL: must be set when CORE=api");
  if (!CORE_API_KEY && !ENCRYPTION_KEY)
    problems.push(
      "ENCRYPTION_KEY: must be set when CORE=api without CORE_API_KEY: it encrypts people's keys",
    );
  if (CORE_API_KEY && !ALLOWED_USERS)
    problems.push("ALLOWED_USERS: must be set with CORE_API_KEY: they are who spends that account");
  return problems;
}

function configOf(values: Values, upstreams: readonly ReadUpstream[]) {
  return Object.freeze({
    telegramApiRoot: values.TELEGRAM_API_ROOT,
    isTelegramLocal: values.TELEGRAM_LOCAL,
    adminIds: values.ADMIN_IDS ?? [],
    allowedUserIds: values.ALLOWED_USERS ?? [],
    core: values.CORE,
    coreUrl: values.CORE_URL,
    httpHost: values.HTTP_HOST,
    httpPort: values.HTTP_PORT,
    publicUrl: values.PUBLIC_URL ?? `http://${inUrl(values.HTTP_HOST)}:${values.HTTP_PORT}`,
    noProxy: values.NO_PROXY,
    connectionsMax: values.MAX_CONNECTIONS,
    isProxyTrusted: values.TRUST_PROXY,
    dataDir: values.DATA_DIR,
    backup: {
      directory: values.BACKUP_DIR,
      everyMs: values.BACKUP_EVERY,
      keep: values.BACKUP_KEEP,
      hasMedia: values.BACKUP_MEDIA,
    },
    catalogueFile: values.CATALOGUE_FILE,
    offersFile: values.OFFERS_FILE,
    logLevel: values.LOG_LEVEL,
    defaultLocale: values.DEFAULT_LOCALE,
    welcomeCreditKopecks: values.WELCOME_CREDIT_RUB,
    isWelcomeGuarded: values.WELCOME_GUARD,
    inviteSums: values.INVITE_RUB,
    activeOrdersMax: values.MAX_ACTIVE_ORDERS,
    ordersPerMinuteMax: values.ORDERS_PER_MINUTE,
    draftsPerMinuteMax: values.DRAFTS_PER_MINUTE,
    correctionAskKopecks: values.CORRECTION_ASK_RUB,
    moderationFiles: values.MODERATION_FILE ?? [],
    moderationApiRoot: values.MODERATION_API_ROOT,
    moderationModel: values.MODERATION_MODEL,
    isModerationOpen: values.MODERATION_WHEN_DOWN === "open",
    starPacks: values.TOPUP_STARS ?? [],
    starRateKopecks: values.STARS_RATE_KOPECKS,
    till: {
      isOn: values.TILL !== undefined,
      packs: values.TOPUP_RUB,
      limits: { minKopecks: values.TOPUP_MIN_RUB, maxKopecks: values.TOPUP_MAX_RUB },
    },
    yookassa: {
      shopId: values.YOOKASSA_SHOP_ID,
      apiRoot: values.YOOKASSA_API_ROOT,
      vatCode: values.YOOKASSA_VAT_CODE,
      taxSystem: values.YOOKASSA_TAX_SYSTEM,
      paymentMode: values.YOOKASSA_PAYMENT_MODE,
    },
    termsDirectory: values.TERMS_DIR,
    supportContact: values.SUPPORT_CONTACT,
    eventsChat: values.EVENTS_CHAT_ID,
    toldSaleKopecks: values.EVENTS_SALE_RUB,
    reportAt: values.REPORT_AT,
    refundsFailedJobs: values.REFUND_FAILED_JOBS,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    /** Names of providers, the preferred one first. */
    providers: values.PROVIDERS,
    /** Settings of the upstream services among `providers`, by name. */
    upstreams: Object.freeze(
      Object.fromEntries(
        upstreams.map(({ name, apiRoot, concurrency }): [string, UpstreamSettings] => [
          name,
          { apiRoot, concurrency },
        ]),
      ),
    ),
    runnerConcurrency: values.RUNNER_CONCURRENCY,
    jobTimeoutSec: values.JOB_TIMEOUT_SEC,
    pollIntervalMs: values.POLL_INTERVAL_MS,
    mediaRetentionDays: values.MEDIA_RETENTION_DAYS,
  });
}

function secretsOf(values: Values, upstreams: readonly ReadUpstream[]) {
  return Object.freeze({
    botToken: values.BOT_TOKEN,
    coreApiKey: values.CORE_API_KEY,
    httpsProxy: values.HTTPS_PROXY,
    telegramProxies: values.TELEGRAM_PROXY,
    metricsToken: values.METRICS_TOKEN,
    moderationApiKey: values.MODERATION_API_KEY,
    yookassaKey: values.YOOKASSA_SECRET_KEY,
    linkSecret: values.LINK_SECRET,
    encryptionKeys: values.ENCRYPTION_KEY,
    /** Keys by the service's name in PROVIDERS. */
    upstreamKeys: Object.freeze(
      Object.fromEntries(upstreams.flatMap(({ name, key }) => (key === undefined ? [] : [[name, key]]))),
    ) as Readonly<Record<string, string>>,
  });
}

/** Lists every secret value, for the logger. */
export function allSecrets(secrets: Secrets): string[] {
  const { upstreamKeys, encryptionKeys = [], telegramProxies = [], ...named } = secrets;
  const texts = encryptionKeys.map((key) => Buffer.from(key).toString("base64"));
  return [...Object.values(named), ...Object.values(upstreamKeys), ...telegramProxies, ...texts].filter(
    (secret) => secret !== undefined,
  );
}

export interface MistypedVariable {
  given: string;
  meant: string;
}

/** Names that are close to ours and mean something else. */
const OTHERS: ReadonlySet<string> = new Set(["HTTP_PROXY", "FTP_PROXY"]);
/** The least length of a name that is compared: shorter ones are close to too many others. */
const NAME_LENGTH_MIN = 6;
/** The length from which on a name may have two slips. */
const LONG = 9;

/** Lists variables that look like one of ours with a slip, where ours is not set. Nothing reads them. */
export function mistypedVariables(
  environment: Readonly<Record<string, string | undefined>>,
): MistypedVariable[] {
  const ours = ENVIRONMENT.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]));
  const known = new Set(ours);
  const missing = ours.filter((name) => name.length >= NAME_LENGTH_MIN && !environment[name]?.trim());
  return Object.keys(environment)
    .filter((given) => !known.has(given) && !OTHERS.has(given) && environment[given]?.trim())
    .flatMap((given) => {
      const meant = closest(given, missing);
      return meant === undefined ? [] : [{ given, meant }];
    });
}

function closest(given: string, names: readonly string[]): string | undefined {
  const judged = names.map((name) => ({ name, slips: slipsBetween(given.toUpperCase(), name) }));
  const [best] = judged.sort((a, b) => a.slips - b.slips);
  return best && best.slips <= (best.name.length >= LONG ? 2 : 1) ? best.name : undefined;
}
