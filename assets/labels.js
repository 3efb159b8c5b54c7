// What a column says beside each feature of a layer: none stands on another, larger features come first.
(function () {
  "use strict";

  const { element } = AzimuthParts;
  const APART_PX = 3;
  const MOST = 400;
  const LINE_PX = 14;
  const WIDEST_PX = 180;
  const INK = document.createElement("canvas").getContext("2d");

  class Labels {
    // `labels` are [text, lon, lat, radius in pixels of what it stands beside, 0 where it stands upon it].
    constructor(owner, pane, labels) {
      this.owner = owner;
      this.map = owner.map;
      this.pane = pane;
      this.labels = [...labels].sort((one, other) => (other[3] || 0) - (one[3] || 0)).slice(0, 5000);
      this.group = L.layerGroup().addTo(this.map);
      this.place();
    }

    remove() { this.group.remove(); }

    place() {
      this.group.clearLayers();
      INK.font = '600 11.5px "Source Sans 3 Variable", system-ui, sans-serif';
      const taken = [], seen = this.map.getBounds();
      for (const [text, lon, lat, radius] of this.labels) {
        if (taken.length >= MOST) break;
        const spot = this.owner.near([lon, lat]);
        if (!seen.contains(spot)) continue;
        const { x, y } = this.map.latLngToLayerPoint(spot);
        const half = Math.min(WIDEST_PX, INK.measureText(text).width) / 2;
        const middle = radius ? [radius + 4 + half, 0] : [0, 0];
        const box = [x + middle[0] - half - APART_PX, y - LINE_PX / 2, x + middle[0] + half + APART_PX, y + LINE_PX / 2];
        if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
        taken.push(box);
        const face = element("span", "az-feature-label", text);
        face.style.marginLeft = middle[0] + "px";
        const icon = L.divIcon({ html: face, className: "az-feature-label-box", iconSize: [0, 0] });
        this.group.addLayer(L.marker(spot, { icon, pane: this.pane, interactive: false, keyboard: false }));
      }
      this.owner.land.declutter();
    }
  }

  window.AzimuthLabels = Labels;
})();
