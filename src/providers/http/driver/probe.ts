import type { PauseReason } from "../../../ports/provider.js";
import type { ProbeOutcome, UpstreamAdapter } from "../adapter.js";
import type { ServiceCalls } from "./service-calls.js";

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
