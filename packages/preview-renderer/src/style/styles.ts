import type { Stage } from "../stage.js";
import type { Style } from "../words.js";
import { paintOil } from "./oil.js";
import { paintOutline } from "./outline.js";
import { paintPixels } from "./pixel.js";
import { paintWatercolour } from "./watercolour.js";

const FILTERS: Readonly<Record<Style, (stage: Stage) => void>> = {
  oil: paintOil,
  watercolour: paintWatercolour,
  pixel: paintPixels,
  outline: paintOutline,
};

/** Paints the finished picture anew in the style that the prompt asks for. */
export function paintStyle(stage: Stage, style: Style): void {
  FILTERS[style](stage);
}
