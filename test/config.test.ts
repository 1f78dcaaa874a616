import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { allSecrets, ENVIRONMENT, readConfig } from "../src/config.js";
import { problemsOf, secretFile } from "./support/config-problems.js";

/** A token as BotFather gives it. */
const BOT_TOKEN = `7012345678:AA${"h-_".repeat(11)}`;

test("an empty environment gives a complete service on loopback without a bot, which gives nothing away", () => {
  const { config, secrets } = readConfig({});
  expect(config).toMatchObject({
    core: "embedded",
    httpHost: "127.0.0.1",
    publicUrl: "http://127.0.0.1:8080",
    isProxyTrusted: false,
    providers: ["local"],
    upstreams: {},
    welcomeCreditKopecks: 0,
    isWelcomeGuarded: true,
    inviteSums: undefined,
    starPacks: [],
    till: undefined,
    refundsFailedJobs: true,
  });
  const { upstreamKeys, ...others } = secrets;
  expect(new Set(Object.values(others))).toEqual(new Set([undefined]));
  expect(upstreamKeys).toEqual({});
});

test("an empty value counts as unset for every variable", () => {
  const environment = Object.fromEntries(ENVIRONMENT.map(({ name }) => [name, " "]));
  expect(readConfig(environment)).toEqual(readConfig({}));
});

describe.each(["TRUST_PROXY", "BACKUP_MEDIA", "WELCOME_GUARD", "REFUND_FAILED_JOBS"])("%s", (name) => {
  test("is read as every yes and no, in any case", () => {
    const read = (word: string) => readConfig({ [name]: word }).config;
    for (const word of ["yes", "Yes", "on", "1", "TRUE"]) expect(read(word)).toEqual(read("true"));
    for (const word of ["no", "Off", "0", "FALSE"]) expect(read(word)).toEqual(read("false"));
    expect(read("yes")).not.toEqual(read("no"));
  });

  test.each(["y", "ja", "да", "2", "constructor", "__proto__", "true false"])("refuses %j", (word) => {
    expect(() => readConfig({ [name]: word })).toThrow(
      `${name}: must be true or false (or yes, on, 1, no, off, 0), not ${JSON.stringify(word)}`,
    );
  });
});

test.each([
  ["TELEGRAM_API_ROOT", "http://127.0.0.1:9000/", { telegramApiRoot: "http://127.0.0.1:9000" }],
  ["ADMIN_IDS", "7, 8,7", { adminIds: [7, 8] }],
  ["ALLOWED_USERS", "9007199254740991", { allowedUserIds: [9007199254740991] }],
  ["HTTP_HOST", "0.0.0.0", { httpHost: "0.0.0.0", publicUrl: "http://0.0.0.0:8080" }],
  ["HTTP_HOST", "service.local", { httpHost: "service.local", publicUrl: "http://service.local:8080" }],
  ["HTTP_HOST", "::1", { httpHost: "::1", publicUrl: "http://[::1]:8080" }],
  ["HTTP_PORT", "9001", { httpPort: 9001, publicUrl: "http://127.0.0.1:9001" }],
  ["PUBLIC_URL", "https://a.example/atelier//", { publicUrl: "https://a.example/atelier" }],
  ["BACKUP_DIR", "data/local-backups", { backupDirectory: "data/local-backups" }],
  ["BACKUP_EVERY", "90m", { backupEveryMs: 90 * 60_000 }],
  ["WELCOME_CREDIT_RUB", "12.50", { welcomeCreditKopecks: 1250 }],
  ["STARS_RATE_KOPECKS", "110", { starRateKopecks: 110 }],
  [
    "TOPUP_STARS",
    "250:270, 50:50.50",
    {
      starPacks: [
        { price: 50, kopecks: 5050 },
        { price: 250, kopecks: 27_000 },
      ],
    },
  ],
  ["INVITE_RUB", "50:25.50", { inviteSums: { inviterKopecks: 5000, invitedKopecks: 2550 } }],
  ["SUPPORT_CONTACT", "@help, or a call", { supportContact: "@help, or a call" }],
  ["EVENTS_SALE_RUB", "0", { toldSaleKopecks: 0 }],
  ["REPORT_AT", "09:00", { reportAt: { hour: 9, minute: 0, zone: "UTC" } }],
  ["REPORT_AT", "23:59  Europe/Moscow", { reportAt: { hour: 23, minute: 59, zone: "Europe/Moscow" } }],
  ["PROVIDERS", " local,local ", { providers: ["local"] }],
  ["MEDIA_RETENTION_DAYS", "8", { mediaRetentionDays: 8 }],
])("%s=%s is accepted", (name, value, expected) => {
  expect(readConfig({ [name]: value }).config).toMatchObject(expected);
});

