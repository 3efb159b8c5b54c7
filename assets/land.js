// What lies under the data: the offline base with its names, or online tiles; and the lines of the grid.
(function () {
  "use strict";

  const { at, element } = AzimuthParts;
  const TILES = {
    osm: { url: "https://tile.openstreetmap.org/{z}/{x}/{y}.png", zoom: 19, by: "© OpenStreetMap contributors" },
    satellite: {
      url: "https://server.arcgisonline.com/ArcGIS/rest/services/World_Imagery/MapServer/tile/{z}/{y}/{x}",
      zoom: 19, by: "Imagery © Esri, Maxar, Earthstar Geographics",
    },
    topo: {
      url: "https://{s}.tile.opentopomap.org/{z}/{x}/{y}.png", zoom: 17,
      by: "© OpenStreetMap contributors, SRTM; style © OpenTopoMap",
    },
  };

  class Land {
    constructor(owner, { version, skins }) {
      this.owner = owner;
      this.skins = skins;
      this.map = owner.map;
      this.graticule = false;
      const pane = this.map.createPane("az-lines");
      pane.style.zIndex = "365";
      pane.style.pointerEvents = "none";
      this.lines = L.layerGroup().addTo(this.map);
      this.base = new AzimuthBase.Base(this.map, version);
      this.names = new AzimuthNames(owner, version);
      this.skin = AzimuthBase.skinOf(skins, "offline", false);
      this.world = null;
    }

    moved() {
      this.names.moved();
      this.drawGraticule();
    }

    // The countries as GeoJSON: fetched once, and only where something is coloured by country.
    outlines() {
      if (!this.world) this.world = fetch("/api/basemap/world").then((answer) => answer.json());
      return this.world;
    }

    show(name) {
      if (this.name === name) return;
      this.name = name;
      this.online = false;
      if (this.tiles) { this.tiles.remove(); this.tiles = null; }
      const tiles = TILES[name];
      if (tiles) {
        this.tiles = L.tileLayer(tiles.url, { maxZoom: 22, maxNativeZoom: tiles.zoom, attribution: tiles.by, zIndex: 1 }).addTo(this.map);
        // Until something of it is there, the offline base stays.
        this.tiles.once("tileload", () => { this.online = true; this.theme(); });
        this.tiles.once("tileerror", () => this.owner.say(t("The online base map could not be loaded; the offline one stays.")));
      }
      this.theme();
    }

    theme(darkPage = this.darkPage) {
      this.darkPage = darkPage;
      const dark = this.name === "dark" || (darkPage && this.name !== "light");
      document.documentElement.dataset.theme = darkPage ? "dark" : "light";
      document.documentElement.dataset.base = this.online ? "tiles" : dark ? "dark" : "light";
      this.skin = AzimuthBase.skinOf(this.skins, this.name, darkPage);
      this.map.getContainer().style.background = this.online ? "" : this.skin.water;
      if (this.online) this.base.hide(); else this.base.show(this.skin);
      this.names.show(!this.online);
    }

    // No name stands half under a cluster: they are placed again when the clusters are.
    declutter() { this.names.place(); }

    drawGraticule() {
      this.lines.clearLayers();
      if (!this.graticule) return;
      const zoom = this.map.getZoom();
      const steps = [30, 30, 20, 10, 10, 5, 2, 1, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
      const step = steps[Math.min(steps.length - 1, Math.floor(zoom))];
      const box = this.map.getBounds().pad(0.1);
      const style = { pane: "az-lines", color: "#64748b", weight: 0.7, opacity: 0.6, interactive: false };
      const name = (value, plus, minus) => `${Math.abs(+value.toFixed(4))}°${value === 0 ? "" : value > 0 ? plus : minus}`;
      const write = (spot, text) => this.lines.addLayer(L.marker(spot, { pane: "az-lines", interactive: false, keyboard: false, icon: L.divIcon({ className: "az-degree", html: element("span", "", text), iconSize: [0, 0] }) }));
      const start = (low) => Math.ceil(low / step) * step;
      const seen = this.map.getBounds();
      for (let lon = start(box.getWest()); lon <= box.getEast(); lon += step) {
        this.lines.addLayer(L.polyline([at(lon, -85), at(lon, 85)], style));
        write(at(lon, seen.getNorth()), name(((((lon + 180) % 360) + 360) % 360) - 180, "E", "W"));
      }
      for (let lat = start(Math.max(-80, box.getSouth())); lat <= Math.min(80, box.getNorth()); lat += step) {
        this.lines.addLayer(L.polyline([at(box.getWest(), lat), at(box.getEast(), lat)], style));
        write(at(seen.getWest(), lat), name(lat, "N", "S"));
      }
    }
  }

  window.AzimuthLand = Land;
})();
