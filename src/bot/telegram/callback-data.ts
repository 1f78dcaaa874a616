const BYTES_MAX = 64;

/** Codec of callback data: `<prefix>:<field>:<field>…`. */
export interface CallbackData<T> {
  prefix: string;
  pattern: RegExp;
  /** Throws RangeError when the text is longer than 64 bytes. */
  encode(value: T): string;
  /** Returns undefined for text that `encode` did not write. */
  decode(text: string): T | undefined;
}

interface CallbackFields<T> {
  prefix: string;
  encode(value: T): readonly (string | number)[];
  /** Decodes untrusted fields; undefined rejects them. */
  decode(fields: readonly string[]): T | undefined;
}

export function callbackData<T>({ prefix, ...fields }: CallbackFields<T>): CallbackData<T> {
  const start = `${prefix}:`;
  return {
    prefix,
    pattern: new RegExp(`^${start}`),
    encode(value) {
      const text = start + fields.encode(value).join(":");
      if (Buffer.byteLength(text) > BYTES_MAX) throw new RangeError(`callback data too long: ${text}`);
      return text;
    },
    decode: (text) =>
      text.startsWith(start) ? fields.decode(text.slice(start.length).split(":")) : undefined,
  };
}

/** Parses a natural number; undefined for other text. */
export function readNatural(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
