import { readFileSync } from "node:fs";
import { inUrl, type Variable } from "./config-readers.js";
import { tillConflicts } from "./config-tills.js";
import { missingValues, UPSTREAM_SERVICES, upstreamVariables } from "./config-upstreams.js";
import { VARIABLES } from "./config-variables.js";
import { isWithin } from "./platform/is-within.js";

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
