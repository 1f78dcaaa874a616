const LONG_PRESS_MS = 450;
/** A finger that rests moves a little. */
const REST_PX = 10;
const SWIPE_REPLY_PX = 56;
const SWIPE_MAX_PX = 84;

interface TouchActions {
  /** A finger rested at this point. */
  press(x: number, y: number, target: EventTarget | null): void;
  /** A finger went far enough to the left. */
  swipe(target: EventTarget | null): void;
}

/**
 * Tells long presses and swipes to the left on a touch screen. The element follows a swipe, and the click that ends
 * either gesture is swallowed. The element needs `touch-action: pan-y`, so that scrolling stays the browser's.
 */
export function listenForTouch(element: HTMLElement, actions: TouchActions): void {
  let begun: { x: number; y: number; target: EventTarget | null } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let swipedPx = 0;
  let isTaken = false;

  const move = (px: number) => {
    swipedPx = px;
    element.style.transform = px === 0 ? "" : `translateX(${-px}px)`;
    element.classList.toggle("is-swiped", px > 0);
    element.classList.toggle("is-swiped-far", px >= SWIPE_REPLY_PX);
  };
  const end = () => {
    clearTimeout(timer);
    begun = undefined;
    move(0);
  };

  element.addEventListener("pointerdown", (event) => {
    end();
    isTaken = false;
    const { pointerType, isPrimary, clientX: x, clientY: y, target } = event;
    if (pointerType !== "touch" || !isPrimary || isSlider(target)) return;
    begun = { x, y, target };
    timer = setTimeout(() => {
      isTaken = true;
      end();
      actions.press(x, y, target);
    }, LONG_PRESS_MS);
  });
  element.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (begun === undefined) return;
    const [left, down] = [begun.x - clientX, Math.abs(clientY - begun.y)];
    if (Math.hypot(left, down) > REST_PX) clearTimeout(timer);
    if (swipedPx === 0 && (left < REST_PX || left < 2 * down)) return;
    isTaken = true;
    move(Math.min(Math.max(left - REST_PX, 0), SWIPE_MAX_PX));
  });
  element.addEventListener("pointerup", () => {
    const target = swipedPx >= SWIPE_REPLY_PX ? begun?.target : undefined;
    end();
    if (target !== undefined) actions.swipe(target);
  });
  element.addEventListener("pointercancel", end);
  const swallow = (event: Event) => {
    if (!isTaken) return;
    event.preventDefault();
    event.stopPropagation();
  };
  element.addEventListener("click", swallow, true);
  element.addEventListener("contextmenu", swallow, true);
}

/** The bar of a player moves sideways itself. */
function isSlider(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input") !== null;
}
