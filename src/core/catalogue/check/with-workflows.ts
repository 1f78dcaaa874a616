import type { Model } from "../../../contract/model.js";
import { interfaceProblem } from "../../../routes/interfaces.js";
import type { Route } from "../../../routes/route.js";
import { WORKFLOW_API } from "../../../routes/workflow.js";
import type { ReadWorkflow } from "../workflow-files.js";
import { workflowProblems } from "./workflow-problems.js";

type Routes = Readonly<Record<string, readonly Route[]>>;

/** The routes of a model with the workflows that they name, and what is wrong with these, field first. */
export function withWorkflows(
  model: Model,
  routes: Routes,
  readWorkflow: ReadWorkflow,
): { routes: Routes; problems: string[] } {
  const problems: string[] = [];
  const read = (route: Route, service: string, field: string): Route => {
    if (route.api !== WORKFLOW_API || interfaceProblem(service, route) !== undefined) return route;
    const found = readWorkflow(route.endpoint);
    const wrong =
      "problem" in found ? [`endpoint: ${found.problem}`] : workflowProblems(model, route, found.workflow);
    problems.push(...wrong.map((problem) => `${field}.${problem}`));
    return "problem" in found ? route : { ...route, workflow: found.workflow };
  };
  const all = Object.entries(routes).map(([service, list]): [string, readonly Route[]] => [
    service,
    list.map((route, index) => read(route, service, `routes.${service}.${index}`)),
  ]);
  return { routes: Object.fromEntries(all), problems };
}
