export { writeTrack } from "./music/music.js";
export { render } from "./render.js";
export { sceneOf } from "./words.js";
