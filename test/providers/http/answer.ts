import type { Operation } from "../../../src/catalogue/operation.js";
import type { HttpAnswer } from "../../../src/platform/http-exchange.js";

/** An answer with a JSON body, or with a text as it is. */
export function answer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, text, headers: new Map(Object.entries(headers)), fault: undefined };
}

export const HTML = "<html><head><title>502 Bad Gateway</title></head></html>";

export function operation(change: Partial<Operation> = {}): Operation {
  return {
    endpoint: "fal-ai/nano-banana-2/edit",
    input: { prompt: "a cat", seed: 7, image_urls: ["https://files.example/1.png"] },
    output: { kind: "image", files: "/images/*/url", encoding: "url" },
    poll: { first_ms: 3000, every_ms: [2000, 5000], deadline_sec: 300 },
    ...change,
  };
}
