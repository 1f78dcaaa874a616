import { z } from "zod";
import type { SimPerson } from "../sim-person.js";
import { type Cast, inTurn, type SimPath } from "./path.js";

const PHOTOS = { least: 2, most: 3 };
const NUMBERS_FROM = 5000;
/** So often a process has died before an update was handled, as `bot/inbox/inbox.ts` counts. */
const SUSPECT_TRIES = 2;

const snapshot = z.object({ user_id: z.int(), parameters: z.string() });

/** People send several photos as one album, and get several pictures as one; a process may die between two of them. */
export const albums: SimPath = {
  rulesOf: () => ({ albums: [] }),
  actsOf: (cast) => [
    [12, () => send(cast, cast.someone(3))],
    [12, () => cast.someone(3).act()],
    [10, () => orderSeveral(cast, cast.someone(3))],
  ],
  // A card may be changed later: what it had once counts.
  watch: `
    CREATE TABLE sim_card (user_id INTEGER NOT NULL, parameters TEXT NOT NULL) STRICT;
    CREATE TRIGGER sim_card_open AFTER INSERT ON draft WHEN instr(NEW.parameters, 'photo-')
    BEGIN INSERT INTO sim_card VALUES (NEW.user_id, NEW.parameters); END;
    CREATE TRIGGER sim_card_change AFTER UPDATE OF parameters ON draft WHEN instr(NEW.parameters, 'photo-')
    BEGIN INSERT INTO sim_card VALUES (NEW.user_id, NEW.parameters); END;
    CREATE TABLE sim_suspect (payload TEXT NOT NULL) STRICT;
    CREATE TRIGGER sim_suspect_photo AFTER UPDATE OF tries ON inbox_pending
      WHEN NEW.tries >= ${SUSPECT_TRIES} AND instr(NEW.payload, 'photo-')
    BEGIN INSERT INTO sim_suspect VALUES (NEW.payload); END;
  `,
  judge({ reader, rules, telegram, wasFull }) {
    const cards = reader.all(snapshot, "SELECT user_id, parameters FROM sim_card");
    const suspects = reader.all(z.object({ payload: z.string() }), "SELECT payload FROM sim_suspect");
    return (rules.albums ?? []).flatMap(({ userId, photos, isWhole: isDue }) => {
      const isIn = (parameters: string, photo: string) => parameters.includes(`${photo}"`);
      const strange = cards.filter(
        ({ user_id, parameters }) => user_id !== userId && photos.some((photo) => isIn(parameters, photo)),
      );
      const got = photos.filter((photo) => !telegram.undownloaded.has(`${photo}.webp`));
      const some = cards.filter(({ parameters }) => photos.some((photo) => isIn(parameters, photo)));
      // Where the photo with the command could not be read, the others are for whatever card is open.
      const isBegun = got[0] === photos[0];
      // One that two crashes interrupted is tried alone, after what the person said next.
      const isLate = suspects.some(({ payload }) => photos.some((photo) => isIn(payload, photo)));
      // While no service takes tasks, no picture is offered, and each photo is told of by itself.
      const isWhole = some.some(({ parameters }) => got.every((photo) => isIn(parameters, photo)));
      const twice = some.some(({ parameters }) =>
        photos.some((photo) => parameters.split(`${photo}"`).length > 2),
      );
      return [
        ...strange.map(({ user_id }) => `the card of ${user_id} had a photo of ${userId}`),
        ...(twice ? [`a card of ${userId} had a photo of an album twice`] : []),
        ...(isDue && isBegun && !isLate && !rules.kie && some.length > 0 && !isWhole && !wasFull
          ? [`an album of ${got.length} photos of ${userId} was cut`]
          : []),
      ];
    });
  },
  planted: {
    "an album of results whose last one is not sent": { isAlbumCut: true },
    "photos of an album that are not kept": { omitted: "draft" },
  },
};

function send({ world: { telegram, rules }, random }: Cast, person: SimPerson): string {
  if (!rules.albums) return "";
  const number = NUMBERS_FROM + rules.albums.length;
  const photos = Array.from(
    { length: random.integer(PHOTOS.least, PHOTOS.most) },
    (_, place) => `photo-${person.id}-${number}-${place}`,
  );
  const words = `album number ${person.id} of ${number}`;
  const isCommand = random.chance(0.6);
  rules.albums.push({ userId: person.id, photos, isWhole: isCommand });
  for (const [place, file_id] of photos.entries()) {
    const caption = place === 0 ? `${isCommand ? "/image " : ""}${words}` : undefined;
    const photo = [{ file_id, file_unique_id: file_id, width: 64, height: 32, file_size: 600 }];
    telegram.write(person.id, { media_group_id: `album-${number}`, photo, caption });
  }
  return `${person.id} sends ${photos.length} photos: ${isCommand ? "/image " : ""}${words}`;
}

/** Orders several pictures of one request: they come as an album. */
function orderSeveral(cast: Cast, person: SimPerson): Promise<string> {
  const taps = [/:o:count$/, /:v:count:[1-3]$/, /^c:.*:y:/];
  const steps = taps.map((data) => () => person.press(data, "/image several"));
  return inTurn(cast, [() => person.say("/image several"), ...steps]);
}
