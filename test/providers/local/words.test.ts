import { describe, expect, test } from "vitest";
import { type Scene, sceneOf } from "../../../src/providers/local/words.js";

describe("what is read in a prompt", () => {
  test.each<[string, Partial<Scene>]>([
    ["a cat on the moon", { place: "moon", subjects: ["cat"], time: "night" }],
    ["кошка на луне", { place: "moon", subjects: ["cat"] }],
    ["ночной город под дождём", { place: "city", time: "night", weather: "rain" }],
    ["a city at night in the rain", { place: "city", time: "night", weather: "rain" }],
    ["sunset over the sea with a sailboat", { place: "sea", time: "sunset", subjects: ["boat"] }],
    ["парусник в море на закате", { place: "sea", time: "sunset", subjects: ["boat"] }],
    ["зимний лес, снег", { place: "forest", weather: "snow", season: "winter" }],
    ["A snowy forest in winter", { place: "forest", weather: "snow", season: "winter" }],
    ["туман в горах на рассвете", { place: "mountains", time: "dawn", weather: "fog" }],
    ["misty mountains at dawn", { place: "mountains", time: "dawn", weather: "fog" }],
    ["космический корабль", { place: "space", subjects: ["boat"] }],
    ["a red fox in the snow", { place: "forest", weather: "snow", subjects: ["fox"] }],
    ["рыжая лиса под дождём", { place: "forest", weather: "rain", subjects: ["fox"] }],
    ["robots", { place: "city", subjects: ["robot"] }],
    ["дом у реки осенью", { place: "lake", season: "autumn", subjects: ["house"] }],
    ["abstract idea of time", { place: "abstract", subjects: ["clock"] }],
    ["forest without snow", { place: "forest", weather: "clear" }],
    ["лес без снега", { place: "forest", weather: "clear" }],
    ["qwerty", { place: "abstract", isUnknown: true }],
    ["", { place: "abstract", isUnknown: true }],
  ])("%s", (prompt, scene) => {
    expect(sceneOf(prompt)).toMatchObject(scene);
  });

  test("a word is not seen inside another one", () => {
    const { isUnknown } = sceneOf("season category carpet sunk");
    expect(isUnknown).toBe(true);
  });

  test("the colours are those that the prompt names, in its order", () => {
    expect(sceneOf("синяя роза и red car").colours).toHaveLength(2);
    expect(sceneOf("a rose-less field").colours).toHaveLength(1);
  });

  test("a prompt of the largest length is read at once", () => {
    const start = process.cpuUsage();
    sceneOf("слово город ".repeat(1700));
    expect(process.cpuUsage(start).user).toBeLessThan(200_000);
  });
});
