import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reasonOf } from "../platform/errors.js";
import { type Workflow, workflowSchema } from "./mapping.js";

/** Finds a workflow by the name of its file, or tells what is wrong with it. */
export type ReadWorkflow = (name: string) => { workflow: Workflow } | { problem: string };

const FOLDER = "workflows";
/** Folder of the workflows that the project ships. */
const SHIPPED = join("data", FOLDER);
const FILE_NAME = /^[\w-][\w.-]*\.json$/;

/** Reads workflows beside catalogue files, the last file's first, else those of the project. */
export function workflowsBeside(catalogueFiles: readonly string[]): ReadWorkflow {
  const beside = catalogueFiles.map((file) => join(dirname(file), FOLDER));
  const folders = [...beside.reverse(), SHIPPED];
  return (name) => {
    if (!FILE_NAME.test(name)) return { problem: "must be the name of a JSON file in workflows" };
    const file = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    return file === undefined ? { problem: `there is no ${folders[0]}/${name}` } : readWorkflow(file);
  };
}

function readWorkflow(file: string): ReturnType<ReadWorkflow> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return { problem: `${file} cannot be read: ${reasonOf(error)}` };
  }
  const parsed = workflowSchema.safeParse(json);
  if (parsed.success) return { workflow: parsed.data };
  const [node = ""] = parsed.error.issues[0]?.path ?? [];
  return {
    problem: `${file} is no workflow in the API format of ComfyUI${node === "" ? "" : `: see ${String(node)}`}`,
  };
}
