import type { Model } from "../../../contract/model.js";
import { interfaceProblem } from "../../../mapping/interfaces.js";
import type { Mapping } from "../../../mapping/mapping.js";
import { WORKFLOW_API } from "../../../mapping/workflow.js";
import type { ReadWorkflow } from "../workflow-files.js";
import { workflowProblems } from "./workflow-problems.js";

type Mappings = Readonly<Record<string, readonly Mapping[]>>;

/** Reads the workflows that the mappings of a model name, and tells what is wrong with these, field first. */
export function withWorkflows(
  model: Model,
  mappings: Mappings,
  readWorkflow: ReadWorkflow,
): { mappings: Mappings; problems: string[] } {
  const problems: string[] = [];
  const read = (mapping: Mapping, service: string, field: string): Mapping => {
    if (mapping.api !== WORKFLOW_API || interfaceProblem(service, mapping) !== undefined) return mapping;
    const found = readWorkflow(mapping.endpoint);
    const wrong =
      "problem" in found ? [`endpoint: ${found.problem}`] : workflowProblems(model, mapping, found.workflow);
    problems.push(...wrong.map((problem) => `${field}.${problem}`));
    return "problem" in found ? mapping : { ...mapping, workflow: found.workflow };
  };
  const all = Object.entries(mappings).map(([service, list]): [string, readonly Mapping[]] => [
    service,
    list.map((mapping, index) => read(mapping, service, `mappings.${service}.${index}`)),
  ]);
  return { mappings: Object.fromEntries(all), problems };
}
