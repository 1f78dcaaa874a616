import type { ModelParameter, ParameterValue } from "../../contract/model.js";
import type { IsOwnLink } from "./reference-address.js";

/** The value of a parameter in a request, and its definition in the catalogue. */
export interface Field {
  value: unknown;
  /** Definition of the parameter; null when the model lacks it: the value is then ignored. */
  parameter: ModelParameter | null;
}

export type Reader = (field: Field) => ParameterValue | undefined;

export type GroupReader = (
  fieldOf: (name: string) => Field,
  isOwnLink: IsOwnLink,
) => Readonly<Record<string, ParameterValue | undefined>>;
