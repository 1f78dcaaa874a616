import { type NodeKinds, readNodeKinds } from "../core/core.js";
import { systemClock } from "../platform/clock.js";
import { ExchangeError, exchange } from "../platform/http-exchange.js";
import { openAgent } from "../platform/outgoing-agent.js";
import type { ProxySettings } from "../platform/proxy-settings.js";
import { reasonOf } from "../platform/reason-of.js";
import { MEGABYTE, SECOND_MS } from "../platform/units.js";
import { CommandError } from "./command-error.js";

export interface ComfyuiPlace {
  root: URL;
  proxy: ProxySettings;
}

const TIMEOUT_MS = 20 * SECOND_MS;
const BYTES_MAX = 64 * MEGABYTE;

/** Reads the nodes that a ComfyUI has, with the model files that it finds. Throws CommandError where it tells none. */
export async function askComfyui({ root, proxy }: ComfyuiPlace): Promise<NodeKinds> {
  const dispatcher = openAgent({ proxy });
  try {
    const { status, text, fault } = await exchange({
      dispatcher,
      clock: systemClock,
      method: "GET",
      url: new URL("/object_info", root),
      headers: {},
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: BYTES_MAX,
    });
    if (fault) throw fault;
    const kinds = status === 200 ? readNodeKinds(text) : undefined;
    if (!kinds)
      throw new CommandError(`${root.origin}/object_info answers ${status}, and not as ComfyUI does`);
    return kinds;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const told = error instanceof ExchangeError ? error.cause : error;
    throw new CommandError(`ComfyUI cannot be asked at ${root.origin}: ${reasonOf(told)}`);
  } finally {
    await dispatcher.destroy();
  }
}
