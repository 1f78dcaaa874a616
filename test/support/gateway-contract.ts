import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ContractError, UncertainOutcome } from "../../src/contract/errors.js";
import { JOB_STATUSES, type JobId } from "../../src/contract/job.js";
import { asKopecks, type Kopecks, kopecksOf, totalKopecks } from "../../src/contract/price.js";
import type { Accepted, GenerationRequest } from "../../src/contract/request.js";
import type { Gateway, ResultFile } from "../../src/ports/gateway.js";
import { bigPng } from "./big-png.js";
import type { GatewaySubject, GatewayTraits, OpenGatewaySubject } from "./gateway-subject.js";

const IMAGE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" } as const;
const MUSIC = {
  type: "music",
  model_key: "music:suno-v5",
  description: "a slow song about the sea",
} as const;
const ANN = 1;
const BOB = 2;
const RICH = 1000_00;

/** The price as a front-end finds it. */
async function priceOf(gateway: Gateway, request: GenerationRequest): Promise<Kopecks> {
  const model = (await gateway.models()).find(({ model_key }) => model_key === request.model_key);
  const price = model && totalKopecks(model, request);
  if (price === undefined) throw new Error(`no price for ${request.model_key}`);
  return price;
}

const balanceOf = async (gateway: Gateway) => kopecksOf((await gateway.balance()).amount);
const notFound = { name: ContractError.name, code: "job_not_found" };

