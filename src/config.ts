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
  listOf,
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
  token,
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

const providerNames = listOf(`names separated by commas, of ${PROVIDER_NAMES.join(", ")}`, (name) =>
  PROVIDER_NAMES.find((known) => known === name),
);

export function upstreamVariables(service: UpstreamService) {
  const { prefix, title, needsKey, hasNoKey, needsRoot, rootHasPath } = service;
  const version = rootHasPath ? ", with its version prefix" : "";
  const api = prefix.endsWith("_API") ? prefix : `${prefix}_API`;
  const keyOf = needsKey ? `The key of ${title}` : `The key of ${title}, where it was started with one`;
  return {
    key: hasNoKey ? undefined : secret(`${api}_KEY`, token, "none").means(keyOf),
    apiRoot: optional(
      `${api}_ROOT`,
      rootHasPath ? webAddress : rootAddress,
      needsRoot ? "none" : `${title}'s own`,
    ).means(
      `Where ${title} ${needsRoot ? "runs" : "is called"}${version}${needsRoot ? "" : ": a proxy or a stand-in"}`,
    ),
    concurrency: optional(
      `${prefix}_CONCURRENCY`,
      integerBetween(1, CONCURRENCY_MAX),
      "from the catalogue file",
    ).means(`Tasks in flight at ${title}`),
  };
}

const shopId = reader("the id of the shop: digits alone", (given) =>
  /^\d{1,20}$/.test(given) ? given : undefined,
);

