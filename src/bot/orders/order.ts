import { z } from "zod";
import type { JobId } from "../../contract/job.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Kopecks } from "../../platform/money.js";
import type { Place } from "../create/draft.js";

/**
 * `claimed` confirmed, perhaps sent; `accepted` jobs are running; `delivering` all jobs have ended;
 * `closed` its files were sent or its person was told why not; `refused` nothing was charged;
 * `uncertain` nobody knows whether it was charged.
 */
export const ORDER_STATES = ["claimed", "accepted", "delivering", "closed", "refused", "uncertain"] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** One paid submission that a person confirmed. */
export interface Order extends Place {
  id: string;
  draftId: number;
  userId: number;
  userName: string;
  /** The card that became the status message. */
  statusMessageId: number | null;
  modelTitle: string;
  request: GenerationRequest;
  quotedKopecks: Kopecks;
  state: OrderState;
  /** Empty until the order is accepted. */
  jobIds: readonly JobId[];
  createdAt: number;
}

export const storedJobIds = z.array(z.union([z.number().int(), z.string()]));

export const storedRequest = z
  .object({
    type: z.enum(["image", "video", "music"]),
    model_key: z.string(),
    prompt: z.string().optional(),
  })
  .catchall(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));