/** Registers the tests that every implementation of `Gateway` passes. */
export function testGatewayContract(
  name: string,
  { isElsewhere }: GatewayTraits,
  open: OpenGatewaySubject,
): void {
  async function buy(gateway: Gateway, id: string, request: GenerationRequest = IMAGE): Promise<Accepted> {
    return gateway.submit(request, { id, quotedKopecks: await priceOf(gateway, request) });
  }

  describe(`the contract of Gateway: ${name}`, () => {
    let subject: GatewaySubject;
    let ann: Gateway;
    beforeEach(async () => {
      subject = await open({ refundsFailedJobs: true });
      ann = await subject.open(ANN, RICH);
    });
    afterEach(() => subject.close());

    /** A finished job of Ann's. */
    async function finished(request: GenerationRequest = IMAGE): Promise<JobId> {
      const { job_id } = await buy(ann, "one", request);
      await subject.finish(ann, job_id);
      return job_id;
    }

    const resultsOf = async (id: JobId) => ann.results(await ann.job(id));
    const contentOf = async (file: ResultFile) => buffer((await file.open()).stream);

    test("the balance is the account's own, in rubles", async () => {
      const bob = await subject.open(BOB, 12_50);
      expect(await ann.balance()).toEqual({ currency: "RUB", amount: RICH / 100 });
      expect(await bob.balance()).toEqual({ currency: "RUB", amount: 12.5 });
    });

    test("the models have one of each type, each with a key, a title and a price", async () => {
      const models = await ann.models();
      expect(new Set(models.map(({ type }) => type))).toEqual(new Set(["image", "video", "music"]));
      const lacking = models.filter(({ model_key, title, price_rub }) => !model_key || !title || !price_rub);
      expect(lacking).toEqual([]);
    });

    describe("submit", () => {
      test("charges the quoted price and creates a queued job", async () => {
        const price = await priceOf(ann, IMAGE);
        const accepted = await buy(ann, "one");
        expect(accepted).toMatchObject({ status: "queued", cost_rub: price / 100 });
        expect(accepted.job_ids).toEqual([accepted.job_id]);
        expect(await balanceOf(ann)).toBe(RICH - price);
        const { status, type, cost_rub } = await ann.job(accepted.job_id);
        expect({ type, cost_rub }).toEqual({ type: "image", cost_rub: price / 100 });
        expect(["queued", "generating"]).toContain(status);
      });

      test("creates a job for each image of `count`, and charges for all", async () => {
        const unit = await priceOf(ann, IMAGE);
        const { job_id, job_ids, cost_rub, unit_cost_rub } = await buy(ann, "one", { ...IMAGE, count: 3 });
        expect(unit_cost_rub).toBe(unit / 100);
        expect([new Set(job_ids).size, job_ids[0], cost_rub]).toEqual([3, job_id, (3 * unit) / 100]);
        expect(await balanceOf(ann)).toBe(RICH - 3 * unit);
      });

      test("of an accepted order returns it, or knows of no outcome elsewhere, and charges nothing", async () => {
        const first = await buy(ann, "one", { ...IMAGE, count: 2 });
        const left = await balanceOf(ann);
        const again = [
          buy(ann, "one", { ...IMAGE, count: 2 }),
          ann.submit(IMAGE, { id: "one", quotedKopecks: asKopecks(1) }),
        ];
        for (const outcome of await Promise.all(again.map((one) => one.catch((error: unknown) => error))))
          if (!(isElsewhere && outcome instanceof UncertainOutcome)) expect(outcome).toEqual(first);
        expect(await balanceOf(ann)).toBe(left);
      });

      test("never shares an order between accounts", async () => {
        const bob = await subject.open(BOB, RICH);
        const [first, second] = [await buy(ann, "one"), await buy(bob, "one")];
        expect(second.job_id).not.toBe(first.job_id);
      });

      test.each([-1, 1])(
        "of another price (%i kopeck) names the real one and charges nothing",
        async (off) => {
          const price = await priceOf(ann, IMAGE);
          await expect(
            ann.submit(IMAGE, { id: "one", quotedKopecks: asKopecks(price + off) }),
          ).rejects.toMatchObject({
            name: "PriceChanged",
            actualKopecks: price,
          });
          expect(await balanceOf(ann)).toBe(RICH);
        },
      );

      test("beyond the balance says what there is and what it costs", async () => {
        const price = await priceOf(ann, IMAGE);
        const bob = await subject.open(BOB, price - 1);
        await expect(buy(bob, "one")).rejects.toMatchObject({
          name: ContractError.name,
          code: "insufficient_funds",
          detail: { balance: (price - 1) / 100, cost_rub: price / 100 },
        });
        expect(await balanceOf(bob)).toBe(price - 1);
      });

      test.each<[string, GenerationRequest]>([
        ["prompt_too_long", { ...IMAGE, prompt: "a".repeat(100_000) }],
        ["model_disabled", { ...IMAGE, model_key: "seedream-4" }],
        [isElsewhere ? "model_disabled" : "bad_model", { ...IMAGE, model_key: "nobody" }],
      ])("refuses with %s and charges nothing", async (code, request) => {
        const quotedKopecks = await priceOf(ann, request).catch(() => asKopecks(1000));
        const refused = ann.submit(request, { id: "one", quotedKopecks });
        await expect(refused).rejects.toMatchObject({ name: ContractError.name, code });
        expect(await balanceOf(ann)).toBe(RICH);
      });

      test("may follow a refusal under the same order id", async () => {
        await expect(ann.submit(IMAGE, { id: "one", quotedKopecks: asKopecks(1) })).rejects.toThrow(
          "price changed",
        );
        expect((await buy(ann, "one")).status).toBe("queued");
      });

      test("whose answer is lost is charged once", async (context) => {
        if (!subject.loseAnswer) return context.skip();
        const price = await priceOf(ann, IMAGE);
        subject.loseAnswer();
        const first = await buy(ann, "one");
        expect(first.status).toBe("queued");
        expect(await buy(ann, "one")).toEqual(first);
        expect(await balanceOf(ann)).toBe(RICH - price);
      });
    });

    describe("a job", () => {
      test("goes from queued to done, and then has its result", async () => {
        const { job_id } = await buy(ann, "one");
        const before = await ann.job(job_id);
        expect(JOB_STATUSES.slice(0, 2)).toContain(before.status);
        expect(before).toMatchObject({ job_id, result: null, error: null });
        await subject.finish(ann, job_id);
        const result = { url: expect.stringContaining("http"), mime: "image/webp" };
        const done = await ann.job(job_id);
        expect(done).toMatchObject({ job_id, status: "done", result, error: null });
        expect(done.refund).toBeUndefined();
      });

      test("of music has a link and a cover for each track", async () => {
        const { result } = await ann.job(await finished(MUSIC));
        const links = { url: expect.stringContaining("http"), image_url: expect.stringContaining("http") };
        expect(result?.tracks?.length).toBeGreaterThan(0);
        for (const [at, track] of (result?.tracks ?? []).entries())
          expect(track).toMatchObject({ index: at + 1, title: expect.stringMatching(/./), ...links });
      });

      test.each([999_999, "music_999999"])("%s that nobody ordered is not found", async (id) => {
        await expect(ann.job(id)).rejects.toMatchObject(notFound);
      });

      test("of another account is not found", async () => {
        const id = await finished();
        const bob = await subject.open(BOB);
        await expect(bob.job(id)).rejects.toMatchObject(notFound);
      });
    });

    describe("a failed job", () => {
      test.each([true, false])("says what became of its cost (refunds: %s)", async (refundsFailedJobs) => {
        await subject.close();
        subject = await open({ refundsFailedJobs });
        ann = await subject.open(ANN, RICH);
        const { job_id, cost_rub } = await buy(ann, "one");
        await subject.fail(ann, job_id);
        const refund = refundsFailedJobs ? "made" : "kept";
        const error = expect.stringMatching(/./);
        const failed = { status: "error", result: null, error };
        expect(await ann.job(job_id)).toMatchObject({ ...failed, refund });
        expect(await balanceOf(ann)).toBe(RICH - (refundsFailedJobs ? 0 : kopecksOf(cost_rub)));
        expect(await resultsOf(job_id)).toEqual([]);
      });
    });

    describe("results", () => {
      test("are empty until the job is done", async () => {
        const { job_id } = await buy(ann, "one");
        expect(await resultsOf(job_id)).toEqual([]);
      });

      test("of an image are one file, which opens more than once with the stated size", async () => {
        const [file, ...others] = await resultsOf(await finished());
        if (!file) throw new Error("no file");
        expect(others).toEqual([]);
        expect(file).toMatchObject({ kind: "result", index: 0, mime: "image/webp" });
        expect(file.fileName).not.toBe("");
        const [first, second] = [await contentOf(file), await contentOf(file)];
        expect(first.length).toBeGreaterThan(0);
        expect(first.equals(second)).toBe(true);
        expect(file.size ?? first.length).toBe(first.length);
      });

      test("of music are its tracks in order, each with a cover", async () => {
        const files = await resultsOf(await finished(MUSIC));
        const tracks = files.filter(({ kind }) => kind === "result");
        const covers = files.filter(({ kind }) => kind === "cover");
        const indexes = Array.from({ length: tracks.length }, (_, index) => index);
        expect(tracks.length).toBeGreaterThan(0);
        expect(tracks.map(({ index }) => index)).toEqual(indexes);
        expect(covers.map(({ index }) => index)).toEqual(indexes);
        expect(tracks.filter(({ mime }) => mime !== "audio/mpeg")).toEqual([]);
        expect(covers.filter(({ mime }) => !mime.startsWith("image/"))).toEqual([]);
        for (const file of files) expect((await contentOf(file)).length).toBeGreaterThan(0);
      });

      test("whose files are gone end in job_not_found when they are opened", async () => {
        const id = await finished();
        const [file] = await resultsOf(id);
        await subject.loseFiles(id);
        await expect(file?.open()).rejects.toMatchObject(notFound);
      });
    });

    test("a published reference is accepted in a request", async () => {
      const png = bigPng({ width: 512, height: 512 });
      const link = await ann.publishReference(Readable.from([png]));
      expect(link).toMatch(/^https?:/);
      const request = { ...IMAGE, reference_urls: [link] };
      expect((await buy(ann, "one", request)).status).toBe("queued");
    });

    describe("refundLost", () => {
      test("pays a lost job back once for each order", async () => {
        const { job_id, cost_rub } = await buy(ann, "one");
        await subject.finish(ann, job_id);
        await subject.loseFiles(job_id);
        const expected = isElsewhere ? 0 : kopecksOf(cost_rub);
        const paid = [await ann.refundLost("one", [job_id]), await ann.refundLost("one", [job_id])];
        expect(paid).toEqual([expected, expected]);
        expect(await balanceOf(ann)).toBe(RICH - kopecksOf(cost_rub) + expected);
        const { status, result } = await ann.job(job_id);
        expect(status).toBe("done");
        if (!isElsewhere) expect(result?.url).toBeNull();
      });

      test("pays for nothing that failed, and for no order of another account", async () => {
        const { job_id } = await buy(ann, "one");
        const id = await buy(ann, "two").then(({ job_id: other }) => other);
        await subject.finish(ann, job_id);
        await subject.fail(ann, id);
        const bob = await subject.open(BOB);
        expect(await bob.refundLost("one", [job_id])).toBe(0);
        expect(await ann.refundLost("two", [job_id, id])).toBe(0);
      });
    });
  });
}
