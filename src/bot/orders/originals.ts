import { type Api, InputFile } from "grammy";
import type { Gateway } from "../../contract/gateway.js";
import type { Job } from "../../contract/job.js";
import { inTopicOrGroup } from "../telegram/topic.js";
import { uploadOf } from "../telegram/upload.js";
import type { Language } from "../texts.js";
import type { Deliveries, Delivery, SentFile } from "./deliveries.js";
import { jobIdOf, sentFile } from "./file-sender.js";
import { isUnsent, lookAtPart } from "./look-at-part.js";
import type { Order } from "./order.js";
import { isSamePart, type Part, partsOf, type Unsent } from "./outgoing.js";
import { unsentLine } from "./summary.js";

interface OriginalsParts {
  /** With retries: somebody waits for the answer to a tap. */
  api: Api;
  deliveries: Deliveries;
  gateway: Gateway;
  language: Language;
  supportContact: string | undefined;
  /** Called when the last of them has arrived. */
  onArrived: () => void;
}

/**
 * Sends each file of an order as a document in the format it was made in. One that was sent so before costs
 * nothing; of one that cannot be sent the person is told why, and gets a fresh link where there is one.
 * @param order with the chat that it is sent into
 */
export async function sendOriginals(parts: OriginalsParts, order: Order, delivery: Delivery): Promise<void> {
  const { api, deliveries, gateway } = parts;
  const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
  const unsent: Unsent[] = [];
  let originals: readonly SentFile[] = delivery.originals;
  const wanted = partsOf(jobs);
  for (const part of wanted) {
    const known = documentOf([...originals, ...delivery.files], part);
    const document = known?.fileId ?? (await originalOf(gateway, order, jobs, part));
    if (typeof document !== "string" && !(document instanceof InputFile)) {
      unsent.push(document);
      continue;
    }
    const message = await inTopicOrGroup(order.threadId, (place) =>
      api.sendDocument(order.chatId, document, { ...place, disable_content_type_detection: true }),
    );
    if (part === wanted.at(-1)) parts.onArrived();
    if (known) continue;
    originals = [...originals, sentFile(message, part)];
    await deliveries.saveOriginals(order.id, originals);
  }
  if (unsent.length > 0) await tellUnsent(parts, order, unsent);
}

function documentOf(files: readonly SentFile[], part: Part): SentFile | undefined {
  return files.find((file) => file.as === "document" && file.fileId !== "" && isSamePart(file, part));
}

async function originalOf(
  gateway: Gateway,
  order: Order,
  jobs: readonly Job[],
  part: Part,
): Promise<InputFile | Unsent> {
  const piece = await lookAtPart(gateway, order, jobs, part);
  if (isUnsent(piece)) return piece;
  const open = async () => (await gateway.openResult(jobIdOf(order, part), part.track)).stream;
  return uploadOf(open, piece.fileName);
}

async function tellUnsent(
  { api, language, supportContact }: OriginalsParts,
  order: Order,
  unsent: readonly Unsent[],
): Promise<void> {
  const lines = unsent.map((part) =>
    part.reason === "gone"
      ? language.t("originals-gone")
      : unsentLine(part, { order, language, supportContact }),
  );
  const text = [...new Set(lines)].join("\n");
  await inTopicOrGroup(order.threadId, (place) =>
    api.sendMessage(order.chatId, text, {
      ...place,
      parse_mode: "HTML",
      // A preview would fetch the file behind the link.
      link_preview_options: { is_disabled: true },
    }),
  );
}
