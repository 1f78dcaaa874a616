import type { Clock } from "../../../platform/clock.js";
import { exchange } from "../../../platform/http-exchange.js";
import type { OutgoingAgent } from "../../../platform/outgoing-agent.js";
import { MINUTE_MS } from "../../../platform/units.js";
import { detailOf, isSuccess } from "../judge-status.js";
import { type FileHosts, isFileAddress } from "../outputs/file-hosts.js";

export interface PutFileOptions extends FileHosts {
  dispatcher: OutgoingAgent;
  clock: Clock;
}

/** Sends a file. The error has no address, which gives access to the file. */
export type FilePut = (
  url: string,
  file: { mime: string; bytes: Buffer },
  signal: AbortSignal,
) => Promise<void>;

const TIMEOUT_MS = 2 * MINUTE_MS;
const ANSWER_BYTES_MAX = 64 * 1024;

/** Sends files to addresses on the service's file hosts, which its answers name. */
export function createFilePut({ dispatcher, clock, ...hosts }: PutFileOptions): FilePut {
  return async (address, { mime, bytes }, signal) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || !isFileAddress(url, hosts)) throw new Error("the upload's address is on a foreign host");
    const answer = await exchange({
      dispatcher,
      clock,
      method: "PUT",
      url,
      headers: { "content-type": mime },
      body: bytes,
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    if (!isSuccess(answer)) throw new Error(`upload refused: ${detailOf(answer)}`);
  };
}
