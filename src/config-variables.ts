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
  inviteSums,
  kopecksOfStar,
  oneOf,
  optional,
  proxyAddress,
  proxyAddresses,
  reader,
  rubles,
  secret,
  starPacks,
  text,
  userIds,
  type Variable,
  variable,
  webAddress,
} from "./config-readers.js";
import { TILL_VARIABLES } from "./config-tills.js";
import { providerNames } from "./config-upstreams.js";

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
