import { z } from "zod";
import type { GenerationRequest } from "../contract/request.js";
import type { Json } from "./json.js";
import type { Operation } from "./operation.js";
import { operationSchema } from "./operation.js";

/** Texts that stand in an input for addresses that are known when it is sent. */
export interface Marks {
  references: readonly string[];
  callback: string;
}

/** Operation that was sold, stored with its job at the acceptance: a later catalogue does not change it. */
export interface SoldOperation {
  operation: Operation;
  marks: Marks;
}

const stored = z.object({
  operation: operationSchema,
  marks: z.object({ references: z.array(z.string()), callback: z.string() }),
});

/** Replaces references by marks, which stand in no text of the request. */
export function markedRequest(request: GenerationRequest): { request: GenerationRequest; marks: Marks } {
  const text = JSON.stringify(request);
  let no = 0;
  while (text.includes(nameOf(no))) no += 1;
  const markOf = (index: number | "callback") => `https://${nameOf(no)}-${index}.invalid/`;
  const { start_frame_url: start, end_frame_url: end, reference_urls: pictures } = request;
  const frames = [start, end].filter((link) => typeof link === "string").length;
  const count = frames + (Array.isArray(pictures) ? pictures.length : 0);
  const references = Array.from({ length: count }, (_, index) => markOf(index));
  return { request: withLinks(request, references), marks: { references, callback: markOf("callback") } };
}

/** Replaces the links, in the order of the job's references: frames, then pictures. */
export function withLinks(request: GenerationRequest, links: readonly string[]): GenerationRequest {
  const left = [...links];
  const replaced: GenerationRequest = { ...request };
  for (const frame of ["start_frame_url", "end_frame_url"]) {
    const link = typeof request[frame] === "string" ? left.shift() : undefined;
    if (link !== undefined) replaced[frame] = link;
  }
  if (Array.isArray(request.reference_urls)) replaced.reference_urls = left;
  return replaced;
}

export function storedForm(sold: SoldOperation): string {
  return JSON.stringify(sold);
}

/** Returns undefined for what cannot be read. */
export function readStoredForm(text: string): SoldOperation | undefined {
  try {
    return stored.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Puts addresses in the places of the marks. */
export function filledOperation(
  { operation, marks }: SoldOperation,
  { links, callbackUrl }: { links: readonly string[]; callbackUrl: string },
): Operation {
  if (links.length !== marks.references.length) throw new Error("each reference needs one link");
  const addresses = new Map(marks.references.map((mark, index) => [mark, links[index] ?? ""]));
  addresses.set(marks.callback, callbackUrl);
  return { ...operation, input: filled(operation.input, addresses) as Operation["input"] };
}

function filled(value: Json, addresses: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") {
    let text = value;
    for (const [mark, address] of addresses) text = text.replaceAll(mark, () => address);
    return text;
  }
  if (Array.isArray(value)) return value.map((element) => filled(element, addresses));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, addresses)]));
}

function nameOf(no: number): string {
  return `atelier-mark-${no}`;
}
