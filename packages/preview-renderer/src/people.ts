import { countBefore } from "./counts.js";
import { found, wordsOf } from "./find-words.js";
import { PEOPLE } from "./lexicon.js";

/** Somebody in a picture. What is not said is chosen by the seed. */
export interface Person {
  sex: "woman" | "man" | undefined;
  age: "child" | "adult" | "old";
  dress: "bride" | "groom" | undefined;
}

const person = (sex: Person["sex"], age: Person["age"] = "adult", dress?: Person["dress"]): Person => ({
  sex,
  age,
  dress,
});
const [MAN, WOMAN, CHILD, ANYBODY] = [
  person("man"),
  person("woman"),
  person(undefined, "child"),
  person(undefined),
];

/** Who is meant by each name of the lexicon, without a number. */
const MEANT: Readonly<Record<keyof typeof PEOPLE, readonly [Person, ...Person[]]>> = {
  boy: [person("man", "child")],
  girl: [person("woman", "child")],
  boys: [person("man", "child"), person("man", "child")],
  girls: [person("woman", "child"), person("woman", "child")],
  child: [CHILD],
  children: [person("woman", "child"), person("man", "child")],
  grandfather: [person("man", "old")],
  grandmother: [person("woman", "old")],
  woman: [WOMAN],
  women: [WOMAN, WOMAN],
  man: [MAN],
  men: [MAN, MAN],
  bride: [person("woman", "adult", "bride")],
  groom: [person("man", "adult", "groom")],
  couple: [WOMAN, MAN],
  family: [WOMAN, MAN, CHILD],
  people: [WOMAN, MAN, ANYBODY],
  anybody: [ANYBODY],
};

/** More cannot be told apart in a picture. */
const COUNT_MAX = 5;
const WEDDING = /(?<!\p{L})(?:свад|wedding|newlywed|молодожен)/iu;

/** The people that a prompt names, in its order, as many as it says. */
export function peopleOf(prompt: string): Person[] {
  const words = wordsOf(prompt);
  const people = found([...new Set(words)], PEOPLE).flatMap((name) => {
    const count = countBefore(words, PEOPLE[name]);
    const meant = MEANT[name];
    if (count === undefined) return meant;
    return Array.from({ length: count }, (_, index) => meant[index % meant.length] ?? meant[0]);
  });
  const isWedding = WEDDING.test(prompt);
  return people.slice(0, COUNT_MAX).map((each) => (isWedding && each.age === "adult" ? dressed(each) : each));
}

function dressed(each: Person): Person {
  return { ...each, dress: each.sex === "man" ? "groom" : "bride" };
}
