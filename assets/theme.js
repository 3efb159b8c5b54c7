// Dark or light: Streamlit keeps the choice per page address, so it is written for each of ours.
const PATHS = ["/", "/data", "/tools", "/help"];

export default function ({ parentElement }) {
  if (parentElement.querySelector("button")) return;
  const dark = () => {
    const [r, g, b] = getComputedStyle(document.querySelector(".stApp")).backgroundColor.match(/[\d.]+/g).map(Number);
    return r + g + b < 380;
  };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "az-theme";
  button.textContent = dark() ? "☀" : "☾";
  button.title = dark() ? "Light theme" : "Dark theme";
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", () => {
    const wanted = JSON.stringify(dark() ? "Light" : "Dark");
    for (const path of PATHS) localStorage.setItem(`stActiveTheme-${path}-v2`, wanted);
    location.reload();
  });
  parentElement.append(button);
}
