import { render } from "./render.js";
import { RenderError, type RenderFailure } from "./render-error.js";
import { type RenderedFile, taskOf } from "./task.js";

/** What the worker sends back for a task. */
export type RenderReply =
  | { kind: "done"; files: readonly RenderedFile[] }
  | { kind: "failed"; failure: RenderFailure; message: string };

/** Renders the task of a message. Never rejects. */
export function renderReply(message: unknown): Promise<RenderReply> {
  return Promise.resolve(message)
    .then(taskOf)
    .then(render)
    .then((files): RenderReply => ({ kind: "done", files }))
    .catch(failureReply);
}

function failureReply(error: unknown): RenderReply {
  const failure = error instanceof RenderError ? error.failure : "provider";
  return { kind: "failed", failure, message: error instanceof Error ? error.message : String(error) };
}
