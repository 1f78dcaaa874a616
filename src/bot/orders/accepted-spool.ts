import { z } from "zod";
import { asKopecks } from "../../contract/price.js";
import { Spool } from "../../platform/spool.js";
import { storedJobIds } from "./order.js";

const spooledAcceptance = z.object({
  order_id: z.string(),
  job_ids: storedJobIds.min(1).readonly(),
  charged_kopecks: z.int().min(0).transform(asKopecks).optional(),
});
export type SpooledAcceptance = Readonly<z.infer<typeof spooledAcceptance>>;

export class AcceptedSpool extends Spool<SpooledAcceptance> {
  constructor(file: string) {
    super(file, { noun: "accepted order", schema: spooledAcceptance, keyOf: ({ order_id }) => order_id });
  }
}
