import { z } from "zod";

const problem = z.looseObject({ message: z.string().catch(""), details: z.string().catch("") });
const refusal = z.looseObject({
  error: z.union([z.string(), problem.extend({ type: z.string().catch("") })]),
  node_errors: z
    .record(
      z.string(),
      z.looseObject({ class_type: z.string().catch(""), errors: z.array(problem).catch([]) }),
    )
    .catch({}),
});

/** Why ComfyUI does not run a workflow, node by node. Undefined for an answer of something else. */
export function refusalWords(document: unknown): string | undefined {
  const parsed = refusal.safeParse(document).data;
  if (!parsed) return undefined;
  const { error, node_errors: nodes } = parsed;
  const byNode = Object.entries(nodes).map(([id, { class_type: type, errors }]) => {
    const words = errors.map(({ message, details }) => `${message}: ${details}`).join(", ");
    return `node ${id} (${type}): ${words}`;
  });
  const [first] = byNode;
  if (typeof error === "string") return error;
  return first === undefined ? `${error.type} ${error.message} ${error.details}`.trim() : byNode.join("; ");
}
