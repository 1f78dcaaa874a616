import { callbackData, readNatural } from "../../telegram/callback-data.js";

export interface CorrectionData {
  askedId: number;
  isConfirmed: boolean;
}

/** Encodes `m:<question>:<y or n>`. The row of the question has everything else. */
export const correctionData = callbackData<CorrectionData>({
  prefix: "m",
  encode: ({ askedId, isConfirmed }) => [askedId, isConfirmed ? "y" : "n"],
  decode([id, answer, ...rest]) {
    const askedId = readNatural(id);
    if (askedId === undefined || rest.length > 0 || (answer !== "y" && answer !== "n")) return undefined;
    return { askedId, isConfirmed: answer === "y" };
  },
});
