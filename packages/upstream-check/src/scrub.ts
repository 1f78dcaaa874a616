import type { Json } from "../../../src/catalogue/json.js";

export type Scrubber = ReturnType<typeof createScrubber>;

const KEY = "[key]";
const REMOVED = "removed";
/** The least length of a secret: shorter ones would be found everywhere. */
const SECRET_LENGTH_MIN = 6;
/** Names of fields that tell who called, without case and separators. */
const PERSONAL: ReadonlySet<string> = new Set(
  [
    "user userid username uid login nickname email phone ip ipaddress clientip",
    "account accountid accountname owner ownerid organization organizationid org orgid team teamid",
    "customer customerid tenantid workspace workspaceid project projectid billingaccount",
    "apikey apikeyid keyid token accesstoken secret password authorization cookie sessionid",
    "balance credits remainingcredits creditsleft",
  ].flatMap((names) => names.split(" ")),
);
const ADDRESS = /https?:\/\/[^\s"'<>\\]+/g;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
/** Matches JSON Web Tokens, and keys that a service repeats with stars in their middle. */
const TOKEN = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|[\w-]*\*{3,}[\w-]*/g;
const BASE64 = /^(data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=\s]{2000,}$/;

/** Takes secrets and personal facts out of what is recorded. */
export function createScrubber(secrets: readonly string[]) {
  const hidden = secrets.filter(({ length }) => length >= SECRET_LENGTH_MIN).flatMap(encodingsOf);
  // Longer ones first: one may be a part of another.
  hidden.sort((one, other) => other.length - one.length);
  const withoutSecrets = (text: string) =>
    hidden.reduce((left, secret) => left.replaceAll(secret, KEY), text);

  function text(given: string): string {
    const left = withoutSecrets(given);
    const embedded = embeddedJson(left);
    if (embedded !== undefined) return JSON.stringify(json(embedded));
    const [whole, head = ""] = BASE64.exec(left) ?? [];
    if (whole !== undefined) return `${head}${REMOVED}`;
    return left.replace(ADDRESS, withoutQuery).replace(EMAIL, REMOVED).replace(TOKEN, REMOVED);
  }

  function json(value: Json): Json {
    if (typeof value === "string") return text(value);
    if (typeof value === "number" && isLeaking(String(value))) return KEY;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(json);
    return mapped(value, (name, inner) => (isPersonal(name) ? removed(inner) : json(inner)));
  }

  function mapped(value: object, change: (name: string, inner: Json) => Json): Json {
    const entries = Object.entries(value).map(([name, inner]) => [withoutSecrets(name), change(name, inner)]);
    return Object.fromEntries(entries) as Json;
  }

  /** Reduces a value to its shape. */
  function removed(value: Json): Json {
    if (typeof value !== "object") return REMOVED;
    if (value === null) return null;
    if (Array.isArray(value)) return value.map(removed);
    return mapped(value, (_name, inner) => removed(inner));
  }

  function isLeaking(given: string): boolean {
    return hidden.some((secret) => given.includes(secret));
  }

  return { text, json, withoutSecrets, isLeaking };
}

function isPersonal(name: string): boolean {
  return PERSONAL.has(name.toLowerCase().replace(/[_\s-]/g, ""));
}

/** Parses JSON in a text, where services put it (kie: `resultJson`). */
function embeddedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Removes the query, whose values may be signatures, the user name and the fragment. */
function withoutQuery(address: string): string {
  if (!URL.canParse(address)) return address.replace(/[?#].*$/, "");
  const url = new URL(address);
  if (url.search === "" && url.hash === "" && url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  url.hash = "";
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, REMOVED);
  return url.href;
}

/** Lists how a secret may stand in a text: as it is, in JSON, in an address, in hex, and inside of base64. */
function encodingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inAddress = encodeURIComponent(secret);
  const lowered = inAddress.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  // The part of base64 that does not depend on what is beside the secret, at each place of three bytes.
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    const inner = encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
    return [inner, inner.replaceAll("-", "+").replaceAll("_", "/")];
  });
  const written = [inJson, JSON.stringify(inJson).slice(1, -1), inAddress, lowered, encodeURI(secret)];
  return [secret, ...written, hex, hex.toUpperCase(), ...inBase64];
}
