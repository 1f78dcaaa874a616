import { describe, expect, test } from "vitest";
import { visibilityOf } from "./subject-visibility.js";

const SUBJECTS =
  "cat dog fox deer horse unicorn dragon boat whale house castle lighthouse airship balloons kite rocket spaceship train bee sunflower robot person portrait tree butterfly car fire hat cake pizza burger coffee fruit food heart".split(
    " ",
  );

describe("the subject of a prompt", () => {
  test.each(SUBJECTS)("%s is visible, in quality mode as well as in fast mode", (subject) => {
    for (const place of ["", "in the city at night", "in the mountains in fog"]) {
      const [fast, quality] = (["fast", "quality"] as const).map((mode) =>
        visibilityOf(`${subject} ${place}`, mode, 3),
      );
      expect(fast?.contrast).toBeGreaterThan(0.06);
      expect(quality?.contrast).toBeGreaterThan(Math.max(0.06, (fast?.contrast ?? 1) * 0.6));
      expect(fast?.area).toBeGreaterThan(0.008);
      expect(quality?.area).toBeGreaterThan((fast?.area ?? 1) * 0.8);
    }
  });
});
