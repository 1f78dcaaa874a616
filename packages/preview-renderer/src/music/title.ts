import type { Brief } from "./brief.js";
import { drawnTitle, numberedTitle, TRACK_TITLE_MAX } from "./track-title.js";

const NAMELESS = "Untitled";

/**
 * The title of a track: the request's, else the first words of the description or lyrics. Of several tracks each
 * begins with its number. At most 120 code points.
 * @param track 0 for the first one
 */
export function titleOf(
  { title, subject }: Pick<Brief, "title" | "subject">,
  track: number,
  tracks: number,
): string {
  const name = title ?? drawnTitle(subject) ?? NAMELESS;
  if (tracks > 1) return numberedTitle(name, track);
  return [...name].slice(0, TRACK_TITLE_MAX).join("").trimEnd();
}
