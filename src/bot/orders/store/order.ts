import { z } from "zod";
import type { JobId } from "../../../contract/job.js";
import type { Kopecks } from "../../../contract/money.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Integer } from "../../../platform/integer.js";
import type { User } from "../../../ports/gateway.js";
import type { Draft } from "../../card/draft/draft.js";
import type { NewDraft } from "../../card/draft/draft-store.js";
import type { ChatPlace } from "../../telegram/place.js";
import type { OrderState } from "./order-state.js";

export interface Order extends ChatPlace {
  id: string;
  /** Names the order to its person and to admins; counts from 1. */
  number: number;
  draftId: number;
  userId: number;
  userName: string;
  /** The draft's card, reused as the status message. */
  statusMessageId: number | null;
  modelTitle: string;
  request: GenerationRequest;
  quotedKopecks: Kopecks;
  state: OrderState;
  jobIds: readonly JobId[];
  createdAt: Integer;
}

export function userOf({ userId, userName }: Pick<Order, "userId" | "userName">): User {
  return { id: userId, name: userName };
}

export interface Claim {
  orderId: string;
  draft: Draft;
  userName: string;
  modelTitle: string;
  request: GenerationRequest;
  quotedKopecks: Kopecks;
}

/** A further take of a result: the same request with another seed. */
export interface TakeClaim extends Omit<Claim, "draft"> {
  of: Order;
  /** The number of takes that were ordered before. */
  number: number;
  draft: NewDraft;
}

export interface Refused {
  order: Order;
  /** Undefined when the person has begun another draft in that chat. */
  draft: Draft | undefined;
}

export interface PendingFinalStatus {
  orderId: string;
  /** True when something was made. */
  isDone: boolean;
}

export const storedJobIds = z.array(z.union([z.number().int(), z.string()]));
