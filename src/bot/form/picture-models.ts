import type { GenerationType, Model } from "../../contract/model.js";
import { fieldsOf } from "./fields.js";
import { pictureFields, takesStartFrame } from "./picture-fields.js";

/** The models that take a picture: as a reference, or for a video as its start frame where any model does. */
export function modelsForPicture(models: readonly Model[], type: GenerationType): readonly Model[] {
  const able = models.filter((one) => one.type === type && pictureFields(fieldsOf(one)).length > 0);
  const framed = able.filter((one) => takesStartFrame(fieldsOf(one)));
  return framed.length > 0 ? framed : able;
}
