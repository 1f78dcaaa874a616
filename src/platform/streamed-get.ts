import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

export interface StreamedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Must be read to its end or destroyed. Fails when the connection ends early or the request is aborted. */
  body: Readable;
}

/**
 * Sends the request and resolves with its status line.
 * @param signal ends the request or its body; of this request alone
 */
export function streamedGet(request: ClientRequest, signal: AbortSignal): Promise<StreamedAnswer> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const end = (error: Error) => {
      // Destroying the request instead would end a buffered body without an error.
      (response ?? request).destroy(error);
      reject(error);
    };
    // Also after the answer: a reset of a body without a length would otherwise be its regular end.
    request.on("error", end);
    request.once("close", () => reject(new Error("closed without an answer")));
    request.once("response", (given) => {
      response = given;
      resolve({ status: given.statusCode ?? 0, headers: given.headers, body: given });
    });
    const abort = () => end(new Error("aborted", { cause: signal.reason }));
    // A listener that is added to an aborted signal is never called.
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    request.end();
  });
}
