import { failureReply, type Reply } from "../../workers/reply.js";
import { render } from "./render.js";
import { taskOf } from "./task-message.js";

/** Renders the task of a message. Never rejects. */
export function renderReply(message: unknown): Promise<Reply> {
  return Promise.resolve(message)
    .then(taskOf)
    .then(render)
    .then((files): Reply => ({ kind: "done", files }))
    .catch(failureReply);
}
