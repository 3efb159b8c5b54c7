// Lines of layers that are dragged to where the layer is to lie; the arrows beside them do the same by keyboard.

const LINE = /st-key-layer-(\d+)\b/;
const place = (node) => {
  const line = node instanceof Element && node.closest('[class*="st-key-layer-"]');
  const found = line && LINE.exec(line.className);
  return found ? { line, at: Number(found[1]) } : null;
};

class Order {
  constructor() {
    document.addEventListener("dragstart", (event) => {
      const found = event.target instanceof Element && event.target.closest(".az-grip") && place(event.target);
      if (!found) return;
      this.from = found.at;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", this.ids[found.at]);
      event.dataTransfer.setDragImage(found.line, 10, 10);
    });
    document.addEventListener("dragover", (event) => {
      const found = this.from !== undefined && place(event.target);
      this.mark(found ? found.line : null);
      if (!found) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
    });
    document.addEventListener("drop", (event) => {
      const found = this.from !== undefined && place(event.target);
      if (!found) return;
      event.preventDefault();
      event.stopPropagation();
      if (found.at !== this.from) this.move(this.ids[this.from], found.at);
    });
    document.addEventListener("dragend", () => { this.from = undefined; this.mark(null); });
  }

  mark(line) {
    if (this.marked && this.marked !== line) this.marked.classList.remove("az-drop");
    this.marked = line;
    if (line) line.classList.add("az-drop");
  }

  move(layer, position) {
    fetch(`/api/sessions/${encodeURIComponent(this.session)}/calls`, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Azimuth": "1" },
      body: JSON.stringify({ tool: "reorder_layer", args: { layer, position } }),
    });
  }
}

export default function ({ data: { words, ...data } }) {
  window.azimuthWords = words;
  const order = (window.azimuthOrder ??= new Order());
  Object.assign(order, data);
  for (const name of document.querySelectorAll('[class*="st-key-layer-"] [data-testid="stMarkdown"]')) {
    name.classList.add("az-grip");
    name.draggable = true;
    name.title = t("Drag to move the layer");
  }
}