test.each([
  ["TELEGRAM_API_ROOT", "api.example"],
  ["ADMIN_IDS", "7,me"],
  ["ALLOWED_USERS", "1,,2"],
  ["CORE", "remote"],
  ["CORE_URL", "ftp://a.example"],
  ["HTTP_HOST", "two words"],
  ["HTTP_HOST", "http://localhost"],
  ["HTTP_HOST", "localhost:8080"],
  ["HTTP_HOST", "[::1]"],
  ["HTTP_HOST", "999.1.1.1"],
  ["HTTP_PORT", "65536"],
  ["HTTP_PORT", "80a"],
  ["PUBLIC_URL", "https://a.example/?x=1"],
  ["BACKUP_DIR", "data/local"],
  ["BACKUP_DIR", "data/local/media/../backups"],
  ["BACKUP_EVERY", "6"],
  ["BACKUP_EVERY", "0h"],
  ["BACKUP_EVERY", "30s"],
  ["BACKUP_EVERY", "366d"],
  ["INVITE_RUB", "50"],
  ["INVITE_RUB", "0:0"],
  ["INVITE_RUB", "-1:50"],
  ["WELCOME_CREDIT_RUB", "1.005"],
  ["PROVIDERS", "local,"],
  ["PROVIDERS", "local,elsewhere"],
  ["PROVIDERS", "constructor"],
  ["MEDIA_RETENTION_DAYS", "7"],
])("%s=%s gives one problem that names the variable and shows the value", (name, value) => {
  const problems = problemsOf({ [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(
    new RegExp(`^${name}: must be .*, not ${JSON.stringify(value).replace(/[?.[\]]/g, "\\$&")}$`),
  );
});

test.each(["PUBLIC_URL", "TELEGRAM_API_ROOT"])("%s is reported without its password", (name) => {
  for (const [given, shown] of [
    ["https://user:pass@word@a.example", "https://[hidden]@a.example"],
    ["https://user:pass/word@a.example", "https://[hidden]@a.example"],
    ["user:password@a.example", "[hidden]@a.example"],
  ] as const)
    expect(problemsOf({ [name]: given })).toEqual([
      `${name}: must be a URL that begins with http:// or https://, without a user name, a query or a fragment, not "${shown}"`,
    ]);
});

test.each(["two words", "ключ", "a\u0007b"])(
  "the token %j is rejected because a header cannot carry it",
  (given) => {
    expect(problemsOf({ METRICS_TOKEN: given })).toEqual([
      "METRICS_TOKEN: must be one word, without spaces, in ASCII characters",
    ]);
  },
);

test.each([
  "your-token-here",
  `bot${BOT_TOKEN}`,
  BOT_TOKEN.slice(0, -10),
  BOT_TOKEN.replace(":", " "),
  `${BOT_TOKEN}/getMe`,
  `0${BOT_TOKEN}`,
])("a token of an unknown format is rejected at once and not shown: %s", (given) => {
  expect(problemsOf({ BOT_TOKEN: given })).toEqual([
    "BOT_TOKEN: must be a bot's token as BotFather gives it: digits, a colon and about 35 characters",
  ]);
});

test("all problems are reported at once", () => {
  const problems = problemsOf({ HTTP_PORT: "x", LOG_LEVEL: "y", ADMIN_IDS: "z" });
  expect(problems.map((problem) => problem.split(":")[0])).toEqual(["ADMIN_IDS", "HTTP_PORT", "LOG_LEVEL"]);
});

/** A front-end of a service elsewhere. */
const FRONT_END = {
  CORE: "api",
  CORE_URL: "https://core.example/v1",
  CORE_API_KEY: "key",
  ALLOWED_USERS: "7",
  BOT_TOKEN,
};

test("TELEGRAM_LOCAL needs the address of one's own server, in one line", () => {
  expect(problemsOf({ TELEGRAM_LOCAL: "true" })).toEqual([
    "TELEGRAM_API_ROOT: must be set when TELEGRAM_LOCAL=true: it is where your own Bot API server listens",
  ]);
  expect(problemsOf({ TELEGRAM_LOCAL: "maybe" })).toHaveLength(1);
  const { config } = readConfig({ TELEGRAM_LOCAL: "true", TELEGRAM_API_ROOT: "http://127.0.0.1:8081" });
  expect(config.isTelegramLocal).toBe(true);
});

test.each([
  ["BOT_TOKEN", /^BOT_TOKEN: must be set when CORE=api$/],
  ["CORE_URL", /^CORE_URL: must be set when CORE=api$/],
  ["CORE_API_KEY", /^ENCRYPTION_KEY: must be set when CORE=api without CORE_API_KEY/],
  ["ALLOWED_USERS", /^ALLOWED_USERS: must be set with CORE_API_KEY/],
])("CORE=api without %s is one problem that says so", (name, problem) => {
  const problems = problemsOf({ ...FRONT_END, [name]: "" });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});

/** Long enough for every secret. */
const HUSH = "hush".repeat(8);

describe.each([
  ["BOT_TOKEN", "botToken", BOT_TOKEN],
  ["CORE_API_KEY", "coreApiKey", HUSH],
  ["HTTPS_PROXY", "httpsProxy", `http://user:${HUSH}@proxy.example:3128/`],
  ["METRICS_TOKEN", "metricsToken", HUSH],
  ["LINK_SECRET", "linkSecret", HUSH],
] as const)("the secret %s", (name, key, value) => {
  test("is read from the environment or from a file, without its final line break", () => {
    expect(readConfig({ [name]: value }).secrets[key]).toBe(value);
    expect(readConfig({ [`${name}_FILE`]: secretFile(`${value}\n`) }).secrets[key]).toBe(value);
  });

  test("is rejected when both are set, and never shown", () => {
    const problems = problemsOf({ [name]: value, [`${name}_FILE`]: secretFile(value) });
    expect(problems).toEqual([`${name}: set both by ${name} and by ${name}_FILE`]);
    expect(problemsOf({ [name]: "hush hush" })).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${name}: must be (one word, without spaces|a URL that begins|at least 32 characters|a bot's token)`,
        ),
      ),
    ]);
  });

  test("must exist in the named file", () => {
    expect(problemsOf({ [`${name}_FILE`]: "/no/such/file" })).toEqual([
      `${name}_FILE: cannot read /no/such/file (ENOENT)`,
    ]);
    const empty = secretFile("\n");
    expect(problemsOf({ [`${name}_FILE`]: empty })).toEqual([`${name}_FILE: ${empty} is empty`]);
  });
});

