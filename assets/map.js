// The data layers of Azimuth's map: fetched for the viewport, drawn from the session's state.
// Longitude comes first everywhere; `at()` is the one conversion to Leaflet's lat/lon.
(function () {
  "use strict";

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
  const BASES = [
    ["offline", "Land"], ["light", "Land, light"], ["dark", "Land, dark"],
    ["osm", "OpenStreetMap (online)"], ["satellite", "Satellite (online)"], ["topo", "Topography (online)"],
  ];
  const SKIN = {
    light: { land: "#f6f4ee", line: "#c9c3b4", coast: "#a9b7c0", state: "#ded9cc" },
    dark: { land: "#232b36", line: "#435063", coast: "#4d5c70", state: "#323d4c" },
  };
  const NEAR_POLYGON_PX = 7;
  const DETAIL_ZOOM = 5;

  function at(lon, lat) { return L.latLng(lat, lon); }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function short(count) {
    if (count < 1000) return String(count);
    if (count < 9950) return (count / 1000).toFixed(1).replace(/\.0$/, "") + "k";
    if (count < 999500) return Math.round(count / 1000) + "k";
    return (count / 1e6).toFixed(1).replace(/\.0$/, "") + "M";
  }

  const full = (count) => Number(count).toLocaleString("en-US");

  const written = (value) => (Number.isInteger(value) ? full(value) : String(+value.toPrecision(6)));

  function shifted(geometry, by) {
    if (!by || !geometry) return geometry;
    const move = (part) => (typeof part[0] === "number" ? [part[0] + by, part[1]] : part.map(move));
    return { type: geometry.type, coordinates: move(geometry.coordinates) };
  }

  function firstLon(geometry) {
    let part = geometry.coordinates;
    while (typeof part[0] !== "number") part = part[0];
    return part[0];
  }

  // The library draws into the common pane, where no layer's opacity, order or swipe reaches.
  const HeatInPane = L.HeatLayer.extend({
    onAdd(map) {
      L.HeatLayer.prototype.onAdd.call(this, map);
      map.getPane(this.options.pane).appendChild(this._canvas);
    },
    onRemove(map) {
      map.getPanes().overlayPane.appendChild(this._canvas);
      L.HeatLayer.prototype.onRemove.call(this, map);
    },
  });

  // Tiles of a raster, asked for only where it lies, on every copy of the world.
  const RasterTiles = L.TileLayer.extend({
    _isValidTile(coords) {
      if (!L.TileLayer.prototype._isValidTile.call(this, coords)) return false;
      const tile = this._tileCoordsToBounds(coords);
      const { west, south, east, north } = this.options.box;
      return [-720, -360, 0, 360, 720].some((by) => tile.overlaps([[south, west + by], [north, east + by]]));
    },
  });

  // -- one layer of the state ------------------------------------------------------------------

  class DataLayer {
    constructor(owner, view) {
      this.owner = owner;
      this.map = owner.map;
      this.view = view;
      this.paneName = "az-" + view.id.replace(/[^a-z0-9-]/gi, "_") + "-" + (DataLayer.made = (DataLayer.made || 0) + 1);
      this.pane = this.map.createPane(this.paneName);
      this.pane.classList.add("az-layer");
      this.renderer = L.svg({ pane: this.paneName, padding: 0.3 });
      this.note = "";
      this.loaded = null;
      this.period = null;
      this.dirty = true;
    }

    update(view, index) {
      const recoloured = view.color !== this.view.color;
      const refill = view.fill !== this.view.fill || view.tiles !== this.view.tiles;
      const restyle = view.color !== this.view.color || view.size !== this.view.size;
      const shown = view.visible && !this.view.visible;
      const regeometry = JSON.stringify(view.geometry) !== JSON.stringify(this.view.geometry);
      this.view = view;
      this.pane.style.zIndex = String(410 + index);
      this.pane.style.opacity = String(view.opacity);
      this.pane.style.display = view.visible ? "" : "none";
      if (refill || regeometry) { this.dirty = true; this.loaded = null; if (view.kind === "timeline") this.owner.timeline(this); }
      if (view.objects) return this.found(recoloured);
      if (restyle && this.content) this.draw(this.content);
      if (refill || regeometry || shown || this.dirty) this.fetch();
    }

    // Detections filter, show and take verdicts by themselves.
    found(recoloured) {
      const { id, reviews } = this.view.objects;
      if (this.objects && this.objects.id !== id) { this.objects.remove(); this.objects = null; }
      if (!this.objects) this.objects = new AzimuthObjects(this.owner, { id, space: "ground", pane: this.paneName, reviews, color: this.view.color });
      this.objects.update({ reviews, visible: this.view.visible, color: recoloured ? this.view.color : undefined });
    }

    remove() {
      if (this.objects) this.objects.remove();
      if (this.abort) this.abort.abort();
      if (this.group) this.group.remove();
      this.renderer.remove();
      this.pane.remove();
    }

    // Whether what was fetched still covers the view.
    covers() {
      if (this.dirty || !this.loaded) return false;
      if (this.view.kind === "choropleth") return true;
      return this.loaded.zoom === Math.round(this.map.getZoom()) && this.loaded.bounds.contains(this.map.getBounds());
    }

    fetch() {
      if (!this.view.visible) return;
      if (this.view.objects) { if (this.objects) this.objects.moved(); return; }
      if (this.view.kind === "drawing") return this.drawShape();
      if (this.view.kind === "raster") return this.drawPicture();
      if (this.covers()) return;
      if (this.abort) this.abort.abort();
      this.abort = new AbortController();
      const bounds = this.map.getBounds().pad(0.25);
      const zoom = Math.round(this.map.getZoom());
      const asked = new URLSearchParams({ bbox: this.owner.bbox(bounds), zoom: String(zoom) });
      if (this.period) asked.set("period", this.period);
      this.owner.get("/layers/" + encodeURIComponent(this.view.id) + "?" + asked, this.abort.signal).then(
        (content) => {
          this.dirty = false;
          this.loaded = { bounds, zoom };
          this.content = content;
          this.note = content.note || "";
          this.draw(content);
          this.owner.legend();
        },
        (error) => { if (error.name !== "AbortError") { this.note = error.message; this.owner.legend(); } },
      );
    }

    swap(group) {
      const before = this.group;
      this.group = group.addTo(this.map);
      if (before) before.remove();
    }

    draw(content) {
      const modes = {
        cells: () => this.cells(content), images: () => this.images(content), heat: () => this.heat(content),
        areas: () => this.areas(content), countries: () => this.countries(content), boxes: () => this.boxes(content),
        labels: () => this.labels(content), vector: () => this.shapes(content),
      };
      (modes[content.mode] || (() => L.layerGroup()))();
    }

    cells(content) {
      const dots = this.view.kind !== "clusters";
      const group = L.layerGroup();
      const most = Math.max(1, ...content.features.features.map((f) => f.properties.count));
      for (const feature of content.features.features) group.addLayer(dots ? this.dot(feature, most) : this.cluster(feature));
      this.swap(group);
    }

    cluster(feature) {
      const count = feature.properties.count;
      const size = Math.round(Math.min(46, 25 + 3.6 * Math.log10(count)));
      const face = element("span", "az-cluster", short(count));
      face.style.setProperty("--layer", this.view.color);
      face.style.width = face.style.height = size + "px";
      const icon = L.divIcon({ html: face, className: "az-cluster-box", iconSize: [size, size] });
      const marker = L.marker(this.owner.near(feature.geometry.coordinates), {
        icon, pane: this.paneName, keyboard: true, title: full(count) + (count === 1 ? " image" : " images"),
      });
      return this.opens(marker, feature);
    }

    dot(feature, most) {
      const count = feature.properties.count;
      const radius = Math.max(2.5, this.view.size * (0.5 + Math.sqrt(count / most)));
      const marker = L.circleMarker(this.owner.near(feature.geometry.coordinates), {
        renderer: this.renderer, pane: this.paneName, radius, weight: 1, color: "#ffffff", opacity: 0.7,
        fillColor: this.view.color, fillOpacity: 0.75,
      });
      marker.bindTooltip(() => element("span", "", full(count) + (count === 1 ? " image" : " images")), { direction: "top" });
      return this.opens(marker, feature);
    }

    opens(marker, feature) {
      const [west, south, east, north] = feature.properties.bbox;
      marker.on("click", () => {
        const middle = this.owner.near(feature.geometry.coordinates);
        const box = L.latLngBounds(this.owner.near([west, south]), this.owner.near([east, north]));
        const zoom = Math.min(this.map.getMaxZoom(), Math.max(this.map.getZoom() + 2, this.map.getBoundsZoom(box)));
        const target = box.isValid() && this.map.getBoundsZoom(box) > this.map.getZoom() + 1 ? box.getCenter() : middle;
        this.owner.move(target, Math.min(zoom, 16));
      });
      const count = feature.properties.count;
      const label = full(count) + (count === 1 ? " image" : " images") + ": zoom in";
      marker.on("add", () => reachable(marker.getElement(), label, marker));
      return marker;
    }

    images(content) {
      const group = L.layerGroup();
      const spot = ({ lon, lat }) => Math.round(lon * 50) + "," + Math.round(lat * 50);
      const stacks = {};
      for (const { properties } of content.features.features) stacks[spot(properties)] = (stacks[spot(properties)] || 0) + 1;
      for (const feature of content.features.features) {
        group.addLayer(feature.properties.count ? this.cluster(feature) : this.image(feature, stacks[spot(feature.properties)]));
      }
      this.swap(group);
    }

    // A footprint where it is large enough to see, else a point.
    // Many of one place share the fill, so that the map below stays in sight.
    image(feature, stacked) {
      const about = feature.properties;
      const outlined = this.view.kind !== "points" && feature.geometry.type !== "Point";
      let shape;
      if (outlined) {
        shape = this.polygon(feature);
        shape.setStyle({ fillOpacity: 0.18 / Math.max(1, stacked || 1) });
        const box = shape.getBounds();
        const px = this.map.latLngToLayerPoint(box.getSouthEast()).distanceTo(this.map.latLngToLayerPoint(box.getNorthWest()));
        if (px < NEAR_POLYGON_PX) shape = null;
      }
      shape = shape || L.circleMarker(this.owner.near([about.lon, about.lat]), {
        renderer: this.renderer, pane: this.paneName, radius: Math.max(3, this.view.size * 0.8), weight: 1.5,
        color: "#ffffff", fillColor: this.view.color, fillOpacity: 0.9,
      });
      return this.record(shape, about);
    }

    polygon(feature, weight) {
      const by = this.owner.turn(firstLon(feature.geometry));
      return L.geoJSON(shifted(feature.geometry, by), {
        renderer: this.renderer, pane: this.paneName,
        style: { color: this.view.color, weight: weight || 1.5, fillColor: this.view.color, fillOpacity: 0.18 },
        pointToLayer: (_, spot) => L.circleMarker(spot, {
          renderer: this.renderer, pane: this.paneName, radius: this.view.size, weight: 1.5, color: "#ffffff",
          fillColor: this.view.color, fillOpacity: 0.9,
        }),
      });
    }

    record(shape, about) {
      shape.bindTooltip(() => tooltip(about.hover, about.name), { sticky: true, direction: "top", className: "az-tip" });
      if (about.id) {
        shape.on("click", (event) => { L.DomEvent.stop(event); this.owner.call("show_image", { image: about.id }); });
        const label = "Open the record of " + (about.name || about.id);
        shape.on("add", () => {
          const leaves = shape.getLayers ? shape.getLayers() : [shape];
          for (const leaf of leaves) if (leaf.getElement) reachable(leaf.getElement(), label, shape);
        });
      }
      return shape;
    }

    boxes(content) {
      const group = L.layerGroup();
      for (const feature of content.features.features) group.addLayer(this.record(this.polygon(feature, 1.5), feature.properties));
      this.swap(group);
    }

    shapes(content) {
      const group = L.layerGroup();
      for (const feature of content.features.features) {
        const shape = this.polygon(feature, 2);
        shape.bindTooltip(() => tooltip(feature.properties.hover), { sticky: true, className: "az-tip" });
        group.addLayer(shape);
      }
      this.swap(group);
    }

    heat(content) {
      const points = content.features.features.map((f) => {
        const spot = this.owner.near(f.geometry.coordinates);
        return [spot.lat, spot.lng, Math.log1p(f.properties.count)];
      });
      const strong = points.map((p) => p[2]).sort((a, b) => a - b);
      const max = strong.length ? strong[Math.floor(strong.length * 0.97)] * 1.2 : 1;
      this.swap(new HeatInPane(points, {
        pane: this.paneName, radius: 22, blur: 18, max, minOpacity: 0.25, maxZoom: 0,
        gradient: { 0.2: "#4575b4", 0.4: "#74add1", 0.6: "#fee090", 0.8: "#f46d43", 1: "#a50026" },
      }));
    }

    areas(content) {
      const group = L.layerGroup();
      const most = Math.max(1, ...content.features.features.map((f) => f.properties.count));
      for (const feature of content.features.features) {
        const strength = Math.log1p(feature.properties.count) / Math.log1p(most);
        const shape = this.polygon(feature, 0.8);
        shape.setStyle({ fillOpacity: 0.12 + 0.7 * strength, opacity: 0.6 });
        const about = (feature.properties.key ? feature.properties.key + ": " : "") + full(feature.properties.count);
        shape.bindTooltip(() => element("span", "", about), { sticky: true });
        group.addLayer(shape);
      }
      this.swap(group);
    }

    countries(content) {
      this.owner.outlines("world").then((world) => {
        const counts = new Map(content.features.features.map((f) => [f.properties.key, f.properties.count]));
        const most = Math.max(1, ...counts.values());
        const group = L.layerGroup();
        for (const country of world.features) {
          const count = counts.get(country.properties.code);
          if (!count) continue;
          const shape = L.geoJSON(country, {
            renderer: this.renderer, pane: this.paneName,
            style: {
              color: this.view.color, weight: 0.8, opacity: 0.7, fillColor: this.view.color,
              fillOpacity: 0.1 + 0.75 * (Math.log1p(count) / Math.log1p(most)),
            },
          });
          shape.bindTooltip(() => element("span", "", country.properties.name + ": " + full(count)), { sticky: true });
          group.addLayer(shape);
        }
        this.swap(group);
      });
    }

    labels(content) {
      const group = L.layerGroup();
      for (const feature of content.features.features) {
        const text = element("span", "az-label", feature.properties.text || "–");
        const icon = L.divIcon({ html: text, className: "az-label-box", iconSize: null });
        const marker = L.marker(this.owner.near(feature.geometry.coordinates), { icon, pane: this.paneName, keyboard: true, alt: feature.properties.text });
        group.addLayer(this.record(marker, { ...feature.properties, name: feature.properties.text, hover: [] }));
      }
      this.swap(group);
    }

    drawShape() {
      const geometry = this.view.geometry;
      const by = this.owner.turn(firstLon(geometry));
      const marker = geometry.type === "Point";
      const shape = L.geoJSON(shifted(geometry, by), {
        renderer: this.renderer, pane: this.paneName,
        style: { color: this.view.color, weight: 2.5, dashArray: "6 5", fillColor: this.view.color, fillOpacity: 0.08 },
        pointToLayer: (_, spot) => L.marker(spot, { icon: this.pin(), pane: this.paneName, alt: this.view.name }),
      });
      const label = this.view.options.label || this.view.name;
      shape.bindTooltip(() => element("span", "", label), marker ? { permanent: Boolean(this.view.options.label), direction: "right", offset: [10, -14] } : { sticky: true });
      this.dirty = false;
      this.swap(shape);
    }

    pin() {
      const face = element("span", "az-pin");
      face.style.setProperty("--layer", this.view.color);
      return L.divIcon({ html: face, className: "az-pin-box", iconSize: [22, 22], iconAnchor: [11, 20] });
    }

    drawPicture() {
      if (!this.dirty && this.group) return;
      const { west, south, east, north } = this.view.options;
      const right = east < west ? east + 360 : east;
      const base = this.owner.base + "/layers/" + encodeURIComponent(this.view.id);
      if (this.view.tiles) return this.drawTiles(base, { west, south, east: right, north });
      const url = base + "/picture.png?fill=" + this.view.fill;
      const picture = L.imageOverlay(url, [[south, west], [north, right]], { pane: this.paneName, alt: this.view.name, className: "az-picture" });
      picture.on("error", () => { this.note = "Its pixels could not be read."; this.owner.legend(); });
      this.dirty = false;
      this.swap(picture);
    }

    // The tiles of the look before stay until those of the new one are there.
    drawTiles(base, box) {
      const before = this.group;
      const tiles = new RasterTiles(base + "/tiles/{z}/{x}/{y}.png?fill=" + this.view.fill, {
        pane: this.paneName, box, maxZoom: 24, className: "az-tile", updateWhenZooming: false,
      });
      const drop = () => { if (before) before.remove(); };
      tiles.once("load", drop);
      setTimeout(drop, 4000);
      let told = false;
      tiles.on("tileerror", () => {
        if (told) return;
        told = true;
        this.note = "Its pixels could not be read.";
        this.owner.legend();
      });
      this.note = "";
      this.dirty = false;
      this.group = tiles.addTo(this.map);
    }

    flash() {
      this.pane.classList.remove("az-flash");
      void this.pane.offsetWidth;
      this.pane.classList.add("az-flash");
    }
  }

  function tooltip(pairs, name) {
    const box = element("div", "az-tip-body");
    if (name) box.append(element("strong", "", name));
    for (const [key, value] of pairs || []) {
      if (value === name) continue;
      const line = element("div");
      line.append(element("span", "az-tip-key", key.replace(/_/g, " ") + " "), document.createTextNode(value));
      box.append(line);
    }
    return box;
  }

  function reachable(node, label, shape) {
    if (!node || node.dataset.az) return;
    node.dataset.az = "1";
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", label);
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); shape.fire("click", { originalEvent: event }); }
    });
  }

  // -- the map ---------------------------------------------------------------------------------

  class AzimuthMap extends AzimuthSurface {
    constructor(map, options) {
      super(map, options.session);
      this.layers = new Map();
      this.cache = {};
      this.skin = SKIN.light;
      map.options.worldCopyJump = true;
      map.attributionControl.setPrefix(false);
      map.createPane("az-land").style.zIndex = "150";
      map.createPane("az-names").style.zIndex = "360";
      map.createPane("az-lines").style.zIndex = "365";
      map.createPane("az-area").style.zIndex = "370";
      map.createPane("az-selected").style.zIndex = "640";
      for (const name of ["az-land", "az-names", "az-lines"]) map.getPane(name).style.pointerEvents = "none";
      this.land = L.layerGroup().addTo(map);
      this.names = L.layerGroup().addTo(map);
      this.lines = L.layerGroup().addTo(map);
      this.landRenderer = L.canvas({ pane: "az-land", padding: 0.6 });
      this.controls();
      this.watchTheme();
      map.on("moveend", () => this.moved());
      map.on("draw:created", (event) => this.drawn(event));
      map.on("draw:drawstart", () => { this.drawing = true; });
      map.on("draw:drawstop", () => setTimeout(() => { this.drawing = false; }, 300));
      map.on("click", (event) => this.clicked(event));
      new ResizeObserver(() => map.invalidateSize({ pan: false })).observe(map.getContainer());
      this.preview = new AzimuthPreview(this);
      this.channel = new BroadcastChannel("azimuth-" + options.session);
      this.channel.onmessage = (message) => this.told(message.data);
      map.getContainer().setAttribute("aria-label", "Map");
      this.refresh();
    }

    source() { return "/view"; }

    told(message) {
      if (message.version !== undefined && message.version !== this.version) this.refresh();
      if (message.job !== undefined) this.preview.told(message.job);
      if (message.flash) { const layer = this.layers.get(message.flash); if (layer) layer.flash(); }
    }

    show(view) {
      const first = this.view === undefined;
      this.view = view;
      this.version = view.version;
      this.camera(view.camera, first);
      this.basemap(view.basemap);
      const wanted = new Set(view.layers.map((layer) => layer.id));
      for (const [id, layer] of this.layers) if (!wanted.has(id)) { layer.remove(); this.layers.delete(id); }
      view.layers.forEach((each, index) => {
        let layer = this.layers.get(each.id);
        if (layer && layer.view.kind !== each.kind) { layer.remove(); layer = undefined; }
        if (!layer) { layer = new DataLayer(this, each); this.layers.set(each.id, layer); if (each.kind === "timeline") this.timeline(layer); }
        layer.update(each, index);
      });
      this.dropTimelines();
      const labelled = view.layers.some((each) => each.visible && each.kind === "labels");
      this.map.getContainer().classList.toggle("az-labelled", labelled);
      this.area(view.area);
      this.selected(view.selected);
      this.switches(view.controls);
      this.swipe(view.swipe);
      this.legend();
      this.map.getContainer().dataset.version = view.version;
    }

    camera(camera, first) {
      if (camera.seq === this.cameraSeq) return;
      this.cameraSeq = camera.seq;
      const [lon, lat] = camera.center;
      if (first) this.map.setView(at(lon, lat), camera.zoom, { animate: false });
      else this.move(at(lon, lat), camera.zoom);
    }

    move(center, zoom) {
      const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (calm) this.map.setView(center, zoom, { animate: false });
      else this.map.flyTo(center, zoom, { duration: 0.6 });
    }

    moved() {
      for (const layer of this.layers.values()) layer.fetch();
      this.drawLand();
      this.graticule();
      if (this.swipeBar) this.clip();
    }

    // Longitudes drawn on the copy of the world that is in view.
    turn(lon) {
      const middle = this.map.getCenter().lng;
      return Math.round((middle - lon) / 360) * 360;
    }

    // Where a detection's corner is drawn, and the copy of the world that all of them are drawn on.
    place(position, by) { return at(position[0] + by, position[1]); }

    turned(items) {
      const first = items.values().next().value;
      return first ? this.turn(firstLon(first.geometry)) : 0;
    }

    near(position) { return at(position[0] + this.turn(position[0]), position[1]); }

    bbox(bounds) {
      const wrap = (lon) => (lon >= -180 && lon <= 180 ? lon : ((((lon + 180) % 360) + 360) % 360) - 180);
      const south = Math.max(-90, bounds.getSouth()), north = Math.min(90, bounds.getNorth());
      const whole = bounds.getEast() - bounds.getWest() >= 360;
      const west = whole ? -180 : wrap(bounds.getWest()), east = whole ? 180 : wrap(bounds.getEast());
      return [west, south, east, north].map((part) => part.toFixed(6)).join(",");
    }

    // -- base --

    outlines(name) {
      if (!this.cache[name]) this.cache[name] = fetch("/api/basemap/" + name).then((answer) => answer.json());
      return this.cache[name];
    }

    basemap(name) {
      if (this.baseName === name) return;
      this.baseName = name;
      if (this.baseSelect) this.baseSelect.value = name;
      if (this.tiles) { this.tiles.remove(); this.tiles = null; }
      const tiles = TILES[name];
      if (tiles) {
        this.tiles = L.tileLayer(tiles.url, { maxZoom: 22, maxNativeZoom: tiles.zoom, attribution: tiles.by, zIndex: 1 }).addTo(this.map);
        this.tiles.once("tileerror", () => this.say("The online base map could not be loaded; the offline one stays."));
      }
      this.theme();
    }

    theme() {
      const dark = this.baseName === "dark" || (this.darkPage && this.baseName !== "light");
      document.documentElement.dataset.theme = this.darkPage ? "dark" : "light";
      document.documentElement.dataset.base = this.tiles ? "tiles" : dark ? "dark" : "light";
      this.skin = dark ? SKIN.dark : SKIN.light;
      this.landKey = null;
      this.drawLand();
    }

    drawLand() {
      const detailed = this.map.getZoom() >= DETAIL_ZOOM;
      const key = [detailed, this.skin.land, Boolean(this.tiles)].join();
      this.drawNames();
      if (key === this.landKey) return;
      this.landKey = key;
      const parts = [this.outlines(detailed ? "countries" : "world"), detailed ? this.outlines("states") : null];
      Promise.all(parts).then(([countries, states]) => {
        if (key !== this.landKey) return;
        const style = { color: this.skin.line, weight: 0.8, fillColor: this.skin.land, fillOpacity: 1 };
        const before = this.land;
        this.land = L.layerGroup();
        const draw = (features, look) => L.geoJSON(features, { renderer: this.landRenderer, pane: "az-land", interactive: false, style: look }).addTo(this.land);
        for (const by of [0, -360, 360]) {
          const copies = by === 0 ? countries.features : countries.features.filter((f) => !detailed || Math.abs(f.properties.label[0]) > 90 || ["RU", "US", "FJ", "NZ"].includes(f.properties.code));
          draw(copies.map((f) => ({ ...f, geometry: shifted(f.geometry, by) })), style);
        }
        if (states) draw(states, { color: this.skin.state, weight: 0.8, fill: false });
        if (!this.tiles) this.land.addTo(this.map);
        before.remove();
      }, () => this.say("The base map's outlines could not be loaded."));
    }

    drawNames() {
      if (this.tiles) { this.names.clearLayers(); return; }
      const zoom = this.map.getZoom(), bounds = this.map.getBounds().pad(0.2);
      const key = (this.namesKey = [zoom, bounds.toBBoxString()].join());
      const asked = new URLSearchParams({ bbox: this.bbox(bounds), zoom: String(zoom) });
      const cities = zoom < 4 ? null : fetch("/api/cities?" + asked).then((answer) => answer.json());
      Promise.all([this.outlines("world"), cities]).then(([world, places]) => {
        if (key !== this.namesKey) return;
        const px = (256 * 2 ** zoom) / 360;
        this.names.clearLayers();
        for (const city of places ? places.cities : []) this.names.addLayer(this.city(city));
        for (const { properties } of world.features) {
          const room = Math.sqrt(properties.area) * px * (Math.abs(properties.label[1]) > 60 ? 1.4 : 1);
          const spot = this.near(properties.label);
          if (room < 14 + properties.name.length * 6.2 || !bounds.contains(spot) || properties.code === "AQ") continue;
          const face = element("span", "az-country", properties.name);
          this.names.addLayer(L.marker(spot, {
            icon: L.divIcon({ html: face, className: "az-country-box", iconSize: [0, 0] }), pane: "az-names", interactive: false, keyboard: false,
          }));
        }
      });
    }

    city(city) {
      const face = element("span", "az-city" + (city.rank < 150 ? " az-large" : ""), city.name);
      return L.marker(this.near([city.lon, city.lat]), {
        icon: L.divIcon({ html: face, className: "az-city-box", iconSize: [0, 0] }), pane: "az-names", interactive: false, keyboard: false,
      });
    }

    // A click on a detection opens its card; elsewhere it reads the pixels.
    clicked(event) {
      if (this.drawing || !this.view) return;
      for (const each of [...this.view.layers].reverse()) {
        const layer = this.layers.get(each.id);
        const item = layer && layer.objects && layer.objects.hit(event.latlng);
        if (item) { layer.objects.open(item.id, false); return; }
      }
      this.pixels(event);
    }

    // -- pixel values at a click --

    pixels(event) {
      if (this.drawing || !this.view || !this.view.layers.some((each) => each.visible && each.tiles)) return;
      const { lng, lat } = event.latlng;
      if (Math.abs(lat) > 90) return;
      const lon = ((((lng + 180) % 360) + 360) % 360) - 180;
      const spot = `${lon.toFixed(5)}, ${lat.toFixed(5)}`;
      const asked = (this.pixelsAsked = (this.pixelsAsked || 0) + 1);
      this.get("/pixels?" + new URLSearchParams({ lon: String(lon), lat: String(lat) })).then(({ layers }) => {
        if (asked !== this.pixelsAsked || !layers.length) return;
        const box = element("div", "az-pixels");
        for (const { name, values } of layers) box.append(this.pixelTable(name, values));
        box.append(element("div", "az-pixels-spot", spot));
        L.popup({ className: "az-popup", maxWidth: 320 }).setLatLng(event.latlng).setContent(box).openOn(this.map);
      }, (error) => this.say(error.message));
    }

    pixelTable(name, values) {
      const table = element("table");
      table.append(element("caption", "", name));
      for (const each of values) {
        const line = table.insertRow();
        const none = each.value === null;
        line.append(element("th", "", each.name), element("td", none ? "az-none" : "", none ? "no data" : written(each.value) + (each.unit ? " " + each.unit : "")));
      }
      return table;
    }

    // -- selection, controls --

    selected(image) {
      if (this.mark) { this.mark.remove(); this.mark = null; }
      if (!image) return;
      const [west, south, east, north] = image.bbox;
      const by = this.turn(west);
      const box = L.latLngBounds(at(west + by, south), at((east < west ? east + 360 : east) + by, north));
      const point = west === east && south === north;
      this.mark = point
        ? L.circleMarker(box.getCenter(), { pane: "az-selected", radius: 12, color: "#facc15", weight: 3, fill: false, interactive: false })
        : L.rectangle(box, { pane: "az-selected", color: "#facc15", weight: 3, fill: false, interactive: false });
      this.mark.addTo(this.map);
    }

    // Where the selection is narrowed to.
    area(geometry) {
      const key = JSON.stringify(geometry);
      if (key === this.areaKey) return;
      this.areaKey = key;
      if (this.areaShape) { this.areaShape.remove(); this.areaShape = null; }
      if (!geometry) return;
      this.areaShape = L.geoJSON(shifted(geometry, this.turn(firstLon(geometry))), {
        pane: "az-area", interactive: false, style: { color: "#0f766e", weight: 1.5, dashArray: "4 5", fillColor: "#0f766e", fillOpacity: 0.04 },
      }).addTo(this.map);
    }

    controls() {
      const map = this.map;
      this.scale = L.control.scale({ position: "bottomright", imperial: false });
      if (L.control.fullscreen) map.addControl(L.control.fullscreen({ position: "topleft", title: "Full screen", titleCancel: "Leave full screen" }));
      if (L.control.mousePosition) map.addControl(L.control.mousePosition({ position: "bottomright", lngFirst: true, numDigits: 4, separator: ", ", emptyString: "" }));
      const look = { shapeOptions: { color: "#d97706", weight: 2.5 } };
      map.addControl(new L.Control.Draw({
        position: "topleft",
        draw: { rectangle: { ...look, showArea: false }, polygon: { ...look, showArea: false, allowIntersection: false }, circle: look, marker: true, polyline: false, circlemarker: false },
      }));
      this.box("topright", "az-base", (box) => {
        const select = (this.baseSelect = element("select"));
        select.setAttribute("aria-label", "Base map");
        for (const [id, title] of BASES) select.append(new Option(title, id));
        select.addEventListener("change", () => this.call("set_basemap", { name: select.value }));
        box.append(select);
      });
      this.legendBox = this.box("bottomleft", "az-legend");
      this.sliderBox = this.box("bottomleft", "az-time");
      for (const link of map.getContainer().querySelectorAll(".leaflet-control a")) {
        link.setAttribute("aria-label", link.title || link.textContent);
        link.setAttribute("role", "button");
      }
    }

    switches(on) {
      const shown = new Set(on);
      if (shown.has("scale_bar")) this.scale.addTo(this.map); else this.scale.remove();
      this.legendOn = shown.has("legend");
      this.graticuleOn = shown.has("graticule");
      this.graticule();
      if (shown.has("minimap") && !this.mini && L.Control.MiniMap) this.addMini();
      if (!shown.has("minimap") && this.mini) { this.mini.remove(); this.mini = null; }
    }

    addMini() {
      this.mini = true;
      this.outlines("world").then((world) => {
        if (!this.mini) return;
        const land = L.geoJSON(world, { interactive: false, style: { color: "#9aa7b2", weight: 0.4, fillColor: "#d9d4c7", fillOpacity: 1 } });
        this.mini = new L.Control.MiniMap(land, { position: "bottomright", width: 150, height: 100, zoomLevelOffset: -7, minimized: false });
        this.map.addControl(this.mini);
      });
    }

    graticule() {
      this.lines.clearLayers();
      if (!this.graticuleOn) return;
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

    legend() {
      const box = this.legendBox;
      box.replaceChildren();
      const layers = [...(this.view ? this.view.layers : [])].reverse().filter((each) => each.visible);
      box.hidden = !this.legendOn || !layers.length;
      if (box.hidden) return;
      for (const each of layers) {
        const layer = this.layers.get(each.id);
        const line = element("div", "az-legend-line");
        const swatch = element("span", "az-swatch az-swatch-" + each.kind);
        swatch.style.setProperty("--layer", each.color);
        const count = ["drawing", "raster"].includes(each.kind) ? "" : full(each.count);
        line.append(swatch, element("span", "az-legend-name", each.name), element("span", "az-legend-count", count));
        box.append(line);
        if (each.ramp) box.append(this.ramp(each.ramp));
        if (layer && layer.note) box.append(element("div", "az-legend-note", layer.note));
      }
    }

    // The colours of a raster's one band between its least and greatest value shown.
    ramp({ colours, low, high }) {
      const line = element("div", "az-ramp");
      const bar = element("span", "az-ramp-bar");
      bar.style.background = `linear-gradient(90deg, ${colours.join(", ")})`;
      line.append(element("span", "", written(low)), bar, element("span", "", written(high)));
      return line;
    }

    // -- timeline --

    timeline(layer) {
      this.timed = layer;
      this.get("/layers/" + encodeURIComponent(layer.view.id) + "/steps").then(({ periods }) => {
        if (this.timed !== layer) return;
        this.periods = periods;
        this.slider(layer, periods);
      }, (error) => this.say(error.message));
    }

    dropTimelines() {
      if (this.timed && !this.layers.has(this.timed.view.id)) { this.timed = null; clearInterval(this.playing); }
      this.sliderBox.hidden = !this.timed || !this.timed.view.visible;
    }

    slider(layer, periods) {
      const box = this.sliderBox;
      clearInterval(this.playing);
      const play = element("button", "az-play", "▶");
      play.type = "button";
      play.setAttribute("aria-label", "Play the timeline");
      const range = element("input");
      range.type = "range"; range.min = "0"; range.max = String(periods.length); range.value = "0";
      range.setAttribute("aria-label", "Time");
      const text = element("span", "az-time-text");
      const show = () => {
        const index = Number(range.value) - 1;
        const step = index < 0 ? null : periods[index];
        text.textContent = step ? `${step[0]} · ${full(step[1])}` : "all times";
        range.setAttribute("aria-valuetext", text.textContent);
        const period = step ? step[0] : null;
        if (period !== layer.period) { layer.period = period; layer.dirty = true; layer.fetch(); }
      };
      range.addEventListener("input", show);
      play.addEventListener("click", () => {
        if (this.playing) { clearInterval(this.playing); this.playing = null; play.textContent = "▶"; return; }
        play.textContent = "❚❚";
        this.playing = setInterval(() => { range.value = String((Number(range.value) % periods.length) + 1); show(); }, 900);
      });
      box.replaceChildren(play, range, text);
      show();
      this.dropTimelines();
    }

    // -- swipe --

    swipe(pair) {
      const key = pair ? pair.join() : null;
      if (this.swipeKey !== key) {
        for (const layer of this.layers.values()) layer.pane.style.clip = "";
        if (this.swipeBar) { this.swipeBar.remove(); this.swipeBar = null; }
        this.swipeKey = key;
        if (pair) this.addSwipe();
      }
      this.swipePair = pair;
      if (pair) this.clip();
    }

    addSwipe() {
      const bar = (this.swipeBar = element("div", "az-swipe"));
      const range = (this.swipeRange = element("input"));
      range.type = "range"; range.min = "0"; range.max = "1000"; range.value = "500";
      range.setAttribute("aria-label", "Swipe between the two layers");
      bar.append(element("div", "az-swipe-line"), range);
      L.DomEvent.disableClickPropagation(bar);
      range.addEventListener("input", () => this.clip());
      range.addEventListener("pointerdown", () => this.map.dragging.disable());
      range.addEventListener("pointerup", () => this.map.dragging.enable());
      this.map.getContainer().append(bar);
      this.map.on("move", () => this.swipeBar && this.clip());
    }

    clip() {
      const size = this.map.getSize();
      const corner = this.map.containerPointToLayerPoint([0, 0]), end = this.map.containerPointToLayerPoint(size);
      const ratio = Number(this.swipeRange.value) / 1000;
      const middle = corner.x + size.x * ratio;
      this.swipeBar.firstChild.style.left = ratio * 100 + "%";
      const [left, right] = (this.swipePair || []).map((id) => this.layers.get(id));
      if (left) left.pane.style.clip = `rect(${corner.y}px, ${middle}px, ${end.y}px, ${corner.x}px)`;
      if (right) right.pane.style.clip = `rect(${corner.y}px, ${end.x}px, ${end.y}px, ${middle}px)`;
    }

    // -- drawing --

    drawn(event) {
      const layer = event.layer;
      const wrap = (lon) => +(((((lon + 180) % 360) + 360) % 360) - 180).toFixed(6);
      const pair = (spot) => [wrap(spot.lng), +spot.lat.toFixed(6)];
      if (event.layerType === "rectangle") {
        const box = layer.getBounds();
        this.call("draw_bbox", { bbox: [...pair(box.getSouthWest()), ...pair(box.getNorthEast())] });
      } else if (event.layerType === "polygon") {
        this.call("draw_polygon", { points: layer.getLatLngs()[0].map(pair) });
      } else if (event.layerType === "circle") {
        const [lon, lat] = pair(layer.getLatLng());
        this.call("draw_circle", { lon, lat, radius_km: +(layer.getRadius() / 1000).toFixed(3) });
      } else if (event.layerType === "marker") {
        const [lon, lat] = pair(layer.getLatLng());
        this.call("draw_marker", { lon, lat });
      }
    }
  }

  window.AzimuthMap = {
    attach(map, options) { window.azimuth = new AzimuthMap(map, options); },
  };
})();
