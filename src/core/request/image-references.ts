import { ContractError } from "../../contract/errors.js";
import type { GroupReader } from "./field.js";
import { judgeReference } from "./reference-address.js";
import { readLinks } from "./references.js";

/** Reads references. Throws ContractError `reference_required`, or a code of `judgeReference`. */
export const readImageReferences: GroupReader = (fieldOf, isOwnLink) => {
  const field = fieldOf("reference_urls");
  const links = readLinks(field);
  if (links.length === 0) {
    if (field.parameter?.required) throw new ContractError("reference_required");
    return {};
  }
  return { reference_urls: links.map((link) => judgeReference(link, isOwnLink)) };
};
