import type { PauseReason } from "../../../ports/provider.js";
import type { UpstreamAdapter } from "../adapter.js";
import type { ServiceCalls } from "./service-calls.js";
import type { ProbeOutcome } from "./service-pause.js";

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
