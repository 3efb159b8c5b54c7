// One layer of the session's state, fetched for the viewport and drawn in a pane of its own.
(function () {
  "use strict";

  const { element, full, shifted, firstLon } = AzimuthParts;
  const NEAR_POLYGON_PX = 7;

  function short(count) {
    if (count < 1000) return String(count);
    if (count < 9950) return (count / 1000).toFixed(1).replace(/\.0$/, "") + "k";
    if (count < 999500) return Math.round(count / 1000) + "k";
    return (count / 1e6).toFixed(1).replace(/\.0$/, "") + "M";
  }

  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  // A colour of that opacity on another: what is behind may be anything else, but the number is to be read.
  function mixed(over, under, opacity) {
    const [a, b] = [parts(over), parts(under)];
    return "#" + a.map((part, i) => Math.round(part * opacity + b[i] * (1 - opacity)).toString(16).padStart(2, "0")).join("");
  }

  // Black or white, whichever has the greater contrast (WCAG 2.2, relative luminance): at least 4.58 on any colour.
  function inkOn(hex) {
    const [r, g, b] = parts(hex).map((part) => (part / 255 <= 0.04045 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
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
    // A map that is hidden, as that of a session that is being left, has no size to draw on.
    _redraw() {
      this._frame = null;
      const { x, y } = this._map.getSize();
      if (x && y) L.HeatLayer.prototype._redraw.call(this);
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
      const restyle = view.color !== this.view.color || view.size !== this.view.size || view.opacity !== this.view.opacity;
      const shown = view.visible && !this.view.visible;
      const regeometry = JSON.stringify(view.geometry) !== JSON.stringify(this.view.geometry);
      this.view = view;
      this.pane.style.zIndex = String(410 + index);
      // A cluster's number stays as it is however faint its circle: the circles take the opacity by themselves.
      this.pane.style.opacity = view.kind === "clusters" ? "" : String(view.opacity);
      if (view.kind === "clusters" && this.renderer._container) this.renderer._container.style.opacity = String(view.opacity);
      this.pane.style.display = view.visible ? "" : "none";
      if (refill || regeometry) { this.dirty = true; this.loaded = null; if (view.kind === "timeline") this.owner.timeline.start(this); }
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
      if (this.rendered) this.rendered.remove();
      if (this.labelled) this.labelled.remove();
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
      // What is on its way is of another view: it may not take the place of what covers this one.
      if (this.abort) this.abort.abort();
      if (this.covers()) { if (this.rendered && this.content.mode === "images") this.scenes(this.content); return; }
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
          this.owner.settle(this);
        },
        (error) => { if (error.name !== "AbortError") { this.note = error.message; this.owner.legend(); } },
      );
    }

    swap(group) {
      const before = this.group;
      this.group = group.addTo(this.map);
      if (before) before.remove();
      this.owner.land.declutter();
    }

    draw(content) {
      const modes = {
        cells: () => { if (this.rendered) this.rendered.remove(); this.cells(content); }, images: () => this.images(content), heat: () => this.heat(content),
        areas: () => this.areas(content), countries: () => this.countries(content), boxes: () => this.boxes(content),
        labels: () => this.labels(content), vector: () => this.shapes(content),
      };
      (modes[content.mode] || (() => L.layerGroup()))();
    }

    cells(content) {
      this.write([]);
      const dots = this.view.kind !== "clusters";
      const group = L.layerGroup();
      const most = Math.max(1, ...content.features.features.map((f) => f.properties.count));
      for (const feature of content.features.features) group.addLayer(dots ? this.dot(feature, most) : this.cluster(feature));
      this.swap(group);
    }

    cluster(feature) {
      const { count, size_px: size } = feature.properties;
      const face = element("span", "az-cluster", short(count));
      // Own points have their opacity from their pane.
      const opacity = this.view.kind === "clusters" ? this.view.opacity : 1;
      face.style.setProperty("--layer", mixed(this.view.color, this.owner.land.skin.land, opacity));
      face.style.color = inkOn(face.style.getPropertyValue("--layer"));
      face.style.width = face.style.height = size + "px";
      const icon = L.divIcon({ html: face, className: "az-cluster-box", iconSize: [size, size] });
      const marker = L.marker(this.owner.near(feature.geometry.coordinates), {
        icon, pane: this.paneName, keyboard: true, title: this.counts(count),
      });
      return this.opens(marker, feature);
    }

    counts(count) {
      return this.view.kind === "vector" ? tn("{n} point", "{n} points", count) : tn("{n} image", "{n} images", count);
    }

    dot(feature, most) {
      const count = feature.properties.count;
      const radius = Math.max(2.5, this.view.size * (0.5 + Math.sqrt(count / most)));
      const marker = L.circleMarker(this.owner.near(feature.geometry.coordinates), {
        renderer: this.renderer, pane: this.paneName, radius, weight: 1, color: "#ffffff", opacity: 0.7,
        fillColor: this.view.color, fillOpacity: 0.75,
      });
      marker.bindTooltip(() => element("span", "", this.counts(count)), { direction: "top" });
      return this.opens(marker, feature);
    }

    opens(marker, feature) {
      marker.on("click", () => this.near(feature));
      const count = feature.properties.count;
      const own = this.view.kind === "vector";
      const label = own ? tn("{n} point: zoom in", "{n} points: zoom in", count) : tn("{n} image: zoom in", "{n} images: zoom in", count);
      marker.on("add", () => reachable(marker.getElement(), label, marker));
      return marker;
    }

    // To where all that a cluster counts is in view, with its outlines; where that is no nearer, a level nearer.
    near(feature) {
      const asked = new URLSearchParams({ bbox: feature.properties.bbox.join(",") });
      if (this.period) asked.set("period", this.period);
      this.owner.get("/layers/" + encodeURIComponent(this.view.id) + "/extent?" + asked).then(({ bbox }) => {
        if (this.owner.fit(bbox, this.map.getZoom() + 1)) return;
        this.owner.move(this.owner.near(feature.geometry.coordinates), Math.min(this.map.getMaxZoom(), this.map.getZoom() + 1));
      }, (error) => this.owner.say(error.message));
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
      this.scenes(content);
      this.write(content.features.features.filter(({ properties }) => properties.label).map(({ properties: { label, lon, lat, size } }) => [label, lon, lat, size]));
    }

    // Pictures of the records that are near enough to be looked at; where the map stands is known when it rests.
    scenes(content) {
      if (this.rendered) this.rendered.remove();
      this.rendered = L.layerGroup().addTo(this.map);
      const said = this.view.kind === "points" ? "" : AzimuthRendered.under(this, content.features.features);
      this.note = content.note || said;
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
        renderer: this.renderer, pane: this.paneName, radius: about.size || Math.max(3, this.view.size * 0.8), weight: 1.5,
        color: "#ffffff", fillColor: about.color || this.view.color, fillOpacity: 0.9,
      });
      return this.record(shape, about);
    }

    polygon(feature, weight) {
      const by = this.owner.turn(firstLon(feature.geometry));
      // Classes are told by the fill, which stands out of any ground; a layer of one colour lets it through.
      const { color: own, size } = feature.properties, color = own || this.view.color;
      const line = /Line/.test(feature.geometry.type);
      return L.geoJSON(shifted(feature.geometry, by), {
        renderer: this.renderer, pane: this.paneName,
        style: (each) => (/Point/.test(each.geometry ? each.geometry.type : each.type) ? {} : { color, weight: (line && size) || weight || 1.5, fillColor: color, fillOpacity: own ? 0.62 : 0.18 }),
        pointToLayer: (_, spot) => L.circleMarker(spot, {
          renderer: this.renderer, pane: this.paneName, radius: size || this.view.size, weight: 1.5, color: "#ffffff",
          fillColor: color, fillOpacity: 0.9,
        }),
      });
    }

    record(shape, about) {
      shape.bindTooltip(() => tooltip(about.hover, about.name, about.color), { sticky: true, direction: "top", className: "az-tip" });
      if (about.id) {
        shape.on("click", (event) => { L.DomEvent.stop(event); this.owner.call("show_image", { image: about.id }); });
        const label = t("Open the record of {name}", { name: about.name || about.id });
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
      this.write(content.features.features.filter(({ properties }) => properties.label).map(({ properties: { label, lon, lat } }) => [label, lon, lat, 6]));
    }

    shapes(content) {
      const group = L.layerGroup();
      // The largest are drawn first, so that none is hidden.
      const features = [...content.features.features].sort((one, other) => (other.properties.size || 0) - (one.properties.size || 0));
      for (const feature of features) {
        if (feature.properties.count) { group.addLayer(this.cluster(feature)); continue; }
        const shape = this.polygon(feature, feature.properties.color && !/Line/.test(feature.geometry.type) ? 1 : 2);
        shape.bindTooltip(() => tooltip(feature.properties.hover, undefined, feature.properties.color), { sticky: true, className: "az-tip" });
        shape.on("click", (event) => this.pick(event, feature.properties.row));
        group.addLayer(shape);
      }
      this.swap(group);
      this.write(content.features.features.filter(({ properties }) => properties.label).map(({ properties: { label, spot, size }, geometry }) => [label, ...spot, /Point/.test(geometry.type) ? size || this.view.size : 0]));
    }

    // The row of what is clicked, in the table of its layer where that is open.
    pick(event, row) {
      if (!this.owner.listed(this.view) || this.owner.busy()) return;
      L.DomEvent.stop(event);
      this.owner.call("show_table", { table: this.view.artifact, row });
    }

    // Dots or lines where the first of what is drawn is one, else areas; as before where nothing is in sight.
    form() {
      const first = this.content && this.content.features && this.content.features.features.find(({ geometry }) => geometry);
      if (first) this.formed = /Point/.test(first.geometry.type) ? "dots" : /Line/.test(first.geometry.type) ? "lines" : "";
      return this.formed;
    }

    dotted() { return this.form() === "dots"; }

    // What a column says, beside each feature; where there is room for it.
    write(labels) {
      if (this.labelled) this.labelled.remove();
      this.labelled = labels.length ? new AzimuthLabels(this.owner, this.paneName, labels) : null;
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
      this.owner.land.outlines().then((world) => {
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
      picture.on("error", () => { this.note = t("Its pixels could not be read."); this.owner.legend(); });
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
        this.note = t("Its pixels could not be read.");
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

  function tooltip(pairs, name, colour) {
    const box = element("div", "az-tip-body" + (colour ? " az-tip-classed" : ""));
    if (colour) box.style.setProperty("--class", colour);
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

  window.AzimuthLayer = DataLayer;
})();
