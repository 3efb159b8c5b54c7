// What is written on the offline base: countries, states, cities by size, seas, mountains, rivers. A name is written
// where it has room: none stands on another, or under a cluster; what matters more comes first.
(function () {
  "use strict";

  const { element } = AzimuthParts;
  const FONT = '"Source Sans 3 Variable", "Source Sans", system-ui, sans-serif';
  const MOST = 160;
  const TOWNS_FROM = 7; // towns below this zoom are Natural Earth's, which knows what matters; above, GeoNames', which has more
  const PADDING = 0.15;
  const APART_PX = 3;
  const SAME_DEG = 0.12;
  const INSIDE = 0.3;
  // px: letters; spaced: between them, in em. `ends`: the zoom from which on the name is too large for its thing.
  const LOOKS = {
    country: { px: 12.5, weight: 600, spaced: 0.09, upper: true, wrap: 11, ends: 9 },
    ocean: { px: 14, weight: 400, spaced: 0.14, italic: true, wrap: 9, ends: 7 },
    water: { px: 12, weight: 400, spaced: 0.06, italic: true, wrap: 12 },
    state: { px: 10.5, weight: 500, spaced: 0.11, upper: true, wrap: 14, ends: 9 },
    capital: { px: 13, weight: 650 },
    city1: { px: 13, weight: 600 },
    city2: { px: 12.5, weight: 550 },
    city3: { px: 12, weight: 450 },
    city4: { px: 11.5, weight: 420 },
    range: { px: 11, weight: 450, spaced: 0.1, italic: true, wrap: 12, ends: 9 },
    region: { px: 11, weight: 420, spaced: 0.1, italic: true, wrap: 12, ends: 9 },
    island: { px: 11, weight: 420, spaced: 0.04, italic: true, wrap: 14, ends: 11 },
    lake: { px: 11, weight: 400, italic: true, wrap: 12 },
    river: { px: 10.5, weight: 400, spaced: 0.05, italic: true },
    park: { px: 10.5, weight: 450, wrap: 16 },
    airport: { px: 10.5, weight: 450 },
    port: { px: 10.5, weight: 450 },
  };
  const DOTTED = new Set(["capital", "city1", "city2", "city3", "city4", "airport", "port"]);
  const LARGE = new Set(["capital", "city1", "city2"]);
  const STOPS = { zooms: [2, 5, 8], grows: [0.88, 1, 1.08] };

  const scale = (zoom) => {
    const [a, b, c] = STOPS.zooms, [u, v, w] = STOPS.grows;
    if (zoom <= a) return u;
    return zoom < b ? u + ((v - u) * (zoom - a)) / (b - a) : Math.min(w, v + ((w - v) * (zoom - b)) / (c - b));
  };

  function lines(text, most) {
    if (!most || text.length <= most) return [text];
    const found = [];
    for (const word of text.split(" ")) {
      const last = found.length - 1;
      if (last >= 0 && (found[last] + " " + word).length <= most) found[last] += " " + word;
      else found.push(word);
    }
    return found;
  }

  const longest = (rows) => Math.max(...rows.map((row) => row.length));

  // Two sources place one city a little apart.
  const beside = (name, lon, lat) => Math.abs(name[1] - lon) < SAME_DEG && Math.abs(name[2] - lat) < SAME_DEG;

  class Names {
    constructor(owner, version) {
      this.owner = owner;
      this.map = owner.map;
      const pane = this.map.createPane("az-names");
      pane.style.zIndex = "360";
      pane.style.pointerEvents = "none";
      this.drawn = new Map();
      this.towns = [];
      this.ink = document.createElement("canvas").getContext("2d");
      this.widths = new Map();
      this.known = fetch("/api/basemap/names?v=" + version).then((answer) => answer.json());
      this.known.then((names) => { this.names = names; this.place(); }, () => owner.say(t("The base map's names could not be loaded.")));
      // Letters are measured as they are drawn: once more when the font is there.
      document.fonts.load(`500 12px ${FONT}`).then(() => { this.widths.clear(); this.place(); }, () => {});
    }

    show(on) { this.on = on; this.moved(); }

    moved() {
      if (!this.on) { this.clear(); return; }
      if (this.map.getZoom() < TOWNS_FROM) this.towns = [];
      this.place();
      this.fetchTowns();
    }

    clear() {
      for (const { marker } of this.drawn.values()) marker.remove();
      this.drawn.clear();
    }

    fetchTowns() {
      const zoom = this.map.getZoom(), bounds = this.map.getBounds().pad(PADDING);
      const key = (this.townsKey = [zoom, bounds.toBBoxString()].join());
      if (zoom < TOWNS_FROM) return;
      const asked = new URLSearchParams({ bbox: this.owner.bbox(bounds), zoom: String(zoom) });
      fetch("/api/cities?" + asked).then((answer) => answer.json()).then(({ cities }) => {
        if (key !== this.townsKey) return;
        this.towns = cities.map((city) => ["city" + (city.rank < 300 ? 1 : city.rank < 2500 ? 2 : city.rank < 12000 ? 3 : 4), city.name, city.lon, city.lat]);
        this.place();
      }, () => {});
    }

    // [look, text, lon, lat, extra] of all that may be written now, what matters most first.
    *wanted(zoom, bounds) {
      const names = this.names, south = bounds.getSouth(), north = bounds.getNorth(), px = (256 * 2 ** zoom) / 360;
      const room = (name, letter, wrap) => name[4] * px * (Math.abs(name[2]) > 60 ? 1.4 : 1) > 8 + longest(lines(name[0], wrap)) * letter;
      const since = (kind, plus = 0) => names[kind].filter((name) => name[3] + plus <= zoom && name[2] > south && name[2] < north);
      const capitals = since("city").filter((name) => name[4] <= 1);
      for (const name of names.country) if (room(name, 7 * scale(zoom), LOOKS.country.wrap)) yield ["country", ...name];
      for (const name of since("water")) if (name[4] === 0) yield ["ocean", ...name];
      if (zoom >= 3) for (const name of since("city", 0.7)) if (name[4] <= 1) yield [name[4] ? "city1" : "capital", ...name];
      for (const name of since("water", 0.5)) if (name[4] > 0) yield ["water", ...name];
      if (zoom < TOWNS_FROM + 2) for (const name of names.state) if (zoom >= name[3] && room(name, zoom < 6 ? 13 : 8, LOOKS.state.wrap)) yield ["state", ...name];
      if (zoom >= 4 && zoom < TOWNS_FROM) for (const name of since("city")) if (name[4] > 1) yield ["city" + name[4], ...name];
      for (const town of this.towns) if (!capitals.some((name) => beside(name, town[2], town[3]))) yield town;
      if (zoom >= TOWNS_FROM) for (const name of since("city", 1)) if (name[4] > 1 && !this.towns.some((town) => beside(name, town[2], town[3]))) yield ["city" + name[4], ...name];
      for (const kind of ["range", "region"]) for (const name of since(kind, 1)) yield [kind, ...name];
      for (const name of since("lake", 1)) yield ["lake", ...name];
      for (const name of since("park")) yield ["park", ...name];
      for (const kind of ["airport", "port"]) for (const name of since(kind)) yield [kind, ...name];
      for (const name of since("island", 1.5)) yield ["island", ...name];
      for (const name of since("river", 1)) yield ["river", ...name];
    }

    // Which names are written: placed anew whenever the map or what covers it has changed.
    place() {
      if (!this.on || !this.names) return;
      const zoom = this.map.getZoom(), grown = scale(zoom);
      const bounds = this.map.getBounds().pad(PADDING);
      const marks = this.covered(), taken = [...marks];
      const meets = (box) => (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
      const free = (box) => !taken.some(meets(box));
      const kept = new Set();
      for (const [look, text, lon, lat, , extra] of this.wanted(zoom, bounds)) {
        if (kept.size >= MOST) break;
        const style = LOOKS[look];
        if (style.ends && zoom >= style.ends) continue;
        const spot = this.owner.near([lon, lat]);
        if (!bounds.contains(spot)) continue;
        const key = [look, text, lon, lat].join("|");
        if (kept.has(key)) continue;
        const rows = lines(text, style.wrap), size = style.px * grown;
        const wide = Math.max(...rows.map((row) => this.width(row, style))) * grown, high = rows.length * size * 1.15;
        const point = this.map.latLngToLayerPoint(spot);
        const turned = look === "river" ? extra : 0;
        const room = look === "country" || look === "state" ? extra * ((256 * 2 ** zoom) / 360) : Infinity;
        const dot = [point.x - 4, point.y - 4, point.x + 4, point.y + 4];
        const hidden = marks.some(meets(dot));
        if (DOTTED.has(look) && !hidden && !free(dot)) continue;
        const found = this.spots(look, wide, high, turned, room, hidden).find(([dx, dy, w, h]) =>
          free([point.x + dx - APART_PX, point.y + dy - APART_PX, point.x + dx + w + APART_PX, point.y + dy + h + APART_PX]));
        if (!found) continue;
        const [dx, dy, w, h] = found;
        taken.push([point.x + dx, point.y + dy, point.x + dx + w, point.y + dy + h]);
        if (DOTTED.has(look) && !hidden) taken.push(dot);
        kept.add(key);
        this.write(key, spot, look, rows, size, dx + w / 2, dy + h / 2, turned, hidden);
      }
      for (const [key, { marker }] of this.drawn) if (!kept.has(key)) { marker.remove(); this.drawn.delete(key); }
    }

    // Where a name may stand, from the point that it names: left, top, width, height in pixels, the best first.
    // A city under a cluster is named beside the cluster; a country's name stays well inside the country.
    spots(look, wide, high, turned, room, hidden) {
      if (turned) {
        const angle = (turned * Math.PI) / 180;
        const w = Math.abs(wide * Math.cos(angle)) + Math.abs(high * Math.sin(angle));
        const h = Math.abs(wide * Math.sin(angle)) + Math.abs(high * Math.cos(angle));
        return [[-w / 2, -h / 2, w, h]];
      }
      if (DOTTED.has(look)) {
        const around = (by) => [[by, -high / 2], [-by - wide, -high / 2], [-wide / 2, -high - by + 2], [-wide / 2, by - 2]];
        const ways = hidden ? (LARGE.has(look) ? [20, 32, 46].flatMap(around) : []) : around(7);
        return ways.map(([x, y]) => [x, y, wide, high]);
      }
      const middle = [-wide / 2, -high / 2, wide, high];
      const moved = { country: [0, -22, 22, -40, 40], state: [0, -16, 16], ocean: [0, -30, 30], water: [0, -14, 14] }[look] || [0];
      return moved.filter((by) => Math.abs(by) < room * INSIDE || by === 0).map((by) => [middle[0], middle[1] + by, wide, high]);
    }

    // What lies on the map already, as boxes in the layers' own pixels.
    covered() {
      const home = this.map.getPane("mapPane").getBoundingClientRect();
      const marks = this.map.getContainer().querySelectorAll(".az-cluster, .az-label, .az-feature-label, .az-pin");
      return [...marks].filter((node) => node.offsetParent).map((node) => {
        const { left, top, right, bottom } = node.getBoundingClientRect();
        return [left - home.left, top - home.top, right - home.left, bottom - home.top];
      });
    }

    width(text, style) {
      const key = style.px + style.weight + text;
      if (!this.widths.has(key)) {
        this.ink.font = `${style.italic ? "italic " : ""}${style.weight} ${style.px}px ${FONT}`;
        const shown = style.upper ? text.toUpperCase() : text;
        this.widths.set(key, this.ink.measureText(shown).width + shown.length * style.px * (style.spaced || 0) + 2);
      }
      return this.widths.get(key);
    }

    write(key, spot, look, rows, size, x, y, turned, hidden) {
      const there = this.drawn.get(key);
      const city = DOTTED.has(look);
      const face = there ? there.face : element("span", "az-name az-" + look + (city ? " az-city" : ""));
      face.style.fontSize = size.toFixed(1) + "px";
      face.style.translate = `calc(${x.toFixed(1)}px - 50%) calc(${y.toFixed(1)}px - 50%)`;
      if (turned) face.style.rotate = turned + "deg";
      if (there) there.marker.getElement().classList.toggle("az-beside", hidden);
      if (there) { if (!there.marker.getLatLng().equals(spot)) there.marker.setLatLng(spot); return; }
      rows.forEach((row, i) => { if (i) face.append(document.createElement("br")); face.append(row); });
      const box = element("div");
      if (city) box.append(element("i", "az-dot az-dot-" + look));
      box.append(face);
      const icon = L.divIcon({ html: box, className: "az-name-box" + (hidden ? " az-beside" : ""), iconSize: [0, 0] });
      const marker = L.marker(spot, { icon, pane: "az-names", interactive: false, keyboard: false }).addTo(this.map);
      this.drawn.set(key, { marker, face });
    }
  }

  window.AzimuthNames = Names;
})();
