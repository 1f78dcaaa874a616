const SVG = "http://www.w3.org/2000/svg";

/** Strokes on a 24 × 24 board. */
const PATHS = {
  alert: "M12 8v5M12 16.5v.01M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18",
  attach:
    "M19.5 11.5l-7.6 7.6a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-7.9 7.9a1.6 1.6 0 0 1-2.2-2.2l7.1-7.1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  clock: "M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16M12 8v4.3l2.8 1.7",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  down: "M12 5v14M6 13l6 6l6-6",
  download: "M12 4v11M7 10.5l5 5l5-5M5 20h14",
  edit: "M4.500 19.500l.8-4L16 4.800a1.900 1.900 0 0 1 2.700 0l.5.5a1.900 1.900 0 0 1 0 2.700L8.500 18.700z",
  file: "M13.5 3H6v18h12V7.5zM13.5 3v4.5H18",
  group:
    "M9 5a3.3 3.3 0 1 0 0 6.6A3.3 3.3 0 1 0 9 5M3 20c0-3.6 2.6-5.7 6-5.7s6 2.100 6 5.700M15.500 5.300a3.300 3.300 0 0 1 0 6M18 14.800c1.900.8 3 2.600 3 5.200",
  keyboard: "M3 6.500h18v11H3zM7 10.300h.01M10.300 10.300h.01M13.700 10.300h.01M17 10.300h.01M8 14h8",
  left: "M15 5l-7 7l7 7",
  link: "M8 16L17 7M9.500 7H17v7.500",
  more: "M12 5.500v.01M12 12v.01M12 18.500v.01",
  panes: "M3.500 5h17v14h-17zM9.200 5v14M14.800 5v14",
  reply: "M9.500 6L4 11.500L9.500 17M4.500 11.500H14c4 0 6 2.500 6 6.500",
  retry: "M19.500 12a7.500 7.500 0 1 1-2.400-5.500M19.500 4v4.500H15",
  right: "M9 5l7 7l-7 7",
  send: "M12 19V5M5.500 11.500L12 5l6.500 6.500",
  services: "M4 4.500h16v6H4zM4 13.500h16v6H4zM7.500 7.500h.01M7.500 16.500h.01",
  slash: "M15 5L9 19",
  sticker:
    "M12 3.500a8.500 8.500 0 1 0 0 17a8.500 8.500 0 1 0 0-17M8.200 14c.9 1.500 2.200 2.200 3.800 2.200s2.900-.7 3.800-2.200M9 9.500v.01M15 9.500v.01",
  star: "M12 3.500l2.600 5.400 5.900.8-4.300 4.100 1.100 5.900L12 16.900l-5.300 2.800 1.100-5.900L3.500 9.700l5.900-.8z",
  trash: "M5 7h14M9.500 7V4.500h5V7M6.500 7l.9 12.500h9.200L17.500 7",
  window: "M4 5h16v14H4zM4 9h16",
} as const;

/** Filled shapes, where a stroke would be too thin to hit the eye. */
const SHAPES = {
  pause: "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  play: "M8 5.200v13.600L19 12z",
} as const;

export type IconName = keyof typeof PATHS | keyof typeof SHAPES;

/** Makes an icon in the colour of its text, hidden from screen readers: its button carries the label. */
export function icon(name: IconName): SVGSVGElement {
  const board = document.createElementNS(SVG, "svg");
  board.setAttribute("viewBox", "0 0 24 24");
  board.setAttribute("aria-hidden", "true");
  board.classList.add("icon");
  const path = document.createElementNS(SVG, "path");
  if (name in SHAPES) board.classList.add("icon-solid");
  path.setAttribute(
    "d",
    name in SHAPES ? SHAPES[name as keyof typeof SHAPES] : PATHS[name as keyof typeof PATHS],
  );
  board.append(path);
  return board;
}
