import { describe, expect, test } from "vitest";
import type { Person } from "../src/people.js";
import { type Scene, sceneOf } from "../src/words.js";

const somebody = (sex: Person["sex"], age: Person["age"], dress?: Person["dress"]): Person => ({
  sex,
  age,
  dress,
});

describe("a prompt whose main thing cannot be shown", () => {
  test.each([
    "Эйфелева башня",
    "the Eiffel Tower at night",
    "динозавр играет на гитаре",
    "динозавр в лесу",
    "a toucan in the forest",
    "в лесу сидит тукан",
    "in the forest, a toucan",
    "снеговик в лесу",
    "морской конёк",
    "самолёт над морем",
    "карта города",
    "a map of the city",
    "a fire truck in the city",
    "hot dog",
    "a snow leopard in the mountains",
    "city bus",
    "рыцарь на коне",
    "стиральная машина",
    "Christmas tree",
    "золотая рыбка",
  ])("%s is a poster with its words and nothing else", (prompt) => {
    expect(sceneOf(prompt)).toMatchObject({
      place: "poster",
      subjects: [],
      title: [prompt.charAt(0).toUpperCase() + prompt.slice(1)],
    });
  });

  test("lends the cover of a song what it names beside it", () => {
    expect(sceneOf("песня о дожде в городе", "cover")).toMatchObject({ place: "city", weather: "rain" });
  });

  test("is set with its quotation, where it has one", () => {
    expect(sceneOf("вывеска «Кофе» в городе")).toMatchObject({ place: "poster", title: ["Кофе"] });
  });
});

describe("what is understood beside something unknown", () => {
  test.each<[string, Partial<Scene>]>([
    ["двое детей запускают воздушного змея", { place: "meadow", subjects: ["person", "kite"] }],
    ["a boy flying a kite", { subjects: ["person", "kite"] }],
    [
      "living room with a fireplace, sleeping dog",
      { place: "room", subjects: ["fireplace", "dog"], pose: "sleeps" },
    ],
    ["камин", { place: "room", subjects: ["fireplace"] }],
    ["красные шарики", { subjects: ["balloons"] }],
    ["воздушные шары над горами", { place: "mountains", subjects: ["balloon"] }],
    ["hot air balloon", { place: "mountains", subjects: ["balloon"] }],
    ["воздушные шары на день рождения", { subjects: ["balloons"] }],
    ["космический корабль взлетает", { place: "space", subjects: ["spaceship"] }],
    ["a train crossing a bridge", { subjects: ["train"] }],
    ["поезд в горах", { place: "mountains", subjects: ["train"] }],
    ["a bee on a sunflower, macro", { subjects: ["bee", "sunflower"] }],
    ["a red sports car, mountain road", { place: "mountains", subjects: ["car", "road"] }],
    ["кот в шляпе на крыше", { place: "roof", subjects: ["cat", "hat"] }],
    ["a cat sits on a roof", { place: "roof", subjects: ["cat"] }],
    ["a house with a red roof", { subjects: ["house"] }],
    ["кот бежит", { subjects: ["cat"], pose: "runs" }],
    ["мальчик и робот на скамейке", { subjects: ["person", "robot"] }],
    ["девушка улыбается, крупный план", { place: "studio", subjects: ["portrait"] }],
    ["бабушка печёт пирожки", { place: "room", subjects: ["person"] }],
    ["нарисуй мне милого котика", { subjects: ["cat"] }],
    ["dark fantasy castle", { subjects: ["castle"] }],
    ["A fox in a snowy forest at sunset", { place: "forest", subjects: ["fox"], time: "sunset" }],
    ["Парусник в море под луной", { place: "sea", subjects: ["boat"], time: "night" }],
    ["northern lights over a lake", { place: "lake", time: "night" }],
    ["beautiful sunset", { time: "sunset" }],
    ["красивое утро в горах", { place: "mountains", time: "dawn" }],
  ])("%s", (prompt, scene) => {
    expect(sceneOf(prompt)).toMatchObject(scene);
  });

  test.each<[string, Partial<Scene["counts"]>]>([
    ["два кота и собака", { cat: 2, dog: 1 }],
    ["three red foxes", { fox: 3 }],
    ["пара котов", { cat: 2 }],
    ["a couple of dogs", { dog: 2 }],
  ])("%s are as many as it says", (prompt, counts) => {
    expect(sceneOf(prompt)).toMatchObject({ counts, people: [] });
  });

  test.each<[string, readonly Person[]]>([
    ["портрет старика", [somebody("man", "old")]],
    ["portrait of an old man", [somebody("man", "old")]],
    ["пожилая женщина в саду", [somebody("woman", "old")]],
    ["бабушка и дедушка", [somebody("woman", "old"), somebody("man", "old")]],
    ["мальчик", [somebody("man", "child")]],
    ["a little girl", [somebody("woman", "child")]],
    ["двое детей", [somebody("woman", "child"), somebody("man", "child")]],
    ["трое детей", [somebody("woman", "child"), somebody("man", "child"), somebody("woman", "child")]],
    ["two women", [somebody("woman", "adult"), somebody("woman", "adult")]],
    ["пара на пляже", [somebody("woman", "adult"), somebody("man", "adult")]],
    ["свадебная пара", [somebody("woman", "adult", "bride"), somebody("man", "adult", "groom")]],
  ])("%s are the people that it says", (prompt, people) => {
    expect(sceneOf(prompt).people).toEqual(people);
  });

  test("a colour of hair is that of the hair and of nothing else", () => {
    const { hair, colours } = sceneOf("аниме девочка с розовыми волосами");
    expect(hair).toBeDefined();
    expect(colours).toEqual([]);
  });
});
