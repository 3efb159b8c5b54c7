// t("Explain this"): a button beside whatever is selected on the page, be it a number, a tool, a class or a name.
const LONGEST = 200;

export default function ({ data, parentElement, setTriggerValue }) {
  window.azimuthWords = data.words;
  let root = parentElement.querySelector(".az-explain-root");
  if (root) { root.ask = setTriggerValue; return; }
  root = document.createElement("div");
  root.className = "az-explain-root";
  root.ask = setTriggerValue;
  parentElement.append(root);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "az-explain";
  button.textContent = t("Explain this");
  button.hidden = true;
  root.append(button);
  let wanted = "";

  const place = () => {
    const selection = document.getSelection();
    const text = selection && !selection.isCollapsed ? selection.toString().replace(/\s+/g, " ").trim() : "";
    const inside = selection?.anchorNode?.parentElement?.closest("input, textarea, [contenteditable], [role=dialog]");
    if (!text || text.length > LONGEST || inside) { button.hidden = true; return; }
    wanted = text;
    const box = selection.getRangeAt(0).getBoundingClientRect();
    button.hidden = false;
    button.style.left = Math.max(8, Math.min(innerWidth - 120, box.left)) + "px";
    button.style.top = Math.max(8, Math.min(innerHeight - 36, box.bottom + 6)) + "px";
  };
  // A press on the button must not take the selection away before the click.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", () => { button.hidden = true; root.ask("explain", wanted); });
  const watch = (kind, act, capture) => {
    const listen = (event) => {
      if (root.isConnected) act(event);
      else document.removeEventListener(kind, listen, capture);
    };
    document.addEventListener(kind, listen, capture);
  };
  watch("pointerup", () => setTimeout(place, 0), false);
  watch("keyup", () => setTimeout(place, 0), false);
  watch("scroll", () => { button.hidden = true; }, true);
}
