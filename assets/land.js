// What lies under the data: land, borders, names and lines from this machine, or online tiles.
(function () {
  "use strict";

  const { at, element, shifted } = AzimuthParts;
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
  const SKIN = {
    light: { land: "#f6f4ee", line: "#c9c3b4", state: "#ded9cc" },
    dark: { land: "#232b36", line: "#435063", state: "#323d4c" },
  };
  const DETAIL_ZOOM = 5;

  class Land {
    constructor(owner) {
      this.owner = owner;
      this.map = owner.map;
      this.cache = {};
      this.skin = SKIN.light;
      this.graticule = false;
      for (const [name, order] of [["az-land", "150"], ["az-names", "360"], ["az-lines", "365"]]) {
        const pane = this.map.createPane(name);
        pane.style.zIndex = order;
        pane.style.pointerEvents = "none";
      }
      this.outlined = L.layerGroup().addTo(this.map);
      this.names = L.layerGroup().addTo(this.map);
      this.lines = L.layerGroup().addTo(this.map);
      this.renderer = L.canvas({ pane: "az-land", padding: 0.6 });
    }

    moved() {
      this.drawLand();
      this.drawGraticule();
    }

    outlines(name) {
      if (!this.cache[name]) this.cache[name] = fetch("/api/basemap/" + name).then((answer) => answer.json());
      return this.cache[name];
    }

    show(name) {
      if (this.name === name) return;
      this.name = name;
      if (this.tiles) { this.tiles.remove(); this.tiles = null; }
      const tiles = TILES[name];
      if (tiles) {
        this.tiles = L.tileLayer(tiles.url, { maxZoom: 22, maxNativeZoom: tiles.zoom, attribution: tiles.by, zIndex: 1 }).addTo(this.map);
        this.tiles.once("tileerror", () => this.owner.say("The online base map could not be loaded; the offline one stays."));
      }
      this.theme();
    }

    theme(darkPage = this.darkPage) {
      this.darkPage = darkPage;
      const dark = this.name === "dark" || (darkPage && this.name !== "light");
      document.documentElement.dataset.theme = darkPage ? "dark" : "light";
      document.documentElement.dataset.base = this.tiles ? "tiles" : dark ? "dark" : "light";
      this.skin = dark ? SKIN.dark : SKIN.light;
      this.drawn = null;
      this.drawLand();
    }

    drawLand() {
      const detailed = this.map.getZoom() >= DETAIL_ZOOM;
      const key = [detailed, this.skin.land, Boolean(this.tiles)].join();
      this.drawNames();
      if (key === this.drawn) return;
      this.drawn = key;
      const parts = [this.outlines(detailed ? "countries" : "world"), detailed ? this.outlines("states") : null];
      Promise.all(parts).then(([countries, states]) => {
        if (key !== this.drawn) return;
        const style = { color: this.skin.line, weight: 0.8, fillColor: this.skin.land, fillOpacity: 1 };
        const before = this.outlined;
        this.outlined = L.layerGroup();
        const draw = (features, look) => L.geoJSON(features, { renderer: this.renderer, pane: "az-land", interactive: false, style: look }).addTo(this.outlined);
        for (const by of [0, -360, 360]) {
          const copies = by === 0 ? countries.features : countries.features.filter((f) => !detailed || Math.abs(f.properties.label[0]) > 90 || ["RU", "US", "FJ", "NZ"].includes(f.properties.code));
          draw(copies.map((f) => ({ ...f, geometry: shifted(f.geometry, by) })), style);
        }
        if (states) draw(states, { color: this.skin.state, weight: 0.8, fill: false });
        if (!this.tiles) this.outlined.addTo(this.map);
        before.remove();
      }, () => this.owner.say("The base map's outlines could not be loaded."));
    }

    drawNames() {
      if (this.tiles) { this.names.clearLayers(); return; }
      const zoom = this.map.getZoom(), bounds = this.map.getBounds().pad(0.2);
      const key = (this.namesKey = [zoom, bounds.toBBoxString()].join());
      const asked = new URLSearchParams({ bbox: this.owner.bbox(bounds), zoom: String(zoom) });
      const cities = zoom < 4 ? null : fetch("/api/cities?" + asked).then((answer) => answer.json());
      Promise.all([this.outlines("world"), cities]).then(([world, places]) => {
        if (key !== this.namesKey) return;
        const px = (256 * 2 ** zoom) / 360;
        this.names.clearLayers();
        for (const city of places ? places.cities : []) this.names.addLayer(this.city(city));
        for (const { properties } of world.features) {
          const room = Math.sqrt(properties.area) * px * (Math.abs(properties.label[1]) > 60 ? 1.4 : 1);
          const spot = this.owner.near(properties.label);
          if (room < 14 + properties.name.length * 6.2 || !bounds.contains(spot) || properties.code === "AQ") continue;
          const face = element("span", "az-country", properties.name);
          this.names.addLayer(L.marker(spot, {
            icon: L.divIcon({ html: face, className: "az-country-box", iconSize: [0, 0] }), pane: "az-names", interactive: false, keyboard: false,
          }));
        }
        this.declutter();
      });
    }

    // No name stands half under a cluster or on another: a country's moves a little where there is room, others wait.
    declutter() {
      const place = (node) => { const { left, top, right, bottom } = node.getBoundingClientRect(); return { left, top, right, bottom }; };
      const taken = [...this.map.getContainer().querySelectorAll(".az-cluster")].filter((node) => node.offsetParent).map(place);
      const names = [...this.map.getPane("az-names").querySelectorAll(".az-city, .az-country")];
      for (const node of names) { node.style.translate = ""; node.style.visibility = ""; }
      const spots = names.map((node) => [node, place(node)]);
      const meets = (a) => taken.some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom);
      for (const [node, box] of spots) {
        const ways = node.classList.contains("az-country") ? [0, -22, 22, -40, 40] : [0];
        const free = ways.map((by) => [by, { ...box, top: box.top + by, bottom: box.bottom + by }]).find(([, spot]) => !meets(spot));
        if (!free) { node.style.visibility = "hidden"; continue; }
        if (free[0]) node.style.translate = `0 ${free[0]}px`;
        taken.push(free[1]);
      }
    }

    city(city) {
      const face = element("span", "az-city" + (city.rank < 150 ? " az-large" : ""), city.name);
      return L.marker(this.owner.near([city.lon, city.lat]), {
        icon: L.divIcon({ html: face, className: "az-city-box", iconSize: [0, 0] }), pane: "az-names", interactive: false, keyboard: false,
      });
    }

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
