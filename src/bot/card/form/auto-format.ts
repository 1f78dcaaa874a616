import type { Model, ParameterValue } from "../../../contract/model.js";
import type { Draft } from "../draft-store.js";
import {
  defaultOf,
  type FormField,
  fieldNamed,
  isActive,
  isSetting,
  type ModelFields,
  type Parameters,
} from "./fields.js";
import { picturesIn } from "./picture-fields.js";

const FORMAT = "aspect_ratio";
const AUTO = "auto";

/** True for a format that pictures brought: the person chose none on this card. */
export function isBroughtFormat(
  name: string,
  value: ParameterValue,
  { parameters, chosen }: Pick<Draft, "parameters" | "chosen">,
  fields: ModelFields | undefined,
): boolean {
  if (name !== FORMAT || chosen.includes(FORMAT)) return false;
  return value === AUTO || (fields !== undefined && usesPictures(fields, parameters));
}

/**
 * Starts the aspect ratio of a card with a picture as `auto` or, where that is not offered, as the nearest one to the
 * shape of the picture, until the person chooses one.
 * @param shape width divided by height
 */
export function withAutoFormat(
  fields: ModelFields,
  parameters: Parameters,
  chosen: Draft["chosen"],
  shape?: number,
): Parameters {
  const format = fieldNamed(fields, FORMAT);
  if (!format || chosen.includes(FORMAT) || !usesPictures(fields, parameters)) return parameters;
  const brought = isSetting(format, AUTO) ? AUTO : nearestRatio(format, shape);
  return brought === undefined ? parameters : { ...parameters, [FORMAT]: brought };
}

/** Gives a draft without pictures the model's own format again, unless the person chose one. */
export function withoutAutoFormat(
  model: Model,
  fields: ModelFields,
  before: Pick<Draft, "parameters" | "chosen">,
  after: Parameters,
): Parameters {
  const { [FORMAT]: format, ...others } = after;
  if (format === undefined || !isBroughtFormat(FORMAT, format, before, fields) || usesPictures(fields, after))
    return after;
  const usual = defaultOf(model, FORMAT);
  return usual === undefined ? others : { ...others, [FORMAT]: usual };
}

/** Divides width by height of a ratio such as "16:9". Undefined for other values. */
export function shapeOfRatio(ratio: ParameterValue | undefined): number | undefined {
  const [, width, height] = /^(\d{1,4}):(\d{1,4})$/.exec(String(ratio)) ?? [];
  const shape = Number(width) / Number(height);
  return Number.isFinite(shape) && shape > 0 ? shape : undefined;
}

function nearestRatio(format: FormField, shape: number | undefined): string | undefined {
  if (shape === undefined) return undefined;
  const ratios = format.choices.flatMap((choice) => {
    const offered = shapeOfRatio(choice);
    return offered === undefined
      ? []
      : [{ ratio: String(choice), distance: Math.abs(Math.log(offered / shape)) }];
  });
  return ratios.toSorted((one, other) => one.distance - other.distance)[0]?.ratio;
}

function usesPictures(fields: ModelFields, parameters: Parameters): boolean {
  return fields.pictures.some(
    (field) => picturesIn(parameters, field.name).length > 0 && isActive(field, fields, parameters),
  );
}
