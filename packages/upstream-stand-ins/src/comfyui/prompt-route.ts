import { randomUUID } from "node:crypto";
import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import type { Json } from "../json.js";
import type { UpstreamState } from "../state.js";
import { phaseOf } from "../task.js";
import { isOutput, loadedImages, nodesOf, sourcesOf, textsOf, WORKFLOW } from "./graph.js";
import { errorsOf, type GraphNode, NODES, type NodeError } from "./nodes.js";

/*
 * Source: comfyanonymous/ComfyUI, server.py (post_prompt) and execution.py (validate_prompt). The client may choose the
 * id; the same id twice is two runs. An output that is wrong is left out while another one is right.
 */

const BODY_FIELDS: ReadonlySet<string> = new Set([
  "prompt",
  "prompt_id",
  "client_id",
  "extra_data",
  "number",
  "front",
  "partial_execution_targets",
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function invalid(type: string, message: string, nodeErrors: object = {}, details = ""): Answer {
  return json(400, { error: { type, message, details, extra_info: {} }, node_errors: nodeErrors });
}

export function promptRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "submit",
    read: (call) => read(state, call),
    accepted: (task) =>
      json(200, { prompt_id: task.id, number: task.input.number, node_errors: task.input.node_errors }),
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
  const stranger = nodes.find(({ classType }) => NODES[classType] === undefined);
  if (stranger)
    return invalid(
      "missing_node_type",
      `Node '${stranger.classType}' not found.`,
      {},
      `Node ID '#${stranger.id}'`,
    );
  const outputs = nodes.filter(isOutput).map((node) => judged(state, nodes, node));
  if (outputs.length === 0) return invalid("prompt_no_outputs", "Prompt has no outputs");
  const nodeErrors = nodeErrorsOf(outputs);
  const right = outputs.filter(({ wrong }) => wrong.length === 0);
  if (right.length === 0) return invalidNodes(outputs, nodeErrors);
  return {
    api: "prompt",
    endpoint: "workflow",
    input: {
      prompt: textsOf(nodes),
      graph: body.prompt,
      number: state.ledger.length,
      outputs: right.map(({ output }) => output.id),
      node_errors: nodeErrors,
      ...(typeof body.client_id === "string" && { client_id: body.client_id }),
    },
    body,
    model: WORKFLOW,
    judgement: { problems: [], unknown: Object.keys(body).filter((name) => !BODY_FIELDS.has(name)) },
    id,
    busyMs: busyMs(state),
  };
}

/** One prompt runs at a time. */
function busyMs(state: UpstreamState): number {
  const now = state.time.now();
  const ends = [...state.tasks.values()]
    .filter((task) => task.service === "comfyui" && !task.isForgotten)
    .filter((task) => ["queued", "running"].includes(phaseOf(task, now).kind))
    .map((task) => task.acceptedAt + task.queueMs + task.runMs - now);
  return Math.max(0, ...ends);
}

function hasUpload(state: UpstreamState, name: string): boolean {
  return [...state.uploads.values()].some(
    (upload) => upload.service === "comfyui" && upload.fileName === name,
  );
}

function imageErrors(state: UpstreamState, node: GraphNode): NodeError[] {
  return loadedImages([node])
    .filter(({ name }) => !hasUpload(state, name))
    .map(({ name }) => ({
      type: "custom_validation_failed",
      message: "Custom validation failed for node",
      details: `image - Invalid image file: ${name}`,
      extra_info: { input_name: "image" },
    }));
}

interface JudgedOutput {
  output: GraphNode;
  wrong: readonly { node: GraphNode; errors: readonly NodeError[] }[];
}

/** What it says of an output, and of all that it is made from. Other nodes are not looked at. */
function judged(state: UpstreamState, nodes: readonly GraphNode[], output: GraphNode): JudgedOutput {
  const wrong = sourcesOf(nodes, output).flatMap((node) => {
    const errors = [...errorsOf(nodes, node), ...imageErrors(state, node)];
    return errors.length > 0 ? [{ node, errors }] : [];
  });
  return { output, wrong };
}

function nodeErrorsOf(outputs: readonly JudgedOutput[]): Json {
  const wrong = outputs.flatMap((output) => output.wrong);
  const dependents = (id: string) =>
    outputs.filter((one) => one.wrong.some(({ node }) => node.id === id)).map(({ output }) => output.id);
  return Object.fromEntries(
    wrong.map(({ node, errors }) => [
      node.id,
      { errors, dependent_outputs: dependents(node.id), class_type: node.classType },
    ]),
  );
}

function invalidNodes(outputs: readonly JudgedOutput[], nodeErrors: Json): Answer {
  const details = outputs
    .flatMap(({ wrong }) => wrong.flatMap(({ errors }) => errors))
    .map((error) => `${error.message}: ${error.details}`)
    .join("\n");
  return invalid("prompt_outputs_failed_validation", "Prompt outputs failed validation", nodeErrors, details);
}
