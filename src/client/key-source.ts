import { ContractError, Unavailable } from "../contract/errors.js";
import { CallFailedError } from "../generation-api/call-failed-error.js";

/** Gives the key of an account, which its owner may replace. */
export interface KeySource {
  /** @throws Unavailable `account` when there is none any more */
  current(): string;
  /** Called for each answer that refuses the key. */
  onRefused(): void;
}

export function fixedKey(key: string): KeySource {
  return { current: () => key, onRefused: () => {} };
}

/** The service checks the key first: such an answer says nothing about the request. It may come without a code. */
export function isKeyRefused(error: unknown): boolean {
  if (error instanceof CallFailedError) return error.status === 401;
  if (!(error instanceof ContractError)) return false;
  return error.code === "invalid_api_key" || error.code === "api_key_required";
}

/** The account is not connected any more, or its key is refused. */
export function isKeyMissing(error: unknown): boolean {
  return error instanceof Unavailable && error.reason === "account";
}
