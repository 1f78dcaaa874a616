import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mapping } from "../../catalogue/mapping.js";
import { reasonOf } from "../../platform/errors.js";
import type { UpstreamAdapter } from "../../providers/adapter.js";
import type { Checked } from "./check.js";
import { makeRecording } from "./make-recording.js";
import type { Recording } from "./recording.js";
import { createScrubber } from "./scrub.js";

export const RECORDINGS = "test/recordings";

export interface WriteOptions {
  adapter: UpstreamAdapter;
  checked: Checked;
  /** The name of the file, without its ending. */
  name: string;
  tracks: number;
  mapping: Mapping;
  key: string;
  /** The root where the calls went, in place of the service's own hosts. */
  root: URL | undefined;
  out?: string;
  /** True when the root is the service itself. */
  live?: boolean;
}

/** Tells what was written, or why not. What a stand-in answered never goes among the live ones. */
export async function writeRecording(options: WriteOptions): Promise<string> {
  const { adapter, checked, name, root, live, out } = options;
  const isLive = !root || live === true;
  if (checked.reads.length === 0) return "No recording: nothing was answered";
  if (!isLive && out === undefined)
    return `No recording: ${root.origin} may be a stand-in; --live says that it is not, --out names a folder`;
  try {
    const path = join(out ?? RECORDINGS, adapter.name, `${name.replace(/[^\w.-]+/g, "-")}.json`);
    const recording = recordingOf(options, isLive);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(recording, null, 2)}\n`);
    return `Recording: ${path}. Look through it before you give it away`;
  } catch (error) {
    return `No recording: ${reasonOf(error)}`;
  }
}

function recordingOf({ adapter, checked, tracks, mapping, key }: WriteOptions, live: boolean): Recording {
  const { request, attempt, seed, submittedAt, reads, files } = checked;
  const facts = { live, recorded_at: new Date(submittedAt).toISOString(), attempt, seed, tracks };
  const sent = request as Recording["request"];
  return makeRecording({ adapter, mapping, facts, request: sent, reads, files }, createScrubber([key]));
}
