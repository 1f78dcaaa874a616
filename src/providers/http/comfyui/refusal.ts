import { z } from "zod";

const problem = z.looseObject({ message: z.string().catch(""), details: z.string().catch("") });
const nodeErrors = z
  .record(z.string(), z.looseObject({ class_type: z.string().catch(""), errors: z.array(problem).catch([]) }))
  .catch({});
const refusal = z.looseObject({
  error: z.union([z.string(), problem.extend({ type: z.string().catch("") })]),
  node_errors: nodeErrors,
});
const acceptance = z.looseObject({ node_errors: nodeErrors });

/** Tells why ComfyUI does not run a workflow, node by node. Undefined for an answer of something else. */
export function refusalWords(document: unknown): string | undefined {
  const parsed = refusal.safeParse(document).data;
  if (!parsed) return undefined;
  const { error, node_errors: nodes } = parsed;
  if (typeof error === "string") return error;
  return wordsOf(nodes) ?? `${error.type} ${error.message} ${error.details}`.trim();
}

/** Tells what an acceptance says of nodes that are left out. Undefined where it says nothing. */
export function nodeErrorWords(document: unknown): string | undefined {
  const parsed = acceptance.safeParse(document).data;
  return parsed && wordsOf(parsed.node_errors);
}

function wordsOf(nodes: z.infer<typeof nodeErrors>): string | undefined {
  const byNode = Object.entries(nodes).map(([id, { class_type: type, errors }]) => {
    const words = errors.map(({ message, details }) => `${message}: ${details}`).join(", ");
    return `node ${id} (${type}): ${words}`;
  });
  return byNode.length === 0 ? undefined : byNode.join("; ");
}
