import { fileURLToPath } from "node:url";

/**
 * The program of a child process (`fork` with `serialization: "advanced"`) that takes a `RenderTask` as a message,
 * answers with a `RenderReply`, and waits for the next. Elsewhere than on Linux it also sends
 * `{ kind: "memory", bytes }` now and then.
 */
export const WORKER_FILE = fileURLToPath(new URL("../dist/worker.js", import.meta.url));

export type { ParameterValue, RenderedFile, RenderReply, RenderRequest, RenderTask } from "./task.js";
