import { json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import type { Json } from "../json.js";
import { type InputKind, NODES, type NodeKind } from "./nodes.js";

/* Source: comfyanonymous/ComfyUI, server.py (node_info). */

export function objectInfoRoute(): DialectRoute {
  return {
    kind: "plain",
    answer: () =>
      json(200, Object.fromEntries(Object.entries(NODES).map(([name, kind]) => [name, infoOf(name, kind)]))),
  };
}

function infoOf(name: string, { inputs, isOutput }: NodeKind): Json {
  const required = Object.fromEntries(
    Object.entries(inputs).map(([input, kind]) => [input, declarationOf(name, kind)]),
  );
  return {
    input: { required },
    input_order: { required: Object.keys(inputs) },
    name,
    display_name: name,
    output_node: isOutput === true,
  };
}

/** Its kind, and what bounds it. The kinds of links are not told apart here. */
function declarationOf(node: string, kind: InputKind): unknown[] {
  if (kind === "link") return ["*", {}];
  if (kind === "number") return ["FLOAT", {}];
  // Names of files in its folder of inputs, to which uploads are added.
  if (kind === "text")
    return node === "LoadImage" ? [["example.png"], { image_upload: true }] : ["STRING", {}];
  return "min" in kind ? ["INT", kind] : [kind, {}];
}