export const VARIABLES = {
  botToken: secret("BOT_TOKEN", botToken, "none: no bot").means(
    "The bot's token; one that Telegram refuses stops the start",
  ),
  telegramApiRoot: optional("TELEGRAM_API_ROOT", webAddress, "Telegram's").means(
    "A Bot API server of one's own, or the sandbox",
  ),
  isTelegramLocal: variable("TELEGRAM_LOCAL", boolean, "false").means(
    "Whether the server of `TELEGRAM_API_ROOT` runs with `--local`: files up to 2000 MB go out, and pictures are read from its disk, or fetched under `/file/bot…` where they cannot be",
  ),
  telegramProxies: secret("TELEGRAM_PROXY", proxyAddresses, "none").means(
    "The proxy for calls to Telegram alone: `http://`, `https://` or `socks5://user:password@host:port`; several, separated by commas, are tried in turn",
  ),
  adminIds: optional("ADMIN_IDS", userIds, "empty").means(
    "Telegram user ids of the admins; while the bot has none, each start writes a code to the log, and the first who sends it `/start CODE` becomes one",
  ),
  allowedUserIds: optional("ALLOWED_USERS", userIds, "empty: everyone").means(
    "Telegram user ids; others, but for admins, get one polite refusal",
  ),
  core: variable("CORE", oneOf(["embedded", "api"]), "embedded").means(
    "`embedded`: this process is the whole service. `api`: it is the bot alone, and the Generation API of `CORE_URL` does the work",
  ),
  coreUrl: optional("CORE_URL", webAddress, "none").means(
    "For `CORE=api`: the base of the Generation API with its version, such as `https://host.example/v1`",
  ),
  coreApiKey: secret("CORE_API_KEY", token, "none").means(
    "For `CORE=api`: the key of the account that all people of `ALLOWED_USERS` spend; without it each person connects a key of their own",
  ),
  httpHost: variable("HTTP_HOST", host, "127.0.0.1").means(
    "The address to listen on; the image sets `0.0.0.0`",
  ),
  httpPort: variable("HTTP_PORT", integerBetween(1, 65_535), "8080").means("The port to listen on"),
  publicUrl: optional("PUBLIC_URL", webAddress, "`http://HTTP_HOST:HTTP_PORT`").means(
    "What links begin with; where it is a public https address, services call `/hooks/…` under it when a task has ended",
  ),
  httpsProxy: secret("HTTPS_PROXY", proxyAddress, "none").means(
    "The proxy for https calls to Telegram (where `TELEGRAM_PROXY` is not set), to the Generation API of `CORE_URL` and to the services of `PROVIDERS`: `http://`, `https://` or `socks5://`",
  ),
  noProxy: optional("NO_PROXY", text, "none").means(
    "Hosts that are called without `HTTPS_PROXY`, separated by commas",
  ),
  connectionsMax: variable("MAX_CONNECTIONS", integerBetween(1, 1_000_000), "2000").means(
    "Open connections of the HTTP port; beyond it the oldest that has sent no request is closed. An address has half of them, unless `TRUST_PROXY` is set",
  ),
  isProxyTrusted: variable("TRUST_PROXY", boolean, "false").means(
    "Whether `X-Forwarded-*` headers are believed",
  ),
  metricsToken: secret("METRICS_TOKEN", token, "none: metrics on loopback only").means(
    "The Bearer token for `/metrics`",
  ),
  dataDir: variable("DATA_DIR", text, "data/local").means("Database, media and link secret"),
  backupDirectory: optional("BACKUP_DIR", text, "none: no backups").means(
    "Where the service keeps copies of its data, outside `DATA_DIR`; on the same disk media cost no space there",
  ),
  backupEveryMs: variable("BACKUP_EVERY", duration, "6h").means("How often it makes one: `90m`, `6h`, `1d`"),
  backupsKept: variable("BACKUP_KEEP", integerBetween(1, 10_000), "14").means(
    "How many are kept; the oldest leave",
  ),
  backupHasMedia: variable("BACKUP_MEDIA", boolean, "false").means(
    "Whether finished files are in them, besides database and link secret",
  ),
  catalogueFile: variable("CATALOGUE_FILE", text, "data/catalogue.json").means(
    "The models and their prices, read at start; several files, separated by commas, are joined: a later one adds models, or replaces those of its keys",
  ),
  offersFile: optional("OFFERS_FILE", text, "none").means(
    "The operator's prices, titles, and models on and off; read anew on SIGHUP and by `ctl offers reload`",
  ),
  logLevel: variable(
    "LOG_LEVEL",
    oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    "info",
  ).means("`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`"),
  defaultLocale: variable("DEFAULT_LOCALE", oneOf(["en", "ru"]), "en").means(
    "`en` or `ru`: the language of the event chat, and of people whose own is neither",
  ),
  welcomeCreditKopecks: variable("WELCOME_CREDIT_RUB", rubles, "0").means(
    "What a new account of the chat is given",
  ),
  isWelcomeGuarded: variable("WELCOME_GUARD", boolean, "true").means(
    "Whether only people who look real get it at first contact: a name with letters, an id known to be older than 30 days, and no more than 200 people a day. The others get it by a tap on a button",
  ),
  inviteSums: optional("INVITE_RUB", inviteSums, "none: no invitations").means(
    "What an invitation brings, as `50:50` (who invites and who is invited), after the invited person's first top-up of at least the larger sum; the inviter gets theirs for at most 10 people a month",
  ),
  activeOrdersMax: variable("MAX_ACTIVE_ORDERS", integerBetween(0, 1000), "3").means(
    "Orders of the chat that a person may have in work at once; 0: any number. Orders of the API are not counted",
  ),
  ordersPerMinuteMax: variable("ORDERS_PER_MINUTE", integerBetween(0, 1000), "10").means(
    "Orders of the chat that a person may make within a minute; 0: any number",
  ),
  draftsPerMinuteMax: variable("DRAFTS_PER_MINUTE", integerBetween(0, 1000), "20").means(
    "Cards that a person may open within a minute without ordering; 0: any number",
  ),
  correctionAskKopecks: variable("CORRECTION_ASK_RUB", rubles, "10000").means(
    "An admin's `/credit` or `/debit` above this sum asks once more",
  ),
  eventsChat: optional("EVENTS_CHAT_ID", chatPlace, "none").means(
    "The chat that is told of new people, sales, failures, pauses and a report each day, and where messages to support arrive, as `/id` there tells it: `-1001234567890`, or `-1001234567890/45` for a topic",
  ),
  toldSaleKopecks: variable("EVENTS_SALE_RUB", rubles, "500").means(
    "Orders of at least this sum are told to the event chat; the first ten are told whatever they cost",
  ),
  reportAt: optional("REPORT_AT", dailyTime, "none").means(
    "When the report of the day is sent to the event chat, or to the admins where there is none: `09:00` (UTC) or `09:00 Europe/Moscow`",
  ),
  moderationFiles: optional("MODERATION_FILE", files, "none: every word passes").means(
    "Rules for the words of orders, several files separated by commas; topics to begin with are in `data/moderation`. Read anew on SIGHUP and by `ctl moderation reload`",
  ),
  moderationApiRoot: optional("MODERATION_API_ROOT", webAddress, "none").means(
    "A service with OpenAI's moderation endpoint that judges words too: its base with the version, such as `https://api.openai.com/v1`",
  ),
  moderationApiKey: secret("MODERATION_API_KEY", token, "none").means("The key for `MODERATION_API_ROOT`"),
  moderationModel: variable("MODERATION_MODEL", text, "omni-moderation-latest").means(
    "The model of `MODERATION_API_ROOT`",
  ),
  moderationWhenDown: variable("MODERATION_WHEN_DOWN", oneOf(["open", "closed"]), "open").means(
    "While `MODERATION_API_ROOT` does not answer within 5 s: `open` lets words pass, `closed` takes no order",
  ),
  starPacks: optional("TOPUP_STARS", starPacks, "none").means(
    "Top-ups for Telegram Stars, as Stars:rubles: `50:50,100:105,250:270`. Only where accounts are here (`CORE=embedded`)",
  ),
  starRateKopecks: optional("STARS_RATE_KOPECKS", kopecksOfStar, "none").means(
    "What a Star brings, in kopecks, where people type a sum or an order lacks one. Without this and `TOPUP_STARS` nothing is sold",
  ),
  till: optional("TILL", oneOf(["yookassa"]), "none").means(
    "`yookassa`: top-ups by card and SBP beside Stars, where accounts are here (`CORE=embedded`). Telegram’s terms allow Stars alone for digital goods: see [payments.md](payments.md#cards-and-sbp-by-yookassa)",
  ),
  topUpSums: variable("TOPUP_RUB", sums, "300,500,1000").means(
    "Sums that `TILL` offers, in rubles; people may type others",
  ),
  topUpMinKopecks: variable("TOPUP_MIN_RUB", rubles, "50").means(
    "The smallest sum that `TILL` sells; an order that lacks less is offered this",
  ),
  topUpMaxKopecks: variable("TOPUP_MAX_RUB", rubles, "15000").means("The largest sum that `TILL` sells"),
  yookassaShopId: optional("YOOKASSA_SHOP_ID", shopId, "none").means(
    "The id of the shop at YooKassa (shopId)",
  ),
  yookassaKey: secret("YOOKASSA_SECRET_KEY", token, "none").means("The secret key of that shop"),
  yookassaApiRoot: optional("YOOKASSA_API_ROOT", rootAddress, "YooKassa's own").means(
    "Where YooKassa is called: a proxy or a stand-in",
  ),
  yookassaVatCode: optional("YOOKASSA_VAT_CODE", integerBetween(1, 12), "none: no receipts").means(
    "The VAT code of receipts (54-FZ), 1 for no VAT; people are asked for an e-mail address or a telephone number",
  ),
  yookassaTaxSystem: optional("YOOKASSA_TAX_SYSTEM", integerBetween(1, 6), "none").means(
    "The tax system code of receipts, where the shop needs one",
  ),
  yookassaPaymentMode: variable(
    "YOOKASSA_PAYMENT_MODE",
    oneOf(["full_payment", "full_prepayment", "advance"]),
    "full_payment",
  ).means("What receipts call the payment: `full_payment`, `full_prepayment` or `advance`"),
  termsDirectory: optional("TERMS_DIR", text, "`data/terms` of the program").means(
    "The operator's `terms.en.md`, `terms.ru.md`, `privacy.en.md` and `privacy.ru.md`, with `{SUPPORT_CONTACT}` and `{BOT}` for names. People agree to them before they pay, and again when they have changed",
  ),
  supportContact: optional("SUPPORT_CONTACT", text, "none").means("Shown where a person needs one"),
  refundsFailedJobs: variable("REFUND_FAILED_JOBS", boolean, "true").means(
    "Whether a failed job gives its money back",
  ),
  rateLimitPerMinute: variable("RATE_LIMIT_PER_MINUTE", integerBetween(0, 1_000_000), "0").means(
    "POSTs an account and minute; 0: off",
  ),
  providers: variable("PROVIDERS", providerNames, "local").means(
    "Who makes the files, in order of preference: `local` draws previews on this machine, the others are services that need a key",
  ),
  runnerConcurrency: variable("RUNNER_CONCURRENCY", integerBetween(1, 64), "2").means(
    "Jobs rendered at once by the local renderer: about 1 GB of memory each",
  ),
  jobTimeoutSec: variable("JOB_TIMEOUT_SEC", integerBetween(1, 86_400), "600").means(
    "How long the local renderer may take for a job",
  ),
  pollIntervalMs: variable("POLL_INTERVAL_MS", integerBetween(100, 60_000), "5000").means(
    "For `CORE=api`: the first pause before a job is asked for, ms; it grows with the job's age",
  ),
  mediaRetentionDays: variable("MEDIA_RETENTION_DAYS", integerBetween(8, 36_500), "30").means(
    "How long finished files are kept, at least 8; those of orders that are still to be delivered stay longer",
  ),
  linkSecret: secret(
    "LINK_SECRET",
    reader("at least 32 characters without spaces", (given) => (/^\S{32,}$/.test(given) ? given : undefined)),
    "made on first start, kept in `DATA_DIR`",
  ).means("Signs the links to files; at least 32 characters"),
  encryptionKeys: secret("ENCRYPTION_KEY", encryptionKeys, "none").means(
    "32 bytes in base64 (`openssl rand -base64 32`), needed where people connect keys of their own; several, separated by commas, while one is being replaced: the first encrypts, all decrypt",
  ),
} satisfies Record<string, Variable<unknown>>;

