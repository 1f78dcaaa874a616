import { isIP } from "node:net";
import { z } from "zod";
import { asKopecks, type Kopecks, parseRubles } from "./contract/price.js";
import { parseProxyAddress } from "./platform/outgoing-agent.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./platform/units.js";
import { parseDailyTime } from "./platform/zoned-time.js";

const SUMS_MAX = 10;
const STARS_OF_PACK_MAX = 10_000;

/** A price in Stars with what it brings. */
export interface StarPack {
  price: number;
  kopecks: Kopecks;
}

export function reader<T>(what: string, convert: (text: string) => T | undefined) {
  return z.string().transform((text, context): T => {
    const value = convert(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: `must be ${what}` });
    return z.NEVER;
  });
}

/**
 * Reads a list separated by commas, equal texts and numbers once.
 * @param arrange puts the elements in order; undefined for a list that is wrong as a whole
 */
export function listOf<T>(
  what: string,
  readOne: (text: string) => T | undefined,
  arrange: (list: T[]) => T[] | undefined = (list) => list,
) {
  return reader(what, (given): readonly T[] | undefined => {
    const read = given.split(",").map((one) => readOne(one.trim()));
    const known = read.filter((one) => one !== undefined);
    const list = known.length === read.length ? arrange([...new Set(known)]) : undefined;
    return list && Object.freeze(list);
  });
}

export const text = z.string();
/** Reads a secret, which travels in URLs and headers: these carry only these characters unchanged. */
export const token = reader("one word, without spaces, in ASCII characters", (given) =>
  /^[\x21-\x7e]+$/.test(given) ? given : undefined,
);
export const botToken = reader(
  "a bot's token as BotFather gives it: digits, a colon and about 35 characters",
  (given) => (/^[1-9]\d{0,19}:[\w-]{30,60}$/.test(given) ? given : undefined),
);
export const host = reader("an IP address or a host name, without a port", (given): string | undefined => {
  const isHost = isIP(given) !== 0 || /^[\w.-]+$/.test(given);
  return isHost && URL.canParse(`http://${inUrl(given)}`) ? given : undefined;
});
export const boolean = z.stringbool({
  truthy: ["true", "yes", "on", "1"],
  falsy: ["false", "no", "off", "0"],
  error: "must be true or false (or yes, on, 1, no, off, 0)",
});
export const rubles = reader("rubles with at most two decimals", parseRubles);
/** Reads sums in rubles, from the smallest. */
export const sums = listOf(
  "up to 10 sums in rubles separated by commas, such as 300,500",
  (sum) => parseRubles(sum) || undefined,
  (all) => (all.length > SUMS_MAX ? undefined : all.sort((one, other) => one - other)),
);
/** Reads packs of Stars, from the cheapest. */
export const starPacks = listOf(
  "Stars:rubles separated by commas, such as 50:50,100:105, from 1 to 10000 Stars and each number of Stars once",
  (text): StarPack | undefined => {
    const [, stars = "", sum = ""] = /^([1-9]\d{0,4}):([\d.]+)$/.exec(text) ?? [];
    const [price, kopecks] = [Number(stars), parseRubles(sum)];
    return price >= 1 && price <= STARS_OF_PACK_MAX && kopecks ? { price, kopecks } : undefined;
  },
  (packs) => {
    const isClear = new Set(packs.map(({ price }) => price)).size === packs.length;
    return isClear ? packs.sort((one, other) => one.price - other.price) : undefined;
  },
);
export const kopecksOfStar = reader("whole kopecks from 1 to 100000", (given) => {
  const value = /^[1-9]\d{0,5}$/.test(given) ? Number(given) : Number.NaN;
  return value <= 100_000 ? asKopecks(value) : undefined;
});
export const inviteSums = reader(
  "two sums in rubles with a colon between them, not both 0, such as 50:50",
  (given): { inviterKopecks: Kopecks; invitedKopecks: Kopecks } | undefined => {
    const [inviterKopecks, invitedKopecks, ...rest] = given.split(":").map((sum) => parseRubles(sum.trim()));
    if (inviterKopecks === undefined || invitedKopecks === undefined || rest.length > 0) return undefined;
    return inviterKopecks + invitedKopecks === 0
      ? undefined
      : Object.freeze({ inviterKopecks, invitedKopecks });
  },
);
export const webAddress = reader(
  "a URL that begins with http:// or https://, without a user name, a query or a fragment",
  readWebAddress,
);
/** Reads an address without a path: the service's own paths are appended. */
export const rootAddress = reader("a URL of scheme, host and port, such as https://host.example", (given) =>
  URL.canParse(given) && new URL(given).pathname === "/" ? readWebAddress(given) : undefined,
);
export const proxyAddress = reader(
  "a URL that begins with http://, https:// or socks5://, without a path",
  parseProxyAddress,
);
export const proxyAddresses = listOf(
  "URLs that begin with http://, https:// or socks5://, without a path, separated by commas",
  parseProxyAddress,
);
export const userIds = listOf(
  "user ids separated by commas: numbers, which the bot tells whoever sends it /id (start it without this setting for that)",
  (id) => (/^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : undefined),
);
export const chatPlace = reader(
  "a chat's id as /id tells it, with /TOPIC where it is for one topic: -1001234567890 or -1001234567890/45",
  (given): { chatId: number; threadId: number | null } | undefined => {
    const [, chat, topic] = /^(-?[1-9]\d{0,15})(?:\/([1-9]\d{0,9}))?$/.exec(given) ?? [];
    if (chat === undefined || !Number.isSafeInteger(Number(chat))) return undefined;
    return Object.freeze({ chatId: Number(chat), threadId: topic === undefined ? null : Number(topic) });
  },
);
export const dailyTime = reader("a time such as 09:00, in UTC, or 09:00 Europe/Moscow", parseDailyTime);
export const encryptionKeys = listOf(
  "32 bytes in base64 (openssl rand -base64 32), or several of them separated by commas",
  (key): Uint8Array | undefined =>
    /^[A-Za-z0-9+/]{43}=$/.test(key) ? Buffer.from(key, "base64") : undefined,
);

