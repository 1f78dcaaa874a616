import { BoundedMap } from "../../../platform/bounded-map.js";
import type { Parameters } from "../form/fields.js";
import { allPictures } from "../form/picture-fields.js";

/** The number of shapes kept: a picture whose shape is lost gets the model's own format. */
const REMEMBERED = 2000;

interface Size {
  width: number;
  height: number;
}

/** Remembers width divided by height of the pictures that arrived, in memory. */
export class PictureShapes {
  readonly #shapes = new BoundedMap<string, number>(REMEMBERED);

  /** Notes the shape of a picture, given in the format of a draft. */
  note(picture: string, size: Size | number | undefined): void {
    const shape = typeof size === "object" ? size.width / size.height : size;
    if (shape !== undefined && Number.isFinite(shape) && shape > 0) this.#shapes.set(picture, shape);
  }

  of(picture: string | undefined): number | undefined {
    return picture === undefined ? undefined : this.#shapes.get(picture);
  }

  ofFirst(parameters: Parameters): number | undefined {
    return this.of(allPictures(parameters)[0]);
  }
}
