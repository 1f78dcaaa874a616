import { cutMiddle } from "../texts/html.js";

const LINK_SHOWN = 60;
const LINK_END_SHOWN = 20;

/** Shortens a link in its middle: its end often identifies it better. */
export function shortLink(link: string): string {
  return cutMiddle(link, LINK_SHOWN, LINK_END_SHOWN);
}
