import type { Model, ParameterValue } from "../../../contract/model.js";
import type { Composed } from "../draft-store.js";
import {
  defaultOf,
  fieldNamed,
  fieldsOf,
  isActive,
  isSetting,
  type ModelFields,
  type Parameters,
} from "./fields.js";
import { picturesIn, START_FRAME, takesStartFrame } from "./picture-fields.js";

const FORMAT = "aspect_ratio";
const AUTO = "auto";

/** True for a format that pictures brought: the person chose none on this card. */
export function isBroughtFormat(
  name: string,
  value: ParameterValue,
  { parameters, chosen }: Composed,
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
  chosen: Composed["chosen"],
  shape?: number,
): Parameters {
  const format = fieldNamed(fields, FORMAT);
  if (!format || chosen.includes(FORMAT) || !usesPictures(fields, parameters)) return parameters;
  const brought = isSetting(format, AUTO) ? AUTO : nearestOf(format.choices, shape);
  return brought === undefined ? parameters : { ...parameters, [FORMAT]: brought };
}

/** Gives a draft without pictures the model's own format again, unless the person chose one. */
export function withoutAutoFormat(model: Model, before: Composed, after: Parameters): Parameters {
  const fields = fieldsOf(model);
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

/** Shapes that differ by less than this, as a logarithm, show the same. */
const SAME_SHAPE = 0.1;
const WIDE_RATIOS = ["1:1", "5:4", "4:3", "3:2", "16:9", "2:1", "21:9"];
const NAMED_RATIOS = WIDE_RATIOS.flatMap((ratio) => [ratio, ratio.split(":").toReversed().join(":")]);

/**
 * Names the ratio of a start frame whose edges a video of this format leaves out. Undefined where it leaves out nothing, or
 * nobody knows.
 */
export function croppedRatio(fields: ModelFields, values: Parameters, shape?: number): string | undefined {
  const format = shapeOfRatio(values[FORMAT]);
  if (shape === undefined || format === undefined || values[START_FRAME] === undefined) return undefined;
  if (!takesStartFrame(fields) || isSameShape(format, shape)) return undefined;
  const others = NAMED_RATIOS.filter((ratio) => ratio !== values[FORMAT]);
  return nearestOf(others, shape);
}

/** Tells whether a model makes videos of this shape, width divided by height. */
export function makesShape(fields: ModelFields, shape: number): boolean {
  const choices = fieldNamed(fields, FORMAT)?.choices ?? [];
  return choices.some((choice) => choice === AUTO || isSameShape(shapeOfRatio(String(choice)) ?? 0, shape));
}

function isSameShape(one: number, other: number): boolean {
  return Math.abs(Math.log(one / other)) < SAME_SHAPE;
}

function nearestOf(choices: readonly ParameterValue[], shape: number | undefined): string | undefined {
  if (shape === undefined) return undefined;
  const distanceOf = (ratio: string) => Math.abs(Math.log((shapeOfRatio(ratio) ?? 0) / shape));
  const ratios = choices.map(String).filter((choice) => shapeOfRatio(choice) !== undefined);
  return ratios.toSorted((one, other) => distanceOf(one) - distanceOf(other))[0];
}

function usesPictures(fields: ModelFields, parameters: Parameters): boolean {
  return fields.pictures.some(
    (field) => picturesIn(parameters[field.name]).length > 0 && isActive(field, fields, parameters),
  );
}
