import { cutMiddle } from "../texts/html.js";

const LINK_SHOWN = 60;
const LINK_END_SHOWN = 20;

/** The end of a link often identifies it better than its middle. */
export function shortLink(link: string): string {
  return cutMiddle(link, LINK_SHOWN, LINK_END_SHOWN);
}
