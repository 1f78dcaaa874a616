import { ContractError, Unavailable } from "../contract/errors.js";
import { CallFailedError } from "../generation-api/call-failed-error.js";

/** Gives the key of an account, which its owner may replace. */
export interface KeySource {
  /** Throws Unavailable `account` when there is none any more. */
  current(): string;
  onRefused(): void;
}

export function fixedKey(key: string): KeySource {
  return { current: () => key, onRefused: () => {} };
}

/** Recognises a refused key, which says nothing about the request. The answer may come without a code. */
export function isKeyRefused(error: unknown): boolean {
  if (error instanceof CallFailedError) return error.status === 401;
  if (!(error instanceof ContractError)) return false;
  return error.code === "invalid_api_key" || error.code === "api_key_required";
}

/** Tells whether the account is no longer connected, or its key is refused. */
export function isKeyMissing(error: unknown): boolean {
  return error instanceof Unavailable && error.reason === "account";
}
