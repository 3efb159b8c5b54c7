// How the offline base looks: what is painted of the vector tiles, over the shaded relief, in the colours of a skin
// (data/basemap/skins.json, which what is printed has too).
(function () {
  "use strict";

  const { LineSymbolizer, PolygonSymbolizer, linear } = protomapsL;
  const DATA_ZOOM = 6;
  const LEVELS_BETWEEN = 2;
  const RELIEF_PX = 512;
  const RELIEF_ZOOM = 5; // of the map; its tiles are twice as wide as usual, so theirs is one less
  const RELIEF_ENDS = 12;

  const DEPTHS = [200, 3000, 5000];

  const faded = (colour, alpha) => colour + Math.round(255 * alpha).toString(16).padStart(2, "0");

  // A feature is drawn from its own zoom on, also where a tile that is enlarged holds it already.
  const inTime = (zoom, feature) => feature.props.shown === undefined || feature.props.shown <= zoom + 1;

  function area(dataLayer, fill, opacity, rest = {}) {
    return { dataLayer, symbolizer: new PolygonSymbolizer({ fill, opacity: opacity.length ? linear(opacity) : opacity }), filter: inTime, ...rest };
  }

  function line(dataLayer, color, width, rest = {}, look = {}) {
    const symbolizer = new LineSymbolizer({ color, width: linear(width), lineCap: "round", lineJoin: "round", ...look });
    return { dataLayer, symbolizer, filter: inTime, ...rest };
  }

  function edged(dataLayer, fill, stroke, width, rest = {}) {
    return { dataLayer, symbolizer: new PolygonSymbolizer({ fill, stroke, width: linear(width) }), filter: inTime, ...rest };
  }

  function paintRules(skin) {
    const depths = DEPTHS.map((metres, i) => area("deep", skin.deep[i], 1, { filter: (_, feature) => feature.props.metres === metres }));
    return [
      area("playas", skin.playa, 0.6, { minzoom: 5 }),
      area("parks", skin.park, [[5, 0.25], [8, 0.4]], { minzoom: 5 }),
      area("urban", skin.urban, [[4, 0.35], [7, 0.5], [9, 0.28], [11, 0.12]], { minzoom: 5, maxzoom: 11 }),
      area("glaciers", skin.ice, 0.75, { minzoom: 3 }),
      line("rivers", skin.river, [[3, 0.4], [6, 0.9], [9, 1.3], [12, 2]], { minzoom: 4 }),
      edged("water", skin.water, skin.coast, [[2, 0.3], [6, 0.8], [10, 1]]),
      ...depths,
      line("reefs", skin.reef, [[5, 0.5], [9, 1.4]], { minzoom: 6 }),
      edged("lakes", skin.water, skin.coast, [[3, 0.3], [7, 0.7]]),
      line("rails", skin.rail, [[6, 0.4], [10, 1]], { minzoom: 7 }),
      line("states", skin.state, [[3, 0.4], [6, 0.8], [10, 1.1]], { minzoom: 4 }, { dash: [4, 3] }),
      line("borders", skin.halo, [[2, 1.2], [6, 3], [10, 4.5]], { minzoom: 3 }),
      line("borders", skin.border, [[2, 0.5], [6, 1], [10, 1.5]]),
    ];
  }

  // Which of the skins a base has on a page that is dark or light.
  function skinOf(skins, base, darkPage) {
    if (base === "light" || base === "dark") return skins[base];
    return darkPage ? skins.night : skins.relief;
  }

  class Base {
    constructor(map, version) {
      this.map = map;
      this.address = (kind) => `/api/basemap/${kind}/{z}/{x}/{y}?v=${version}`;
      map.createPane("az-relief").style.zIndex = "140";
      map.createPane("az-land").style.zIndex = "150";
      for (const name of ["az-relief", "az-land"]) map.getPane(name).style.pointerEvents = "none";
      this.relief = L.tileLayer(this.address("relief"), {
        pane: "az-relief", tileSize: RELIEF_PX, zoomOffset: -1, maxNativeZoom: RELIEF_ZOOM, maxZoom: RELIEF_ENDS - 1,
      });
    }

    // The layer that is painted is made once for each skin: it knows its rules from its beginning.
    show(skin) {
      if (this.skin === skin) return;
      this.skin = skin;
      const before = this.land;
      this.land = protomapsL.leafletLayer({
        url: this.address("land"), pane: "az-land", maxDataZoom: DATA_ZOOM, levelDiff: LEVELS_BETWEEN,
        paintRules: paintRules(skin), labelRules: [], attribution: "Natural Earth, GeoNames",
      });
      const veil = linear(skin.veil);
      Object.defineProperty(this.land, "backgroundColor", { get: () => faded(skin.land, veil(this.map.getZoom())) });
      this.relief.addTo(this.map);
      this.land.addTo(this.map);
      if (before) before.remove();
    }

    // The same base for a small map: a pane of its own there, and nothing of the relief.
    small(skin) {
      const made = protomapsL.leafletLayer({
        url: this.address("land"), maxDataZoom: DATA_ZOOM, levelDiff: LEVELS_BETWEEN, paintRules: paintRules(skin), labelRules: [],
      });
      made.backgroundColor = skin.land;
      return made;
    }

    hide() {
      this.skin = null;
      this.relief.remove();
      if (this.land) { this.land.remove(); this.land = null; }
    }
  }

  window.AzimuthBase = { Base, skinOf };
})();
