import type { GenerationType, Model } from "../../contract/model.js";
import { fieldsOf } from "./fields.js";
import { pictureFields, takesStartFrame } from "./picture-fields.js";

/** Models that take a picture as a reference or, for video where any does, as the start frame. */
export function modelsForPicture(models: readonly Model[], type: GenerationType): readonly Model[] {
  const able = models.filter((one) => one.type === type && pictureFields(fieldsOf(one)).length > 0);
  const framed = able.filter((one) => takesStartFrame(fieldsOf(one)));
  return framed.length > 0 ? framed : able;
}
