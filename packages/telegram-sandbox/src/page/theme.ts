import { icon } from "./icons.js";
import { pageWords } from "./words/words.js";

const KEY = "atelier-sandbox-theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** Follows the system's light or dark until the button chooses; the choice stays in this browser. */
export function installTheme(button: HTMLButtonElement): void {
  let theme = savedTheme();
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.replaceChildren(icon(theme === "system" ? "theme" : theme === "light" ? "sun" : "moon"));
    const label = pageWords.frame.theme[theme];
    button.title = label;
    button.setAttribute("aria-label", label);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    save(theme);
    show();
  });
  addEventListener("storage", ({ key }) => {
    if (key !== KEY) return;
    theme = savedTheme();
    show();
  });
  show();
}

/** Private windows may refuse storage: then the choice lasts as long as the page. */
function savedTheme(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}

function save(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The page shows the theme all the same.
  }
}
