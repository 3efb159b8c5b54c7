// A workflow as a graph: boxes and lines in SVG, placed by the server in levels, turned into pixels here.
// Wide: the levels go from left to right; narrow: from top to bottom. Every text is a text node.
const SVG = "http://www.w3.org/2000/svg";
const BOX = { width: 172, least: 132, height: 62 };
const GAP = { along: 54, least: 30, across: 18 };
const MARKS = { input: "◆", waiting: "○", running: "◔", finished: "✓", repaired: "✓", failed: "✕", skipped: "–", held: "‖" };

function make(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

class Graph {
  constructor(root) {
    this.root = root;
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(root);
  }

  update({ data, setTriggerValue }) {
    this.trigger = setTriggerValue;
    const print = JSON.stringify(data);
    if (print === this.print) return;
    this.print = print;
    this.data = data;
    this.draw();
  }

  // Only where the direction or the size of the boxes changes is anything placed anew.
  fit() {
    if (!this.data) return;
    const { down, width } = this.measures();
    if (down !== this.down || Math.abs(width - this.width) > 4) this.draw();
  }

  // The direction, the width of a box and the gap between levels with which the whole fits, as far as it can.
  measures() {
    const { levels, widest } = this.data;
    const room = this.root.clientWidth - 40;
    const across = (gap) => Math.min(BOX.width, (room - (levels - 1) * gap) / levels);
    const tight = across(GAP.least);
    if (this.root.clientWidth < 560 || tight < BOX.least * 0.6) {
      const width = Math.min(BOX.width, room / Math.max(widest, 1) - GAP.across);
      return { down: true, width: Math.max(width, BOX.least), gap: 34 };
    }
    const loose = across(GAP.along);
    if (loose >= BOX.width) return { down: false, width: BOX.width, gap: GAP.along };
    return { down: false, width: Math.max(tight, BOX.least), gap: GAP.least };
  }

  draw() {
    const { data } = this;
    const { down, width: wide, gap } = this.measures();
    this.down = down;
    this.width = wide;
    const had = this.root.contains(document.activeElement) ? document.activeElement.dataset.node : null;
    const along = (down ? BOX.height : wide) + gap;
    const across = (down ? wide : BOX.height) + GAP.across;
    const length = data.levels * along - gap;
    const breadth = Math.max(data.widest, 1) * across;
    const [width, height] = this.down ? [breadth, length] : [length, breadth];
    this.place = (level, at) => {
      const first = level * along, second = breadth / 2 + at * across;
      return this.down ? [second, first + BOX.height / 2] : [first + wide / 2, second];
    };
    const pad = 8;
    const svg = make("svg", {
      width: width + 2 * pad, height: height + 2 * pad, viewBox: `${-pad} ${-pad} ${width + 2 * pad} ${height + 2 * pad}`,
      role: "group", "aria-label": data.title, class: "az-flow-picture",
    });
    const arrow = make("marker", { id: "az-flow-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
    arrow.append(make("path", { d: "M0 0.5 L7.5 4 L0 7.5 Z", class: "az-flow-tip" }));
    const defs = make("defs");
    defs.append(arrow);
    svg.append(defs);
    this.places = new Map(data.nodes.map((node) => [node.id, node]));
    for (const edge of data.edges) svg.append(this.line(edge));
    this.boxes = data.nodes.map((node) => this.box(node));
    svg.append(...this.boxes);
    this.root.replaceChildren(svg, this.legend());
    for (const box of this.boxes) this.shorten(box);
    const again = this.boxes.find((box) => box.dataset.node === had);
    if (again) again.focus({ preventScroll: true });
  }

  // From side to side, with each place on the way passed through straight.
  line(edge) {
    const [first, then] = [this.places.get(edge.from), this.places.get(edge.to)];
    const half = this.down ? BOX.height / 2 : this.width / 2;
    const start = this.place(first.level, first.at), end = this.place(then.level, then.at);
    const axis = this.down ? 1 : 0;
    start[axis] += half;
    end[axis] -= half + 2;
    let path = `M${start[0]} ${start[1]}`;
    let [x, y] = start;
    const bend = (to) => {
      const middle = this.down ? (y + to[1]) / 2 : (x + to[0]) / 2;
      path += this.down ? ` C${x} ${middle} ${to[0]} ${middle} ${to[0]} ${to[1]}` : ` C${middle} ${y} ${middle} ${to[1]} ${to[0]} ${to[1]}`;
      [x, y] = to;
    };
    for (const [level, at] of edge.ways) {
      const enter = this.place(level, at), leave = this.place(level, at);
      enter[axis] -= half;
      leave[axis] += half;
      bend(enter);
      path += ` L${leave[0]} ${leave[1]}`;
      [x, y] = leave;
    }
    bend(end);
    const ended = first.status === "input" ? then.status !== "waiting" : ["finished", "repaired"].includes(first.status);
    return make("path", { d: path, class: `az-flow-line${ended ? " az-flow-passed" : ""}`, "marker-end": "url(#az-flow-arrow)", fill: "none" });
  }

  box(node) {
    const [x, y] = this.place(node.level, node.at);
    const chosen = node.id === this.data.chosen;
    const box = make("g", {
      class: `az-flow-node az-flow-${node.status}${chosen ? " az-flow-chosen" : ""}`, role: "button", tabindex: 0,
      transform: `translate(${x - this.width / 2} ${y - BOX.height / 2})`, "aria-pressed": chosen, "data-node": node.id,
      "aria-label": `${node.title}, ${node.about}: ${node.word}`, "data-status": node.status,
    });
    box.append(make("title", {}, `${node.title} · ${node.about} · ${node.word}`));
    box.append(make("rect", { width: this.width, height: BOX.height, rx: node.status === "input" ? 31 : 9 }));
    const left = node.status === "input" ? 24 : 12;
    box.append(make("text", { x: left, y: 19, class: "az-flow-name" }, node.title));
    box.append(make("text", { x: left, y: 35, class: "az-flow-tool" }, node.about));
    const state = make("text", { x: left, y: 52, class: "az-flow-state" });
    state.append(make("tspan", { class: "az-flow-mark" }, MARKS[node.status] || "·"), document.createTextNode("\u00a0" + node.word));
    box.append(state);
    box.addEventListener("click", () => this.choose(node.id));
    box.addEventListener("keydown", (event) => this.key(event, node));
    return box;
  }

  // A name that is too long ends in dots; the tooltip has it whole.
  shorten(box) {
    for (const text of box.querySelectorAll(".az-flow-name, .az-flow-tool")) {
      const room = this.width - 2 * Number(text.getAttribute("x"));
      let said = text.textContent;
      while (said.length > 4 && text.getComputedTextLength() > room) {
        said = said.slice(0, -1);
        text.textContent = said.trimEnd() + "…";
      }
    }
  }

  choose(id) {
    this.trigger("node", id);
  }

  // Enter and space open a step; the arrows go to the next one in that direction, in the order of the graph.
  key(event, node) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(node.id);
      return;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.boxes.findIndex((box) => box.dataset.node === node.id) + step;
    if (this.boxes[at]) this.boxes[at].focus();
  }

  legend() {
    const line = document.createElement("p");
    line.className = "az-flow-legend";
    const seen = new Map(this.data.nodes.map((node) => [node.status, node.word]));
    for (const [status, word] of seen) {
      const part = document.createElement("span");
      part.className = `az-flow-key az-flow-${status}`;
      const mark = document.createElement("b");
      mark.setAttribute("aria-hidden", "true");
      mark.textContent = MARKS[status] || "·";
      const count = this.data.nodes.filter((node) => node.status === status).length;
      part.append(mark, document.createTextNode(` ${count} ${word}`));
      line.append(part);
    }
    line.setAttribute("role", "status");
    return line;
  }

  leave() {
    this.observer.disconnect();
  }
}

export default function (component) {
  const { parentElement } = component;
  let root = parentElement.querySelector(".az-flow");
  if (!root) { root = document.createElement("div"); root.className = "az-flow"; parentElement.append(root); }
  if (!root.graph) root.graph = new Graph(root);
  root.graph.update(component);
  return () => root.graph.leave();
}
