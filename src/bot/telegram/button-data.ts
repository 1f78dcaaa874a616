/** Telegram's limit for callback data. */
const BYTES_MAX = 64;

/** Codec of callback data: `<prefix>:<field>:<field>…`. */
export interface CallbackData<T> {
  /** Throws RangeError when the text is longer than 64 bytes. */
  encode(value: T): string;
  /** Returns undefined for text that `encode` did not write. */
  decode(text: string): T | undefined;
}

type Value = string | number;

/** What varies in callback data. `read` returns undefined for what `write` did not write. */
interface Field<Name extends string, V extends Value> {
  readonly name: Name;
  /** True for one that holds all that follows, with its separators. */
  readonly isRest?: boolean;
  read(text: string): V | undefined;
  write(value: Value): string;
}

/** A word that stands there, or a field. */
type Part = string | Field<string, Value>;

type ValuesOf<Parts extends readonly Part[]> = {
  [F in Extract<Parts[number], Field<string, Value>> as F["name"]]: F extends Field<string, infer V>
    ? V
    : never;
};

type ActionsOf<Forms extends Readonly<Record<string, readonly Part[]>>> = {
  [Action in keyof Forms & string]: { action: Action } & ValuesOf<Forms[Action]>;
}[keyof Forms & string];

/** What a button says that has data of this codec. */
export type DataOf<Codec> = Codec extends CallbackData<infer T> ? T : never;

export function natural<Name extends string>(name: Name): Field<Name, number> {
  return { name, read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined), write: String };
}

/** A natural number in few characters. */
export function base36<Name extends string>(name: Name): Field<Name, number> {
  return {
    name,
    read: (text) => (/^[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text, 36) : undefined),
    write: (value) => value.toString(36),
  };
}

/** The last field, whose text may contain the separator. */
export function rest<Name extends string>(name: Name): Field<Name, string> {
  return { name, isRest: true, read: (text) => text || undefined, write: String };
}

export function matching<Name extends string>(name: Name, pattern: RegExp): Field<Name, string> {
  return { name, read: (text) => (pattern.test(text) ? text : undefined), write: String };
}

/** @param marks what stands for each value */
export function marked<Name extends string, V extends string>(
  name: Name,
  marks: Readonly<Record<V, string>>,
): Field<Name, V> {
  const values = Object.keys(marks) as V[];
  return {
    name,
    read: (text) => values.find((value) => marks[value] === text),
    write: (value) => marks[value as V],
  };
}

export function oneOf<Name extends string, const V extends string>(
  name: Name,
  values: readonly V[],
): Field<Name, V> {
  return { name, read: (text) => values.find((value) => value === text), write: String };
}

/** Codec of buttons of one form: `buttonData("pl", [natural("userId")])` writes `pl:7`. */
export function buttonData<const Parts extends readonly Part[]>(
  prefix: string,
  parts: Parts,
): CallbackData<ValuesOf<Parts>> {
  return codec(
    prefix,
    () => parts,
    (fields) => read(parts, fields) as ValuesOf<Parts> | undefined,
  );
}

/** Codec of buttons that differ in what they do: `actionData("k", { list: ["l"], ask: ["a", natural("keyId")] })`. */
export function actionData<const Forms extends Readonly<Record<string, readonly Part[]>>>(
  prefix: string,
  forms: Forms,
): CallbackData<ActionsOf<Forms>> {
  return codec(
    prefix,
    ({ action }) => forms[action] ?? [],
    (fields) => {
      for (const [action, parts] of Object.entries(forms)) {
        const values = read(parts, fields);
        if (values) return { action, ...values } as ActionsOf<Forms>;
      }
      return undefined;
    },
  );
}

function codec<T extends object>(
  prefix: string,
  partsOf: (value: T) => readonly Part[],
  decode: (fields: readonly string[]) => T | undefined,
): CallbackData<T> {
  const start = `${prefix}:`;
  return {
    encode(value) {
      const fields = partsOf(value).map((part) =>
        typeof part === "string" ? part : part.write(Reflect.get(value, part.name) as Value),
      );
      const text = start + fields.join(":");
      if (Buffer.byteLength(text) > BYTES_MAX) throw new RangeError(`callback data too long: ${text}`);
      return text;
    },
    decode: (text) => (text.startsWith(start) ? decode(text.slice(start.length).split(":")) : undefined),
  };
}

function read(parts: readonly Part[], found: readonly string[]): Record<string, Value> | undefined {
  const before = parts.length - 1;
  const last = parts[before];
  const isOpenEnded = typeof last === "object" && last.isRest;
  const fields = isOpenEnded ? [...found.slice(0, before), found.slice(before).join(":")] : found;
  if (fields.length !== parts.length) return undefined;
  const values: Record<string, Value> = {};
  for (const [index, part] of parts.entries()) {
    const text = fields[index] ?? "";
    if (typeof part === "string") {
      if (part !== text) return undefined;
      continue;
    }
    const value = part.read(text);
    if (value === undefined) return undefined;
    values[part.name] = value;
  }
  return values;
}
