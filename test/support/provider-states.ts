import type { ProviderState } from "../../src/catalogue/choose-provider.js";
import type { PauseReason } from "../../src/ports/operator-notices.js";

export const UP: ProviderState = { kind: "up" };
export const UNREACHABLE: ProviderState = { kind: "unreachable", since: 0, nextTryAt: 0 };

export function paused(reason: PauseReason): ProviderState {
  return { kind: "paused", reason, since: 0 };
}

export function throttled(isTried = false): ProviderState {
  return { kind: "throttled", since: 0, nextTryAt: 600_000, isTried };
}
