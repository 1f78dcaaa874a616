import type { ModelParameter, ParameterValue } from "../../contract/model.js";
import type { IsOwnLink } from "./reference-address.js";

/** What a request says of one parameter, beside what the catalogue says of it. */
export interface Field {
  /** undefined when absent */
  value: unknown;
  /** null when the model lacks it: then the value is ignored */
  parameter: ModelParameter | null;
}

/** Reads one parameter on its own; undefined leaves it out of the request. */
export type Reader = (field: Field) => ParameterValue | undefined;

/** Reads parameters that depend on each other, by name. */
export type GroupReader = (
  fieldOf: (name: string) => Field,
  isOwnLink: IsOwnLink,
) => Readonly<Record<string, ParameterValue | undefined>>;
