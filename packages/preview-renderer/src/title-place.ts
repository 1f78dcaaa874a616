import { posterTitle } from "./scene/poster.js";
import type { Stage } from "./stage.js";
import type { TitlePlace } from "./type/title.js";

/** Finds the place of a title: in the sky, below a face, or where a poster has room for it. */
export function titlePlaceOf(stage: Pick<Stage, "width" | "height" | "scene" | "random">): TitlePlace {
  const { scene } = stage;
  if (scene.place === "poster") return posterTitle(stage);
  return overPicture(stage, scene.subjects.includes("portrait"));
}

/** @param isBelow true for a title at the foot of the picture */
export function overPicture(
  { width, height }: Pick<Stage, "width" | "height">,
  isBelow: boolean,
): TitlePlace {
  return {
    x: width * 0.09,
    y: height * (isBelow ? 0.66 : 0.07),
    width: width * 0.82,
    height: height * (isBelow ? 0.24 : 0.28),
    align: "center",
    anchor: isBelow ? "bottom" : "middle",
    sizeMax: Math.min(width * 0.13, height * 0.19),
  };
}
