import type { TelegramMessage } from "@gramio/types";
import { describe, expect, test } from "vitest";
import { type Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { openFaultyBot } from "../support/faulty-bot.js";

const LENS = "lens:focal-length, in millimetres";
/** Names that the bot has never heard of, at least one of each type. */
const PARAMETERS = {
  grain_level: { type: "integer", required: false, min: 1, max: 5, default: 2 },
  grid_size: { type: "integer", required: false, min: 0, max: 9000 },
  passes: { type: "integer", required: false, values: [10, 20, 40], default: 10 },
  glow: { type: "number", required: false, min: 0, max: 1 },
  tilt: { type: "number", required: true },
  film_look: { type: "string", required: false, values: ["none", "noir"], default: "none" },
  [LENS]: { type: "string", required: true, values: ["35", "50"] },
  caption_text: { type: "string", required: false, max: 40 },
  wild_mode: { type: "boolean", required: false, default: false },
  calm_mode: { type: "boolean", required: false, default: true },
  tags: { type: "array<string>", required: false, max: 3 },
  mask_url: { type: "string", required: false },
  physics: { type: "hologram" },
};
const TEXTS = { image: "prompt", video: "prompt", music: "description" } as const;

async function openBot(type: keyof typeof TEXTS) {
  const bot = await openFaultyBot();
  const text = { [TEXTS[type]]: { type: "string", required: true } };
  const fox = { type, model_key: "fox-9", title: "Fox Nine", price_rub: 12.5, defaults: { grain_level: 2 } };
  bot.world.models = [
    { ...fox, parameters: { ...text, ...PARAMETERS } },
    { ...fox, type: "hologram", model_key: "h", parameters: text },
  ];
  return bot;
}

const hasControls = (message: TelegramMessage) => labelsOf(message).some((label) => /^.+: .+$/.test(label));

/** Opens the control of a parameter, on whichever page of the card it is. */
async function open(ann: Chatter, name: string): Promise<void> {
  const isShown = (label: string) => label.startsWith(`${name}: `);
  const page = await ann.see(hasControls);
  if (!labelsOf(page).some(isShown)) await ann.press(labelsOf(page).includes("⚙️ More") ? "⚙️ More" : "‹ Back");
  await ann.press(new RegExp(`^${name}: `));
}

/** Taps a value, or types it. */
async function set(ann: Chatter, name: string, value: { tap: string } | { type: string }): Promise<void> {
  await open(ann, name);
  const screen = await ann.see((message) => message.text?.split("\n")[1] === name);
  if ("tap" in value) await ann.press(new RegExp(`^(• )?${value.tap}$`));
  else ann.say(value.type);
  await ann.see((message) => message.message_id >= screen.message_id && hasControls(message));
}

describe.each(["image", "video", "music"] as const)("a model of another catalogue (%s)", (type) => {
  test("has a control for each parameter of a known type, and gets exactly what was set", async () => {
    const { service, ann } = await openBot(type);
    ann.say(`/${type} a red fox`);
    // Without what is required there is nothing to pay.
    const bare = await ann.see(/Choose with the buttons below: tilt/);
    expect(labelsOf(bare).filter((label) => label.startsWith("✅"))).toEqual([]);
    await ann.press("⚙️ More");
    const page = await ann.seeButton("‹ Back", "More settings");
    const [all, name] = [[...labelsOf(bare), ...labelsOf(page)].join("\n"), /^(.*): .*$/gm];
    const shown = [...all.matchAll(name)].map(([, one = ""]) => one).sort();
    const known = Object.keys(PARAMETERS).filter((one) => one !== "physics");
    expect(shown).toEqual(known.map((one) => one.replaceAll("_", " ")).sort());

    await set(ann, "grain level", { tap: "5" });
    await set(ann, "grid size", { type: "4321" });
    await set(ann, "passes", { tap: "40" });
    await set(ann, "glow", { type: "0.37" });
    await set(ann, "tilt", { type: "-2.5" });
    await set(ann, "film look", { tap: "noir" });
    await set(ann, LENS, { tap: "50" });
    await set(ann, "caption text", { type: "<b>Fox</b> & “friends”" });
    await open(ann, "wild mode");
    await ann.seeButton("wild mode: yes");
    await open(ann, "calm mode");
    await ann.seeButton("calm mode: no");
    await set(ann, "tags", { type: "https://a.example/1.png https://a.example/2.png" });
    await set(ann, "mask url", { type: "https://a.example/mask.png" });
    await ann.press(/^✅ .*12\.50/);
    const post = await eventually("the order has arrived", () => service.posts[0]);
    expect(post.headers.authorization).toBe("Bearer foreign-key");
    expect(post.body).toEqual({
      type,
      model_key: "fox-9",
      [TEXTS[type]]: "a red fox",
      grain_level: 5,
      grid_size: 4321,
      passes: 40,
      glow: 0.37,
      tilt: -2.5,
      film_look: "noir",
      [LENS]: "50",
      caption_text: "<b>Fox</b> & “friends”",
      wild_mode: true,
      calm_mode: false,
      tags: ["https://a.example/1.png", "https://a.example/2.png"],
      mask_url: "https://a.example/mask.png",
    });
    await ann.see(/charged 10/);
  });
});
