import type { PauseReason } from "../../../ports/provider.js";
import type { ProbeOutcome, UpstreamAdapter } from "../adapter.js";
import type { ServiceCalls } from "./service-calls.js";

/**
 * Tells why the account is kept from tasks, by a call without words of anybody; undefined where that is not refused, so
 * that what was refused before was one request. Never rejects.
 */
export async function accountReason(
  adapter: Pick<UpstreamAdapter, "probe" | "readProbe">,
  calls: Pick<ServiceCalls, "ask">,
  suspected: PauseReason,
): Promise<PauseReason | undefined> {
  const outcome = await probe(adapter, calls, suspected);
  return outcome.kind === "paused" ? outcome.reason : undefined;
}

/** Asks, for free, whether the service takes tasks again. Never rejects. */
export async function probe(
  adapter: Pick<UpstreamAdapter, "probe" | "readProbe">,
  calls: Pick<ServiceCalls, "ask">,
  reason: PauseReason,
): Promise<ProbeOutcome> {
  const call = adapter.probe?.();
  if (!call || !adapter.readProbe) return { kind: "glitch" };
  try {
    const answer = await calls.ask(call);
    return answer.fault ? { kind: "glitch" } : adapter.readProbe(answer, reason);
  } catch {
    return { kind: "glitch" };
  }
}
