import { z } from "zod";
import type { Integer } from "../../../platform/integer.js";
import type { DeliveryState } from "./order-state.js";

export interface ResultRef {
  /** Position of the job in the order, from 0. */
  index: number;
  /** Position of the track in its job, from 0; 0 for images and videos. */
  track: number;
}

export function isSameResult(one: ResultRef, other: ResultRef): boolean {
  return one.index === other.index && one.track === other.track;
}

/** The kinds of messages, in sending order. */
export const SENT_AS = ["photo", "video", "audio", "document"] as const;
export type SentAs = (typeof SENT_AS)[number];

export interface SentFile extends ResultRef {
  messageId: number;
  fileId: string;
  as: SentAs;
}

/** Failed uploads of one file while Telegram answered other calls. */
export interface UploadFailures extends ResultRef {
  times: number;
  /** True when its size was not known, and it has passed the limit of an upload. */
  isTooLarge?: boolean | undefined;
}

export interface Delivery {
  orderId: string;
  userId: number;
  chatId: number;
  state: DeliveryState;
  attempts: number;
  nextTryAt: Integer;
  files: readonly SentFile[];
  /** Files sent as documents; sending them again needs no upload. */
  originals: readonly SentFile[];
  uploadFailures: readonly UploadFailures[];
  createdAt: Integer;
}

export const storedFiles = z.array(
  z.object({
    index: z.number().int(),
    // Rows written before audio was supported have no track.
    track: z.number().int().default(0),
    messageId: z.number().int(),
    fileId: z.string(),
    as: z.enum(SENT_AS),
  }),
);

export const storedUploadFailures = z.array(
  z.object({
    index: z.number().int(),
    track: z.number().int(),
    times: z.number().int(),
    isTooLarge: z.boolean().optional(),
  }),
);
