export { writeTrack } from "./music/music.js";
export { render } from "./render.js";
export { wordingOf } from "./type.js";