/** What the second till needs. */
const SHOP = { TILL: "yookassa", YOOKASSA_SHOP_ID: "100500", YOOKASSA_SECRET_KEY: "test_key" };

test("TILL=yookassa with a shop's id and key is a till, whose key is a secret", () => {
  const { config, secrets } = readConfig({ ...SHOP, TOPUP_RUB: "500, 300", YOOKASSA_VAT_CODE: "1" });
  expect(config).toMatchObject({ till: "yookassa", topUpSums: [300_00, 500_00] });
  expect(config).toMatchObject({ yookassaShopId: "100500", yookassaVatCode: 1 });
  expect(allSecrets(secrets)).toContain("test_key");
});

test.each([
  ["YOOKASSA_SHOP_ID", "", /^YOOKASSA_SHOP_ID: must be set when TILL=yookassa$/],
  ["YOOKASSA_SECRET_KEY", "", /^YOOKASSA_SECRET_KEY: must be set when TILL=yookassa$/],
  ["YOOKASSA_SHOP_ID", "shop", /^YOOKASSA_SHOP_ID: must be the id of the shop/],
  ["TILL", "cash", /^TILL: must be one of yookassa/],
  ["TOPUP_RUB", "0", /^TOPUP_RUB: must be up to 10 sums/],
  ["TOPUP_RUB", "20,300", /^TOPUP_RUB: each sum must be from TOPUP_MIN_RUB/],
  ["TOPUP_MIN_RUB", "0.5", /^TOPUP_MIN_RUB: must be at least 1/],
  ["YOOKASSA_VAT_CODE", "13", /^YOOKASSA_VAT_CODE: must be a whole number from 1 to 12/],
  ["YOOKASSA_API_ROOT", "https://a.example/v3", /^YOOKASSA_API_ROOT: must be a URL of scheme, host and port/],
])("the second till with %s=%s is one problem that says so", (name, value, problem) => {
  const problems = problemsOf({ ...SHOP, [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});

test("the second till works where accounts are", () => {
  expect(problemsOf({ ...FRONT_END, ...SHOP })).toEqual([
    "TILL: works where accounts are, which is not with CORE=api",
  ]);
});

describe("ENCRYPTION_KEY", () => {
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");

  test("is one key or several, and takes the place of CORE_API_KEY", () => {
    const keys = readConfig({ ENCRYPTION_KEY: `${key(1)}, ${key(2)}` }).secrets.encryptionKeys;
    expect(keys).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
    const own = {
      ...FRONT_END,
      CORE_API_KEY: "",
      ALLOWED_USERS: "",
      ENCRYPTION_KEY_FILE: secretFile(key(3)),
    };
    expect(readConfig(own).secrets.encryptionKeys).toEqual([Buffer.alloc(32, 3)]);
  });

  test.each([
    HUSH,
    Buffer.alloc(31).toString("base64"),
    Buffer.alloc(33).toString("base64"),
    `${key(1)},`,
    `${key(1)}${key(2)}`,
    "a".repeat(64),
  ])("is refused with one line that does not show it: %s", (wrong) => {
    const line =
      "ENCRYPTION_KEY: must be 32 bytes in base64 (openssl rand -base64 32), or several of them separated by commas";
    expect(problemsOf({ ENCRYPTION_KEY: wrong })).toEqual([line]);
    expect(problemsOf({ ...FRONT_END, CORE_API_KEY: "", ENCRYPTION_KEY: wrong })).toEqual([line]);
  });
});

test("a name in ADMIN_IDS is told how to learn the id", () => {
  expect(problemsOf({ ADMIN_IDS: "@me" })[0]).toContain("which the bot tells whoever sends it /id");
});

test.skipIf(!existsSync("docs"))("docs/settings.md and .env.example match the schema", async () => {
  const check = promisify(execFile)(process.execPath, ["scripts/docs-env.mjs", "--check"]);
  await expect(check).resolves.toMatchObject({ stderr: "" });
});

test.each([
  "proxy.example:1080",
  "socks5://a.example:1080,",
  "socks4://a.example:1080",
  "socks5://a.example/path",
  "socks5://user:%zz@a.example:1080",
  "http://%zz@a.example:3128",
])("TELEGRAM_PROXY=%s is rejected, and not repeated: it may contain a password", (given) => {
  const problems = problemsOf({ TELEGRAM_PROXY: given });
  expect(problems).toEqual([expect.stringMatching(/^TELEGRAM_PROXY: must be URLs/)]);
  expect(problems.join()).not.toContain("a.example");
});

test("TELEGRAM_PROXY is a list, kept secret as a whole and one by one", () => {
  const { secrets } = readConfig({ TELEGRAM_PROXY: "socks5://u:p@a.example:1080, http://b.example" });
  expect(secrets.telegramProxies).toEqual(["socks5://u:p@a.example:1080", "http://b.example/"]);
  expect(allSecrets(secrets)).toEqual(secrets.telegramProxies);
});

test.each([
  ["-1001234567890", { chatId: -1001234567890, threadId: null }],
  ["-1001234567890/45", { chatId: -1001234567890, threadId: 45 }],
  ["7", { chatId: 7, threadId: null }],
])("EVENTS_CHAT_ID %j names a chat, and a topic of it", (given, eventsChat) => {
  expect(readConfig({ BOT_TOKEN, EVENTS_CHAT_ID: given }).config).toMatchObject({ eventsChat });
});

test.each([
  [{ EVENTS_CHAT_ID: "@events", BOT_TOKEN }, "EVENTS_CHAT_ID: must be a chat's id"],
  [{ EVENTS_CHAT_ID: "-100/0", BOT_TOKEN }, "EVENTS_CHAT_ID: must be a chat's id"],
  [{ EVENTS_CHAT_ID: "-99999999999999999", BOT_TOKEN }, "EVENTS_CHAT_ID: must be a chat's id"],
  [{ EVENTS_CHAT_ID: "-1001234567890" }, "BOT_TOKEN: must be set with EVENTS_CHAT_ID"],
  [{ EVENTS_SALE_RUB: "-5" }, "EVENTS_SALE_RUB: must be rubles"],
  [{ REPORT_AT: "9am" }, "REPORT_AT: must be a time such as 09:00"],
  [{ REPORT_AT: "09:00 Moscow" }, "REPORT_AT: must be a time such as 09:00"],
])("%j stops the start with one line", (environment, line) => {
  expect(problemsOf(environment)).toEqual([expect.stringContaining(line)]);
});
