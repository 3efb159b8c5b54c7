// A ruler for distances and for areas. The server measures, on the ellipsoid, as the tools do; nothing of it is kept.
// By the keyboard: Enter takes the middle of the map, Backspace the last point back, Escape ends.
(function () {
  "use strict";

  const { at, element } = AzimuthParts;
  const ICONS = {
    distance: [t("Measure a distance"), "M3 17 17 3l4 4L7 21zM7 13l2 2M10 10l3 3M13 7l2 2"],
    area: [t("Measure an area"), "M4 6 13 3l7 7-4 10-10-2zM4 6h.01M13 3h.01M20 10h.01M16 20h.01M6 18h.01"],
  };
  const WAIT_MS = 90;
  const INK = "#be123c";

  function icon(path) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    made.setAttribute("viewBox", "0 0 24 24");
    made.setAttribute("aria-hidden", "true");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("d", path);
    made.append(line);
    return made;
  }

  // With as many digits as a reader can use.
  const digits = (value) => { const most = value < 10 ? 100 : value < 100 ? 10 : 1; return azimuthNumber(Math.round(value * most) / most); };
  const length = (m) => (m < 1000 ? t("{n} m", { n: digits(m) }) : t("{n} km", { n: digits(m / 1000) }));
  const area = (m2) => (m2 < 1e6 ? t("{n} m²", { n: digits(m2) }) : t("{n} km²", { n: digits(m2 / 1e6) }));

  class Measure {
    constructor(owner) {
      this.owner = owner;
      this.map = owner.map;
      this.points = [];
      this.map.createPane("az-measure").style.zIndex = "645";
      this.shown = L.layerGroup().addTo(this.map);
      this.buttons = {};
      const bar = L.control({ position: "topleft" });
      bar.onAdd = () => {
        const box = element("div", "leaflet-bar az-measure-bar");
        L.DomEvent.disableClickPropagation(box);
        for (const [mode, [title, path]] of Object.entries(ICONS)) {
          const link = (this.buttons[mode] = element("a"));
          link.href = "#";
          link.title = title;
          link.setAttribute("aria-pressed", "false");
          link.append(icon(path));
          link.addEventListener("click", (event) => { event.preventDefault(); this.start(this.mode === mode ? null : mode); });
          box.append(link);
        }
        return box;
      };
      bar.addTo(this.map);
      this.map.on("mousemove", (event) => this.moved(event.latlng));
      this.map.getContainer().addEventListener("keydown", (event) => this.key(event), true);
    }

    get on() { return Boolean(this.mode); }

    start(mode) {
      this.mode = mode;
      this.points = [];
      this.pointer = null;
      this.asked = (this.asked || 0) + 1;
      this.shown.clearLayers();
      for (const [each, link] of Object.entries(this.buttons)) link.setAttribute("aria-pressed", String(each === mode));
      this.map.getContainer().classList.toggle("az-measuring", this.on);
      if (!mode) { this.map.doubleClickZoom.enable(); if (this.box) { this.box.remove(); this.box = null; } return; }
      this.map.doubleClickZoom.disable();
      if (!this.box) {
        this.box = element("div", "az-box az-measure");
        this.said = element("span", "az-measure-said");
        this.said.setAttribute("role", "status");
        this.box.append(this.said, this.button(t("Undo"), () => this.back()), this.button(t("Done"), () => this.start(null)));
        L.DomEvent.disableClickPropagation(this.box);
        this.map.getContainer().append(this.box);
      }
      this.said.textContent = mode === "area" ? t("Click around the area.") : t("Click along the way.");
      this.map.getContainer().focus({ preventScroll: true });
    }

    button(text, act) {
      const made = element("button", "", text);
      made.type = "button";
      made.addEventListener("click", act);
      return made;
    }

    add(latlng) {
      const last = this.points[this.points.length - 1];
      if (last && last.equals(latlng)) return;
      this.points.push(latlng);
      this.pointer = null;
      this.measure();
    }

    back() { this.points.pop(); this.pointer = null; this.measure(); }

    moved(latlng) {
      if (!this.on || !this.points.length || this.waiting) return;
      this.pointer = latlng;
      this.waiting = setTimeout(() => { this.waiting = null; if (this.on && this.pointer) this.measure(); }, WAIT_MS);
    }

    key(event) {
      if (!this.on || event.target.closest("button, a, select, input")) return;
      const acts = { Escape: () => this.start(null), Backspace: () => this.back(), Enter: () => this.add(this.map.getCenter()) };
      if (!acts[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      acts[event.key]();
    }

    measure() {
      const way = this.pointer ? [...this.points, this.pointer] : this.points;
      const asked = (this.asked = (this.asked || 0) + 1);
      if (!way.length) { this.shown.clearLayers(); return; }
      const text = way.map(({ lng, lat }) => `${lng.toFixed(6)},${Math.max(-90, Math.min(90, lat)).toFixed(6)}`).join(";");
      const closed = this.mode === "area";
      this.owner.get("/measure?" + new URLSearchParams({ points: text, area: closed ? "1" : "0" })).then((found) => {
        if (asked === this.asked && this.on) this.show(found, closed, way.length);
      }, (error) => this.owner.say(error.message));
    }

    show({ line, length_m, area_m2 }, closed, count) {
      this.shown.clearLayers();
      // The line begins on the copy of the world that was clicked on.
      const by = Math.round((this.points[0] || this.pointer).lng / 360 - line[0][0] / 360) * 360;
      const spots = line.map(([lon, lat]) => at(lon + by, lat));
      const look = { pane: "az-measure", interactive: false, color: INK, weight: 2.5, dashArray: this.pointer ? "5 5" : null };
      this.shown.addLayer(closed && count > 2 ? L.polygon(spots, { ...look, fillOpacity: 0.12 }) : L.polyline(spots, look));
      for (const spot of this.points) this.shown.addLayer(L.circleMarker(spot, { pane: "az-measure", interactive: false, radius: 4, color: "#ffffff", weight: 2, fillColor: INK, fillOpacity: 1 }));
      if (!closed) this.said.textContent = length(length_m);
      else this.said.textContent = count > 2 ? t("{area} · around it {length}", { area: area(area_m2), length: length(length_m) }) : length(length_m);
    }
  }

  window.AzimuthMeasure = Measure;
})();
