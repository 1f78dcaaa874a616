import type { ModelParameter, ParameterValue } from "../../contract/model.js";
import type { IsOwnLink } from "./reference-address.js";

/** The value of a parameter in a request, and its definition in the catalogue. */
export interface Field {
  /** undefined when absent */
  value: unknown;
  /** null when the model lacks the parameter; the value is then ignored */
  parameter: ModelParameter | null;
}

export type Reader = (field: Field) => ParameterValue | undefined;

export type GroupReader = (
  fieldOf: (name: string) => Field,
  isOwnLink: IsOwnLink,
) => Readonly<Record<string, ParameterValue | undefined>>;
