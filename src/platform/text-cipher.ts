import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Matches sealed texts: JSON and API keys never begin so. */
const SEALED = /^sealed:([0-9a-f]{8}):([\w-]+)$/;

/** Reports a text that was sealed with an unknown key, for another row, or was changed. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
  constructor(
    readonly keyId: string,
    options?: ErrorOptions,
  ) {
    super(`a stored text cannot be decrypted (key ${keyId})`, options);
  }
}

/** Encrypts texts where they are stored. */
export interface TextCipher {
  /** Encrypts a text. @param row binds it: `open` needs the same */
  seal(text: string, row: string): string;
  /** Decrypts a text; one that was stored in the clear is returned as it is. Throws UnsealError. */
  open(stored: string, row: string): string;
  /** Returns false when the text should be written anew: it is in the clear, or sealed with an earlier key. */
  isCurrent(stored: string): boolean;
}

/** Stores texts in the clear: no key is given. */
export const noCipher: TextCipher = {
  seal: (text) => text,
  open(stored) {
    const keyId = SEALED.exec(stored)?.[1];
    if (keyId !== undefined) throw new UnsealError(keyId);
    return stored;
  },
  isCurrent: (stored) => !SEALED.test(stored),
};

/** Encrypts by AES-256-GCM with a random nonce for each text. The first key encrypts, all of them decrypt. */
export function createTextCipher(keys: readonly Uint8Array[]): TextCipher {
  const known = new Map(keys.map((key) => [idOf(key), key]));
  const [first] = known;
  if (!first) throw new Error("a cipher without a key");
  const [currentId, currentKey] = first;
  return {
    seal(text, row) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, currentKey, nonce);
      cipher.setAAD(Buffer.from(row));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `sealed:${currentId}:${Buffer.concat(parts).toString("base64url")}`;
    },
    open(stored, row) {
      const [isSealed, keyId = "", encoded = ""] = SEALED.exec(stored) ?? [];
      if (isSealed === undefined) return stored;
      const key = known.get(keyId);
      if (!key) throw new UnsealError(keyId);
      try {
        return decrypt(Buffer.from(encoded, "base64url"), key, row);
      } catch (cause) {
        throw new UnsealError(keyId, { cause });
      }
    },
    isCurrent: (stored) => SEALED.exec(stored)?.[1] === currentId,
  };
}

function decrypt(sealed: Buffer, key: Uint8Array, row: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(row));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

function idOf(key: Uint8Array): string {
  return createHash("sha256").update("atelier-encryption-key").update(key).digest("hex").slice(0, 8);
}