/** Thrown for invalid environment variables, one line each. Nothing was opened. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

type Variables = typeof VARIABLES;
type Values<Key extends keyof Variables = keyof Variables> = {
  readonly [K in Key]: Variables[K] extends Variable<infer T> ? T : never;
};
type SecretKey = {
  [K in keyof Variables]: Variables[K] extends { isSecret: true } ? K : never;
}[keyof Variables];

const UPSTREAM_VARIABLES = Object.values(UPSTREAM_SERVICES).flatMap((service): Variable<unknown>[] => {
  const { key, apiRoot, concurrency } = upstreamVariables(service);
  return [...(key ? [key] : []), apiRoot, concurrency];
});

export const ENVIRONMENT: readonly Variable<unknown>[] = [
  ...Object.values<Variable<unknown>>(VARIABLES),
  ...UPSTREAM_VARIABLES,
];

export type Environment = Readonly<Record<string, string | undefined>>;
export type Config = ReturnType<typeof readConfig>["config"];
export type Secrets = ReturnType<typeof readConfig>["secrets"];

/**
 * Reads the frozen settings. An empty value counts as unset. `NAME_FILE` names a file with a secret.
 * @param needsKeys false where no upstream service gets a key: none is read, and none is missed
 * @throws ConfigError with all problems at once and without secrets
 */
