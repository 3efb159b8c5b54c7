// Dark or light. Streamlit takes a theme as a message of its own page (copilot/server/theming.py lets it), so that
// nothing is loaded again: the map, the panel and what is written in the input stay. It keeps the choice per page
// address, so it is written for each of ours; that is what the next load begins with.
const PATHS = ["/", ...["imagery", "workflows", "data", "tools", "knowledge", "models", "benchmark", "help", "settings"].map((each) => "/" + each)];
const LONGEST_MS = 3000;
const LOOK_MS = 400;

const isDark = () => {
  const [r, g, b] = getComputedStyle(document.querySelector(".stApp")).backgroundColor.match(/[\d.]+/g).map(Number);
  return r + g + b < 380;
};

const keep = (name) => { for (const path of PATHS) localStorage.setItem(`stActiveTheme-${path}-v2`, JSON.stringify(name)); };

// What Streamlit stores by itself for a theme that came in a message is not the name: it is written once more after that.
function turn(dark, theme) {
  const name = dark ? "Dark" : "Light", since = performance.now();
  keep(name);
  window.postMessage({ stCommVersion: 1, type: "SET_CUSTOM_THEME_CONFIG", themeInfo: theme }, window.location.origin);
  const look = () => {
    keep(name);
    if (isDark() === dark) setTimeout(() => keep(name), LOOK_MS);
    else if (performance.now() - since < LONGEST_MS) requestAnimationFrame(look);
    else window.location.reload();
  };
  requestAnimationFrame(look);
}

export default function ({ parentElement, data: { words, ...data } }) {
  window.azimuthWords = words;
  let button = parentElement.querySelector("button");
  if (button) { button.themes = data; return; }
  button = document.createElement("button");
  button.type = "button";
  button.className = "az-theme";
  const icon = document.createElement("span");
  icon.className = "az-icon";
  icon.setAttribute("aria-hidden", "true");
  icon.translate = false;
  button.append(icon);
  button.themes = data;
  const show = () => {
    const dark = isDark();
    if (button.dark === dark) return;
    button.dark = dark;
    document.documentElement.dataset.azTheme = dark ? "dark" : "light";
    icon.textContent = dark ? "light_mode" : "dark_mode"; // the names of the icons in the page's set
    button.title = dark ? t("Light theme") : t("Dark theme");
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => turn(!isDark(), button.themes[isDark() ? "light" : "dark"]));
  show();
  const looking = setInterval(show, LOOK_MS);
  parentElement.append(button);
  return () => clearInterval(looking);
}
