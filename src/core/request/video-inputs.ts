import { ContractError } from "../../contract/errors.js";
import { readChoice } from "./choice.js";
import type { Field, GroupReader } from "./field.js";
import { judgeReference } from "./reference-address.js";
import { readLink, readLinks } from "./references.js";

interface Links {
  start: string | undefined;
  end: string | undefined;
  references: readonly string[];
}

/**
 * Reads the images of a video and the mode that uses them. The first two references fill missing frames
 * (section 9), except in mode `references`. Images that the mode does not use are dropped unchecked.
 * @throws ContractError `reference_required` | the codes of `judgeReference`
 */
export const readVideoInputs: GroupReader = (fieldOf, isOwnLink) => {
  const modeField = fieldOf("video_input_mode");
  const asked = readChoice(modeField);
  if (asked === "text") return { video_input_mode: asked };

  const given: Links = {
    start: readLink(fieldOf("start_frame_url")),
    end: readLink(fieldOf("end_frame_url")),
    references: readLinks(fieldOf("reference_urls")),
  };
  const startField = fieldOf("start_frame_url");
  const links = asked === "references" ? given : withFrames(given, startField, fieldOf("end_frame_url"));
  const mode = asked ?? modeOf(links, modeField);

  const lacksStart = (mode === "frames" || startField.parameter?.required) && links.start === undefined;
  if (lacksStart || (mode === "references" && links.references.length === 0)) {
    throw new ContractError("reference_required");
  }
  if (mode === "text") return { video_input_mode: mode };
  const judged = (link: string | undefined) =>
    link === undefined ? undefined : judgeReference(link, isOwnLink);
  return {
    video_input_mode: mode,
    start_frame_url: judged(links.start),
    end_frame_url: judged(links.end),
    reference_urls:
      mode === "references" ? links.references.map((link) => judgeReference(link, isOwnLink)) : undefined,
  };
};

function withFrames({ start, end, references }: Links, startField: Field, endField: Field): Links {
  const [first, second] = references;
  const takesFirst = startField.parameter !== null && start === undefined && first !== undefined;
  const takesSecond = endField.parameter !== null && end === undefined && second !== undefined;
  return {
    start: takesFirst ? first : start,
    end: takesSecond ? second : end,
    references: references.filter(
      (_, index) => !(index === 0 && takesFirst) && !(index === 1 && takesSecond),
    ),
  };
}

/** Prefers references, then frames, then text, among the model's modes. */
function modeOf({ start, end, references }: Links, { parameter }: Field): string | undefined {
  const modes = parameter?.values?.map(String) ?? [];
  if (references.length > 0 && modes.includes("references")) return "references";
  if ((start !== undefined || end !== undefined) && modes.includes("frames")) return "frames";
  return modes.includes("text") ? "text" : modes[0];
}
