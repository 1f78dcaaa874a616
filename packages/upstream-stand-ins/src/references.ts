import type { Json } from "./call.js";
import { type Model, referencesOf } from "./model.js";
import type { UpstreamState } from "./state.js";

const LOCAL_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);
const DEADLINE_MS = 5000;

/**
 * Reads the pictures that an input names, as the service would. Addresses of other machines are taken as readable:
 * the stand-in has no network.
 * @returns the field of the first one that is no picture
 */
export async function unreadableReference(
  state: UpstreamState,
  model: Model,
  input: Json,
): Promise<string | undefined> {
  for (const { field, url } of referencesOf(model, input)) {
    if (!(await isPicture(state, url))) return field;
  }
  return undefined;
}

async function isPicture(state: UpstreamState, url: string): Promise<boolean> {
  if (url.startsWith("data:")) return url.startsWith("data:image/");
  if (!URL.canParse(url)) return false;
  const { hostname, pathname } = new URL(url);
  if (!LOCAL_HOSTS.has(hostname)) return true;
  const upload = /^\/uploads\/(\w+)/.exec(pathname)?.[1];
  if (upload !== undefined)
    return looksLikePicture(Buffer.from(state.uploads.get(upload)?.base64 ?? "", "base64"));
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    return response.ok && looksLikePicture(Buffer.from(await response.arrayBuffer()));
  } catch {
    return false;
  }
}

/** PNG, JPEG, WebP or GIF by the first bytes. */
export function looksLikePicture(bytes: Buffer): boolean {
  const head = bytes.toString("latin1", 0, 12);
  return (
    head.startsWith("\x89PNG") ||
    head.startsWith("\xff\xd8\xff") ||
    head.startsWith("GIF8") ||
    (head.startsWith("RIFF") && head.endsWith("WEBP"))
  );
}
