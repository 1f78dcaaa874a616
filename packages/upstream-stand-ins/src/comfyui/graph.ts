import { z } from "zod";
import { isRecord, type Json } from "../json.js";
import { images, type Model, type NewFile } from "../model.js";
import { type GraphNode, linkOf, NODES } from "./nodes.js";

/** The nodes of a workflow in the form of the API; undefined where it is not one. */
export function nodesOf(graph: unknown): readonly GraphNode[] | undefined {
  if (!isRecord(graph)) return undefined;
  const nodes: GraphNode[] = [];
  for (const [id, node] of Object.entries(graph)) {
    if (!isRecord(node) || typeof node.class_type !== "string" || !isRecord(node.inputs)) return undefined;
    nodes.push({ id, classType: node.class_type, inputs: node.inputs });
  }
  return nodes;
}

export function isOutput({ classType }: GraphNode): boolean {
  return NODES[classType]?.isOutput === true;
}

/** A node, and all that it is made from. */
export function sourcesOf(nodes: readonly GraphNode[], node: GraphNode): readonly GraphNode[] {
  const found = new Set([node]);
  for (const { inputs } of found) {
    const ids = Object.values(inputs).map(linkOf);
    for (const source of nodes) if (ids.includes(source.id)) found.add(source);
  }
  return [...found];
}

/** Names of uploaded pictures that the workflow loads. */
export function loadedImages(nodes: readonly GraphNode[]): { node: GraphNode; name: string }[] {
  return nodes.flatMap((node) =>
    node.classType === "LoadImage" && typeof node.inputs.image === "string"
      ? [{ node, name: node.inputs.image }]
      : [],
  );
}

/** All texts of a workflow: its prompts are among them. */
export function textsOf(nodes: readonly GraphNode[]): string {
  const names = ["text", "prompt", "value"];
  return nodes
    .flatMap(({ inputs }) => names.map((name) => inputs[name]))
    .filter((value) => typeof value === "string")
    .join(" ");
}

function results(input: Json): readonly NewFile[] {
  const nodes = nodesOf(input.graph) ?? [];
  const latent = nodes.find(
    ({ inputs }) => typeof inputs.width === "number" && typeof inputs.height === "number",
  );
  const [width, height] = [Number(latent?.inputs.width ?? 512), Number(latent?.inputs.height ?? 512)];
  return images(input, { width, height }, "png", latent?.inputs.batch_size);
}

/** Whatever the workflow draws: a picture of the size of its latent image. */
export const WORKFLOW: Model = {
  schema: z.object({
    prompt: z.string(),
    graph: z.record(z.string(), z.unknown()),
    number: z.number(),
    client_id: z.string().optional(),
    outputs: z.array(z.string()),
    node_errors: z.record(z.string(), z.unknown()),
  }),
  results,
  units: () => 0,
  unitPrice: 0,
  unit: "runs",
  references: [],
};
