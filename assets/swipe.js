// Two layers side by side, each clipped at a line that is dragged.
(function () {
  "use strict";

  const { element } = AzimuthParts;

  class Swipe {
    constructor(owner) {
      this.owner = owner;
      this.map = owner.map;
      this.map.on("move moveend", () => this.bar && this.clip());
    }

    show(pair) {
      const key = pair ? pair.join() : null;
      if (this.key !== key) {
        for (const layer of this.owner.layers.values()) layer.pane.style.clip = "";
        if (this.bar) { this.bar.remove(); this.bar = null; }
        this.key = key;
        if (pair) this.add();
      }
      this.pair = pair;
      if (pair) this.clip();
    }

    add() {
      const bar = (this.bar = element("div", "az-swipe"));
      const range = (this.range = element("input"));
      range.type = "range"; range.min = "0"; range.max = "1000"; range.value = "500";
      range.setAttribute("aria-label", t("Swipe between the two layers"));
      bar.append(element("div", "az-swipe-line"), range);
      L.DomEvent.disableClickPropagation(bar);
      range.addEventListener("input", () => this.clip());
      range.addEventListener("pointerdown", () => this.map.dragging.disable());
      range.addEventListener("pointerup", () => this.map.dragging.enable());
      this.map.getContainer().append(bar);
    }

    clip() {
      const size = this.map.getSize();
      const corner = this.map.containerPointToLayerPoint([0, 0]), end = this.map.containerPointToLayerPoint(size);
      const ratio = Number(this.range.value) / 1000;
      const middle = corner.x + size.x * ratio;
      this.bar.firstChild.style.left = ratio * 100 + "%";
      const [left, right] = (this.pair || []).map((id) => this.owner.layers.get(id));
      if (left) left.pane.style.clip = `rect(${corner.y}px, ${middle}px, ${end.y}px, ${corner.x}px)`;
      if (right) right.pane.style.clip = `rect(${corner.y}px, ${end.x}px, ${end.y}px, ${middle}px)`;
    }
  }

  window.AzimuthSwipe = Swipe;
})();