export function oneOf<const T extends string>(values: readonly T[]) {
  return reader(`one of ${values.join(", ")}`, (given) => values.find((value) => value === given));
}

export function integerBetween(min: number, max: number) {
  return reader(`a whole number from ${min} to ${max}`, (given) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

const DURATION_UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Reads a duration such as `90m`, `6h` or `1d`, in ms. */
export const duration = reader("a time such as 90m, 6h or 1d, from 1m to 365d", (given) => {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  const ms = Number(count) * (DURATION_UNITS_MS[unit] ?? Number.NaN);
  return ms >= MINUTE_MS && ms <= 365 * DAY_MS ? ms : undefined;
});

export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function readWebAddress(given: string): string | undefined {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const { username, password, search, hash, href } = new URL(given);
  if (username || password || search || hash) return undefined;
  return href.replace(/\/+$/, "");
}

export const files = listOf("paths of files separated by commas", (path) => path || undefined);

export interface Variable<T> {
  name: string;
  schema: z.ZodType<T>;
  /** The default, parsed like a set value. Without it the variable may stay unset. */
  fallback?: string;
  shownDefault: string;
  meaning: string;
  isSecret: boolean;
}

type Undescribed<T, Secret extends boolean> = Omit<Variable<T>, "meaning"> & { isSecret: Secret };

function described<Known extends object>(known: Known) {
  return { means: (meaning: string) => ({ ...known, meaning }) };
}

export function variable<T>(name: string, schema: z.ZodType<T>, fallback: string) {
  const shownDefault = `\`${fallback}\``;
  return described<Undescribed<T, false>>({ name, schema, fallback, shownDefault, isSecret: false });
}

export function optional<T>(name: string, schema: z.ZodType<T>, shownDefault: string) {
  return described<Undescribed<T | undefined, false>>({ name, schema, shownDefault, isSecret: false });
}

export function secret<T>(name: string, schema: z.ZodType<T>, shownDefault: string) {
  return described<Undescribed<T | undefined, true>>({ name, schema, shownDefault, isSecret: true });
}
