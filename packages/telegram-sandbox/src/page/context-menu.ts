import { element } from "./dom.js";
import { itemButtons, type MenuItem, moveInMenu } from "./menu.js";

const EDGE_PX = 8;

/** Opens a menu at a point of the window, moved so far that all of it can be seen. Only one is open at a time. */
export function openContextMenu(items: readonly MenuItem[], x: number, y: number): void {
  document.querySelector<HTMLElement>(".context-menu")?.dispatchEvent(new Event("close"));
  const before = document.activeElement;
  const list = element("div", { class: "menu context-menu", role: "menu", "data-testid": "context-menu" });
  const end = new AbortController();
  const close = () => {
    end.abort();
    list.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
  const { signal } = end;
  list.append(...itemButtons(items, close));
  list.addEventListener("close", close, { signal });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    moveInMenu(list, event);
  });
  const closeOutside = ({ target }: Event) => {
    if (!(target instanceof Node) || !list.contains(target)) close();
  };
  addEventListener("pointerdown", closeOutside, { signal, capture: true });
  addEventListener("scroll", closeOutside, { signal, capture: true });
  addEventListener("resize", close, { signal });
  document.body.append(list);
  const { width, height } = list.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  list.style.left = `${Math.max(EDGE_PX, Math.min(x, clientWidth - width - EDGE_PX))}px`;
  list.style.top = `${Math.max(EDGE_PX, Math.min(y, clientHeight - height - EDGE_PX))}px`;
  list.querySelector("button")?.focus({ preventScroll: true });
}
