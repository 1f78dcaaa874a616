import { hash, randomBytes, randomInt, randomUUID, timingSafeEqual } from "node:crypto";

/** The one source of randomness; tests inject a repeatable one. */
export interface Ids {
  /** 96 random bits, 16 characters of `A-Za-z0-9_-`. */
  order(): string;
  /** 128 random bits in hex. */
  file(): string;
  /** 64 random bits in hex, short enough to be typed. */
  adminCode(): string;
  request(): string;
  /** 256 random bits, 43 characters of `A-Za-z0-9_-`. */
  secret(): string;
  /** An integer from 0 to 2³¹ − 1. */
  seed(): number;
}

export const systemIds: Ids = {
  order: () => randomBytes(12).toString("base64url"),
  file: () => randomBytes(16).toString("hex"),
  adminCode: () => randomBytes(8).toString("hex"),
  request: () => randomUUID(),
  secret: () => randomBytes(32).toString("base64url"),
  seed: () => randomInt(0, 2 ** 31),
};

/** Compares in constant time, and tells nothing of the length, which an operator may have chosen. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"));
}