export function readConfig(environment: Environment, { needsKeys = true }: { needsKeys?: boolean } = {}) {
  const problems: string[] = [];
  const entries = Object.entries<Variable<unknown>>(VARIABLES);
  const read = entries.map(([key, known]) => [key, readVariable(known, environment, problems)] as const);
  const values = Object.fromEntries(read) as Values;
  const upstreams = readUpstreams(environment, values.providers ?? [], needsKeys, problems);
  // A wrong value is no absent one: it has its line already.
  const isReported = (problem: string) =>
    problems.some((known) => known.startsWith(problem.split(":")[0] ?? ""));
  problems.push(...conflicts(values).filter((problem) => !isReported(problem)));
  if (problems.length > 0) throw new ConfigError(problems);
  const those = (isSecret: boolean) =>
    Object.fromEntries(read.filter((_, index) => entries[index]?.[1].isSecret === isSecret));
  const { publicUrl = `http://${inUrl(values.httpHost)}:${values.httpPort}` } = values;
  return {
    config: Object.freeze({
      ...(those(false) as Values<Exclude<keyof Variables, SecretKey>>),
      publicUrl,
      adminIds: values.adminIds ?? [],
      allowedUserIds: values.allowedUserIds ?? [],
      moderationFiles: values.moderationFiles ?? [],
      starPacks: values.starPacks ?? [],
      /** Settings of the upstream services among `providers`, by name. */
      upstreams: Object.freeze(
        Object.fromEntries(
          upstreams.map(({ name, apiRoot, concurrency }) => [name, { apiRoot, concurrency }] as const),
        ),
      ),
    }),
    secrets: Object.freeze({
      ...(those(true) as Values<SecretKey>),
      /** Keys by the service's name in PROVIDERS. */
      upstreamKeys: Object.freeze(
        Object.fromEntries(
          upstreams.flatMap(({ name, key }) => (key === undefined ? [] : [[name, key] as const])),
        ),
      ),
    }),
  };
}

