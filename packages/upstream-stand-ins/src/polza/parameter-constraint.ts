import { z } from "zod";

/** What the catalogue tells of one parameter. Values are texts, whatever they are sent as. */
export interface ParameterConstraint {
  required: boolean;
  max_length?: number;
  min?: number;
  max?: number;
  values?: readonly string[];
}

interface Described {
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Described[];
  type?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export function constraintOf(field: z.core.$ZodType): ParameterConstraint {
  const described = z.toJSONSchema(field, { io: "input", unrepresentable: "any" }) as Described;
  const { maxLength, minimum, minItems, maximum, maxItems } = described;
  const values = [...new Set(valuesOf(described).map(String))];
  const [min, max] = [bounded(minimum) ?? minItems, bounded(maximum) ?? maxItems];
  return {
    required: !field._zod.optin,
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(values.length > 0 && { values }),
  };
}

/** Any whole number has bounds in JSON Schema that nobody wrote. */
function bounded(bound: number | undefined): number | undefined {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

function valuesOf({ enum: values, const: value, anyOf = [], type }: Described): readonly unknown[] {
  if (values) return values;
  if (value !== undefined) return [value];
  return type === "boolean" ? ["true", "false"] : anyOf.flatMap(valuesOf);
}
