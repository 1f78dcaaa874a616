import type { Sandbox } from "../src/index.js";

/** An answer of the Bot API as it came over the wire. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  ok: boolean;
  result: T;
  error_code?: number;
  description?: string;
  parameters?: { retry_after?: number };
}

/** Calls a method with a JSON body, or with a form or multipart body as given. */
export async function call<T = Record<string, unknown>>(
  sandbox: Sandbox,
  method: string,
  params: object = {},
  token = sandbox.token,
): Promise<Answer<T>> {
  const isBody = params instanceof FormData || params instanceof URLSearchParams;
  const response = await fetch(`${sandbox.url}/bot${token}/${method}`, {
    method: "POST",
    body: isBody ? params : JSON.stringify(params),
    ...(isBody ? {} : { headers: { "content-type": "application/json" } }),
  });
  const body = (await response.json()) as Omit<Answer<T>, "status" | "headers">;
  return { ...body, status: response.status, headers: response.headers };
}

/** A multipart body: buffers are files, everything else is text or JSON. */
export function multipart(fields: Record<string, unknown>, names: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (Buffer.isBuffer(value)) {
      const extension = value.toString("latin1", 1, 4) === "PNG" ? "png" : "bin";
      form.append(name, new Blob([new Uint8Array(value)]), names[name] ?? `${name}.${extension}`);
    } else form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return form;
}
