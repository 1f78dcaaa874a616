import { randomUUID } from "node:crypto";
import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import type { UpstreamState } from "../state.js";
import { type GraphNode, loadedImages, nodesOf, outputNodeOf, textsOf, WORKFLOW } from "./graph.js";

/*
 * Source: comfyanonymous/ComfyUI, server.py (post_prompt) and execution.py (validate_prompt). The client may choose the
 * id; the same id twice is two runs.
 */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function invalid(type: string, message: string, nodeErrors: object = {}): Answer {
  return json(400, { error: { type, message, details: "", extra_info: {} }, node_errors: nodeErrors });
}

export function promptRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "submit",
    read: (call) => read(state, call),
    accepted: (task) => json(200, { prompt_id: task.id, number: state.ledger.length, node_errors: {} }),
    withoutId: json(200, { number: 1, node_errors: {} }),
  };
}

function read(state: UpstreamState, { json: body }: Call): Submission | Answer {
  if (body?.prompt === undefined) return invalid("no_prompt", "No prompt provided");
  const { prompt_id: id = randomUUID() } = body;
  if (typeof id !== "string" || !UUID.test(id))
    return invalid("invalid_prompt_id", "prompt_id must be a valid UUID");
  const nodes = nodesOf(body.prompt);
  if (!nodes)
    return invalid("invalid_prompt", "Cannot execute because a node is missing the class_type property.");
  if (!outputNodeOf(nodes)) return invalid("prompt_no_outputs", "Prompt has no outputs");
  const missing = loadedImages(nodes).find(({ name }) => !hasUpload(state, name));
  if (missing) return invalidImage(missing.node, missing.name);
  return {
    api: "prompt",
    endpoint: "workflow",
    input: { prompt: textsOf(nodes), graph: body.prompt },
    body,
    model: WORKFLOW,
    judgement: { problems: [], unknown: [] },
    id,
  };
}

function hasUpload(state: UpstreamState, name: string): boolean {
  return [...state.uploads.values()].some(
    (upload) => upload.service === "comfyui" && upload.fileName === name,
  );
}

function invalidImage({ id, classType }: GraphNode, name: string): Answer {
  const details = `image - Invalid image file: ${name}`;
  const error = {
    type: "custom_validation_failed",
    message: "Custom validation failed for node",
    details,
    extra_info: {},
  };
  const nodeErrors = { [id]: { errors: [error], dependent_outputs: [], class_type: classType } };
  return invalid("prompt_outputs_failed_validation", "Prompt outputs failed validation", nodeErrors);
}