/** Reads the settings of the services that PROVIDERS names. Values of others are not looked at. */
function readUpstreams(
  environment: Environment,
  providers: readonly string[],
  needsKeys: boolean,
  problems: string[],
) {
  return providers.flatMap((name) => {
    const service = UPSTREAM_SERVICES[name];
    if (!service) return [];
    const { key, apiRoot, concurrency } = upstreamVariables(service);
    const read = <T>(variable: Variable<T>, isNeeded: boolean) => {
      const before = problems.length;
      const value = readVariable(variable, environment, problems) as T;
      // A wrong value is one problem, not also a missing one.
      if (isNeeded && value === undefined && problems.length === before)
        problems.push(`${variable.name}: must be set for ${name}`);
      return value;
    };
    return {
      name,
      key: needsKeys && key ? read(key, service.needsKey) : undefined,
      apiRoot: read(apiRoot, service.needsRoot),
      concurrency: read(concurrency, false),
    };
  });
}

function readVariable(
  { name, schema, fallback, isSecret }: Variable<unknown>,
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

/** Lists one line for each value that another one needs or contradicts. A value that could not be read is absent. */
function conflicts(values: Values): string[] {
  const { botToken, core, coreUrl, coreApiKey, allowedUserIds, encryptionKeys } = values;
  const { backupDirectory, dataDir, topUpSums = [], topUpMinKopecks: min = 100 } = values;
  const { topUpMaxKopecks: max = Number.POSITIVE_INFINITY } = values;
  const [isRemote, hasTill] = [core === "api", values.till !== undefined];
  const problems = [
    [
      values.isTelegramLocal && !values.telegramApiRoot,
      "TELEGRAM_API_ROOT: must be set when TELEGRAM_LOCAL=true: it is where your own Bot API server listens",
    ],
    [
      backupDirectory !== undefined && dataDir !== undefined && isWithin(backupDirectory, dataDir),
      `BACKUP_DIR: must be outside DATA_DIR, not ${JSON.stringify(backupDirectory)}`,
    ],
    [
      values.eventsChat && !botToken,
      "BOT_TOKEN: must be set with EVENTS_CHAT_ID: it is the bot who writes there",
    ],
    [isRemote && !botToken, "BOT_TOKEN: must be set when CORE=api"],
    [isRemote && !coreUrl, "CORE_URL: must be set when CORE=api"],
    [
      isRemote && !coreApiKey && !encryptionKeys,
      "ENCRYPTION_KEY: must be set when CORE=api without CORE_API_KEY: it encrypts people's keys",
    ],
    [
      isRemote && coreApiKey && !allowedUserIds,
      "ALLOWED_USERS: must be set with CORE_API_KEY: they are who spends that account",
    ],
    [hasTill && isRemote, "TILL: works where accounts are, which is not with CORE=api"],
    [hasTill && !values.yookassaShopId, "YOOKASSA_SHOP_ID: must be set when TILL=yookassa"],
    [hasTill && !values.yookassaKey, "YOOKASSA_SECRET_KEY: must be set when TILL=yookassa"],
    [hasTill && (min < 100 || min > max), "TOPUP_MIN_RUB: must be at least 1 and at most TOPUP_MAX_RUB"],
    [
      hasTill && topUpSums.some((sum) => sum < min || sum > max),
      "TOPUP_RUB: each sum must be from TOPUP_MIN_RUB to TOPUP_MAX_RUB",
    ],
  ] as const;
  return problems.flatMap(([isSo, problem]) => (isSo ? [problem] : []));
}

/** Lists every secret value, for the logger. */
export function allSecrets(secrets: Secrets): string[] {
  const { upstreamKeys, encryptionKeys = [], telegramProxies = [], ...named } = secrets;
  const texts = encryptionKeys.map((key) => Buffer.from(key).toString("base64"));
  return [...Object.values(named), ...Object.values(upstreamKeys), ...telegramProxies, ...texts].filter(
    (secret) => secret !== undefined,
  );
}

/** Names that are close to ours and mean something else. */
const OTHERS: ReadonlySet<string> = new Set(["HTTP_PROXY", "FTP_PROXY"]);
/** The least length of a name that is compared: shorter ones are close to too many others. */
const NAME_LENGTH_MIN = 6;
/** The length from which on a name may have two slips. */
const LONG = 9;

/** Lists variables that look like one of ours with a slip, where ours is not set. Nothing reads them. */
export function mistypedVariables(environment: Environment): { given: string; meant: string }[] {
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
