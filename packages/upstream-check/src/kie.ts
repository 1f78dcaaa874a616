import { z } from "zod";
import { detailOf, isSuccess, numeric, readJson } from "../../../src/providers/judge-status.js";
import { note } from "./findings.js";
import type { Ask, PublishedPrice, Publisher } from "./published.js";

/*
 * The list behind https://kie.ai/pricing, as programs read it: a POST without a key, by pages of at most 100. A price
 * has a description such as "gpt image 2, image-to-image, 4k", and often an address that names the model's id.
 */

const PAGE = "https://api.kie.ai/client/v1/model-pricing/page";
const PAGE_SIZE = 100;
const PAGES_MAX = 30;

const text = z.string().catch("");
const record = z.looseObject({
  modelDescription: z.string(),
  creditPrice: numeric,
  creditUnit: text,
  provider: text,
  anchor: text,
});
const page = z.looseObject({
  code: z.literal(200),
  data: z.looseObject({ records: z.array(z.unknown()), pages: z.number().nullish().catch(undefined) }),
});

/** The prices of kie.ai in credits. */
export const kiePrices: Publisher = {
  hosts: ["api.kie.ai"],
  page: "the list of https://kie.ai/pricing",
  notCompared: "kie describes no fields without a key: they are not compared",
  async read(ask, endpoints) {
    const byName = await pricesByName(ask);
    return new Map(
      endpoints.map((id) => {
        const prices = byName.get(nameOf(id));
        return [id, prices ? { pricesOf: () => prices } : note("no price in the list names this model")];
      }),
    );
  },
};

async function pricesByName(ask: Ask): Promise<ReadonlyMap<string, readonly PublishedPrice[]>> {
  const byName = new Map<string, PublishedPrice[]>();
  for (let number = 1; number <= PAGES_MAX; number += 1) {
    const answer = await ask(PAGE, { pageNum: number, pageSize: PAGE_SIZE });
    const { success, data } = page.safeParse(isSuccess(answer) ? readJson(answer) : undefined);
    if (!success) throw new Error(`page ${number} is no list of prices: ${detailOf(answer)}`);
    const { records, pages } = data.data;
    if (number === 1 && records.length === 0) throw new Error("the list is empty");
    for (const given of records) {
      const { success: isPrice, data: read } = record.safeParse(given);
      // Prices of other models, by tokens and by characters.
      if (!isPrice || /token|character/i.test(read.creditUnit)) continue;
      const per = /second/i.test(read.creditUnit) ? "second" : "task";
      const price = { amount: read.creditPrice, currency: "kie_credit", per } as const;
      for (const name of namesOf(read)) byName.set(name, [...(byName.get(name) ?? []), price]);
    }
    if (typeof pages === "number" ? number >= pages : records.length < PAGE_SIZE) return byName;
  }
  throw new Error(`the list has more than ${PAGES_MAX} pages`);
}

/** Lists the ids under which the price may be looked for: by its address, and by the beginning of its description. */
function namesOf({ modelDescription, provider, anchor }: z.infer<typeof record>): ReadonlySet<string> {
  const [model = "", use = ""] = modelDescription.split(",");
  const maker = `${nameOf(provider)}-`;
  const told = [nameOf(model), nameOf(`${model} ${use}`)].flatMap((name) =>
    name.startsWith(maker) ? [name, name.slice(maker.length)] : [name],
  );
  const address = URL.parse(anchor);
  const addressed = address ? nameOf(address.searchParams.get("model") ?? address.pathname) : "";
  return new Set([...told, addressed].filter((name) => name !== ""));
}

/** Normalises an id: `seedream/5-lite` and "Seedream 5 lite" are one name. */
function nameOf(id: string): string {
  return id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
