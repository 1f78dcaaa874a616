import { describe, expect, test } from "vitest";
import type { Person } from "../src/people.js";
import { type Scene, type Style, type Subject, sceneOf } from "../src/words.js";

const somebody = (sex?: "woman" | "man", age: Person["age"] = "adult"): Person => ({
  sex,
  age,
  dress: undefined,
});
const woman = (age?: Person["age"]): Person => somebody("woman", age);
const man = (age?: Person["age"]): Person => somebody("man", age);

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
    ["космический корабль", { place: "space", subjects: ["spaceship"] }],
    ["a red fox in the snow", { place: "forest", weather: "snow", subjects: ["fox"] }],
    ["рыжая лиса под дождём", { place: "forest", weather: "rain", subjects: ["fox"] }],
    ["robots", { place: "city", subjects: ["robot"] }],
    ["дом у реки осенью", { place: "lake", season: "autumn", subjects: ["house"] }],
    ["abstract idea of time", { place: "abstract", subjects: ["clock"] }],
    ["forest without snow", { place: "forest", weather: "clear" }],
    ["лес без снега", { place: "forest", weather: "clear" }],
    ["qwerty", { place: "poster", isUnknown: true, title: ["Qwerty"] }],
    ["happy", { place: "poster", title: ["Happy"] }],
    ["портрет кота", { subjects: ["cat"], isCloseUp: true }],
    ["портрет девушки у моря", { place: "sea", subjects: ["portrait"], people: [woman()] }],
    ["портрет", { place: "studio", subjects: ["portrait"] }],
    ["интерьер дома", { place: "room", subjects: [] }],
    ["кот в шляпе", { subjects: ["cat", "hat"] }],
    ["люди на пляже", { place: "sea", subjects: ["person"], people: [woman(), man(), somebody()] }],
    ["", { place: "abstract", isUnknown: true }],
  ])("%s", (prompt, scene) => {
    expect(sceneOf(prompt)).toMatchObject(scene);
  });

  test.each<[Subject, string]>([
    ["fire", "огонь огня огню огнём огне костёр костра костром костры пламя пламени fire bonfire flames"],
    ["deer", "олень оленя оленю оленем олене олени оленей лось deer stag reindeer"],
    ["horse", "лошадь лошади лошадью лошадей конь коня коню конём кони коней horse horses pony"],
    ["unicorn", "единорог единорога единорогом unicorn unicorns"],
    ["dragon", "дракон дракона дракону драконом драконы драконов dragon dragons"],
    ["hat", "шляпа шляпы шляпу шляпой шляпе hat hats"],
    ["cake", "торт торта торту тортом торте торты cake cakes"],
    ["pizza", "пицца пиццы пиццу пиццей pizza"],
    ["burger", "бургер бургера гамбургеры burger hamburger"],
    ["coffee", "кофе чай чая чашка чашку coffee cup tea"],
    ["fruit", "яблоко яблоки яблок фрукты apple apples fruits"],
    ["food", "еда еды еду едой суп супа блюдо food meal soup"],
    ["portrait", "портрет портрета портреты лицо portrait face"],
  ])("%s is known in all its forms", (subject, words) => {
    for (const word of words.split(" ")) expect([word, sceneOf(word).subjects]).toEqual([word, [subject]]);
  });

  test("a room is known in all its forms", () => {
    for (const word of "комната комнаты комнату комнатой комнате кухня спальне интерьер room kitchen".split(
      " ",
    ))
      expect([word, sceneOf(word).place]).toEqual([word, "room"]);
  });

  test.each<[Style, string]>([
    [
      "oil",
      "лиса маслом; картина маслом, лиса; масляными красками лиса; oil painting of a fox; fox, impressionism",
    ],
    ["watercolour", "лиса акварелью; акварельная лиса; watercolor fox; fox in watercolour"],
    ["pixel", "пиксельная лиса; лиса, пиксель-арт; pixel art fox; 8bit pixel fox"],
    ["outline", "контурный рисунок лисы; лиса карандашом; набросок лисы; outline of a fox; fox sketch"],
  ])("the style %s is known, and the subject beside it", (style, prompts) => {
    for (const prompt of prompts.split("; "))
      expect([prompt, sceneOf(prompt)]).toMatchObject([prompt, { style, subjects: ["fox"] }]);
  });

  test.each([
    ["логотип «Зерно»", ["Зерно"]],
    ['"Happy Birthday" card', ["Happy Birthday"]],
    ["афиша “Don’t stop”", ["Don’t stop"]],
    ["плакат „Лето“ и ‘Зима’", ["Лето", "Зима"]],
    ["a sign that says 'open late'", ["Open late"]],
  ])("the quotation of %s is its title", (prompt, title) => {
    expect(sceneOf(prompt).title).toEqual(title);
  });

  test("quoted words are set, not shown, and what is around them is shown", () => {
    const scene = sceneOf("закат у моря, надпись «Рыжий кот»");
    expect(scene).toMatchObject({ place: "sea", time: "sunset", subjects: [], title: ["Рыжий кот"] });
  });

  test("a sentence that is quoted as a whole is shown, a few words are set too, an apostrophe quotes nothing", () => {
    expect(sceneOf('"a fox in the forest"')).toMatchObject({ subjects: ["fox"], title: [] });
    expect(sceneOf("«Море»")).toMatchObject({ place: "sea", title: ["Море"] });
    expect(sceneOf("the dog's and the cat's house").title).toEqual([]);
  });

  test("a title without letters that can be set is none, and emoji are left out", () => {
    expect(sceneOf("你好")).toMatchObject({ place: "abstract", title: [] });
    expect(sceneOf("Ура 🎉 всем").title).toEqual(["Ура всем"]);
  });

  test("a long title is cut at a word", () => {
    const [title = ""] = sceneOf("тарабарщина ".repeat(60)).title;
    expect(title.length).toBeLessThanOrEqual(141);
    expect(title).toMatch(/тарабарщина…$/);
  });

  test("words about pictures that are given are not set in type", () => {
    expect(sceneOf("сделай красивее", "addition")).toMatchObject({ place: "abstract", title: [] });
    expect(sceneOf("добавь «Зерно»", "addition")).toMatchObject({ title: ["Зерно"] });
  });

  test("a word is not seen inside another one", () => {
    const { isUnknown } = sceneOf("season category carpet sunk");
    expect(isUnknown).toBe(true);
  });

  test("the colours are those that the prompt names, in its order", () => {
    expect(sceneOf("синяя роза и red car").colours).toHaveLength(2);
    expect(sceneOf("a rose-less field").colours).toHaveLength(1);
  });

  // Reading that takes the square of the length would not end in time.
  test("a prompt of ten times the largest length is read as a short one", () => {
    expect(sceneOf("слово город ".repeat(17_000)).place).toBe(sceneOf("слово город").place);
  });
});
