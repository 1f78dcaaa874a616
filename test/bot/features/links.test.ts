import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { FetchError, type GuardedFetch } from "../../../src/platform/guarded-fetch.js";
import { openBotHarness } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";

const PAGE = "https://example.com/news.html";
const PHOTO = "https://example.com/cat.png";

/** The bot in front of what the links lead to. */
function openWith(answers: Readonly<Record<string, Buffer | Error>>) {
  const timeouts: number[] = [];
  const guardedFetch: GuardedFetch = async (link, { timeoutMs }, read) => {
    timeouts.push(timeoutMs);
    const answer = answers[link] ?? new FetchError("name");
    if (answer instanceof Error) throw answer;
    return read(Readable.from([answer]));
  };
  return { ...openBotHarness({ guardedFetch }), timeouts };
}

/** The first bytes of a PNG of this size. */
function pngHead(width: number, height: number): Buffer {
  const head = Buffer.alloc(64);
  head.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 0, "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

/** The first bytes of a JPEG of 90 × 160, with a profile of 120 KB before its size. */
function profiledHead(): Buffer {
  const segment = Buffer.alloc(60_004);
  segment.writeUInt32BE(0xff_e2_00_00 + 60_002);
  const frame = Buffer.from("ffc0000b0800a0005a01011100", "hex");
  return Buffer.concat([Buffer.from("ffd8", "hex"), segment, segment, frame]);
}

const page = Buffer.from("<!doctype html><title>News</title>");
const wrong = t("link-not-picture", { link: PAGE });

test.each([
  ["a page", page],
  ["nothing", new FetchError("status", { status: 404 })],
])("a link to %s is told, and opens no card", async (_what, answer) => {
  const { say, said, card } = openWith({ [PAGE]: answer });
  await say(PAGE);
  expect(said()).toEqual([wrong]);
  expect(card()).toBeUndefined();
});

test("a link to a page leaves the open card as it is", async () => {
  const { say, said, card } = openWith({ [PAGE]: page, [PHOTO]: pngHead(160, 90) });
  await say("a fox in the snow");
  const before = card();
  for (const text of [PAGE, `${PHOTO} ${PAGE}`]) {
    await say(text);
    expect(said().at(-1)).toBe(wrong);
    expect(card()).toEqual(before);
  }
});

test("a command with a link to a page says so, and begins without it", async () => {
  const { say, said, card } = openWith({ [PAGE]: page });
  await say(`/video ${PAGE}`);
  expect(said()[0]).toBe(wrong);
  expect(card()).toMatchObject({ type: "video", text: null });
  expect(card().parameters).not.toHaveProperty("start_frame_url");
});

test.each([
  ["http://example.com/cat.png", "insecure"],
  ["https://example.com:port/cat.png", "malformed"],
])("%s is refused wherever it is sent, with the reason, and takes no place", async (link, why) => {
  const { say, press, said, card, labels } = openWith({ [PHOTO]: pngHead(90, 160) });
  const words = t(`link-${why}`);
  for (const text of [link, `/image ${link}`, `${PHOTO} ${link}`]) {
    await say(text);
    expect(
      said().some((one) => String(one).includes(words)),
      text,
    ).toBe(true);
  }
  await press("⚙️");
  await press("Photos");
  await say(link);
  expect(card().view.kind).toBe("parameter");
  await say(PHOTO);
  expect(card().parameters.reference_urls).toEqual([PHOTO]);
  expect(labels()).toContain("Photos: 1/14");
});

test.each([
  ["picture", pngHead(90, 160)],
  ["photo whose size stands behind a long profile", profiledHead()],
])("a link to a %s is named on the card, and decides the format", async (_what, head) => {
  const { say, said, card } = openWith({ [PHOTO]: head });
  await say(`/video ${PHOTO}`);
  expect(said().at(-1)).toContain(t("links-added", { count: 1, link: PHOTO }));
  expect(card().parameters).toMatchObject({ start_frame_url: PHOTO, aspect_ratio: "9:16" });
});

test.each(["deadline", "slow", "network", "name", "address"] as const)(
  "a link that is not known in time is taken as it is (%s)",
  async (reason) => {
    const { say, card, timeouts } = openWith({ [PHOTO]: new FetchError(reason) });
    await say(PHOTO);
    expect(card().parameters.reference_urls).toEqual([PHOTO]);
    expect(Math.max(...timeouts)).toBeLessThanOrEqual(5000);
  },
);

test("of many links only the first few are looked at", async () => {
  const links = Array.from({ length: 20 }, (_, n) => `https://example.com/${n}.png`);
  const { say, timeouts } = openWith({});
  await say(links.join(" "));
  expect(timeouts.length).toBeLessThanOrEqual(8);
});
