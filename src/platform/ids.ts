import { randomBytes, randomInt } from "node:crypto";

/** The one source of randomness, injected so that tests can repeat a run. */
export interface Ids {
  /** A new order id: 96 random bits, 16 characters of `A-Za-z0-9_-`. */
  order(): string;
  /** A new name for a stored file: 128 random bits in hex. */
  file(): string;
  /** A secret that nobody guesses: 256 random bits, 43 characters of `A-Za-z0-9_-`. */
  secret(): string;
  /** A seed for a generation: an integer from 0 to 2³¹ − 1. */
  seed(): number;
}

export const systemIds: Ids = {
  order: () => randomBytes(12).toString("base64url"),
  file: () => randomBytes(16).toString("hex"),
  secret: () => randomBytes(32).toString("base64url"),
  seed: () => randomInt(0, 2 ** 31),
};
