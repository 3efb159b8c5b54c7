// Azimuth's map: it follows the session's state, and what is drawn or clicked on it becomes a call.
(function () {
  "use strict";

  const { at, element, full, written, shifted, firstLon } = AzimuthParts;
  const BASES = [
    ["offline", t("Land")], ["light", t("Light")], ["dark", t("Dark")],
    ["osm", t("OpenStreetMap (online)")], ["satellite", t("Satellite (online)")], ["topo", t("Topography (online)")],
  ];

  const IN_VIEW = 0.2;
  const FIT_ZOOM = 16;
  const FIT_PADDING_PX = [120, 110];

  // What the library says while something is drawn.
  function wordDrawing({ toolbar, handlers }) {
    toolbar.actions = { title: t("Cancel drawing"), text: t("Cancel") };
    toolbar.finish = { title: t("Finish drawing"), text: t("Finish") };
    toolbar.undo = { title: t("Delete the last point drawn"), text: t("Delete last point") };
    Object.assign(toolbar.buttons, {
      polygon: t("Draw a polygon"), rectangle: t("Draw a rectangle"), circle: t("Draw a circle"), marker: t("Draw a marker"),
    });
    handlers.circle = { tooltip: { start: t("Click and drag to draw a circle.") }, radius: t("Radius") };
    handlers.marker.tooltip.start = t("Click the map to place a marker.");
    handlers.polygon.tooltip = {
      start: t("Click to start drawing a shape."), cont: t("Click to continue drawing the shape."),
      end: t("Click the first point to close this shape."),
    };
    handlers.polyline.error = t("The sides of a shape cannot cross.");
    handlers.rectangle.tooltip.start = t("Click and drag to draw a rectangle.");
    handlers.simpleshape.tooltip.end = t("Release the mouse to finish drawing.");
  }

  class AzimuthMap extends AzimuthSurface {
    constructor(map, options) {
      super(map, options.session);
      this.layers = new Map();
      map.options.worldCopyJump = true;
      map.attributionControl.setPrefix(false);
      map.createPane("az-area").style.zIndex = "370";
      map.createPane("az-selected").style.zIndex = "640";
      this.land = new AzimuthLand(this, options.base);
      this.controls();
      this.watchTheme();
      map.on("moveend", () => this.moved());
      map.on("draw:created", (event) => this.drawn(event));
      map.on("draw:drawstart", () => { this.drawing = true; });
      map.on("draw:drawstop", () => setTimeout(() => { this.drawing = false; }, 300));
      map.on("click", (event) => this.clicked(event));
      new ResizeObserver(() => map.invalidateSize({ pan: false })).observe(map.getContainer());
      this.measure = new AzimuthMeasure(this);
      this.preview = new AzimuthPreview(this);
      this.channel = new BroadcastChannel("azimuth-" + options.session);
      this.channel.onmessage = (message) => this.told(message.data);
      map.getContainer().setAttribute("aria-label", t("Map"));
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
      this.baseSelect.value = view.basemap;
      const based = this.land.name;
      this.land.show(view.basemap);
      if (this.mini && based !== view.basemap) this.mini.changeLayer(this.land.base.small(this.land.skin));
      const wanted = new Set(view.layers.map((layer) => layer.id));
      for (const [id, layer] of this.layers) if (!wanted.has(id)) { layer.remove(); this.layers.delete(id); }
      view.layers.forEach((each, index) => {
        let layer = this.layers.get(each.id);
        if (layer && layer.view.kind !== each.kind) { layer.remove(); layer = undefined; }
        if (!layer) { layer = new AzimuthLayer(this, each); this.layers.set(each.id, layer); if (each.kind === "timeline") this.timeline.start(layer); }
        layer.update(each, index);
      });
      this.timeline.update();
      if (view.fit.seq !== this.fitSeq) {
        this.fitSeq = view.fit.seq;
        for (const [id, layer] of this.layers) layer.unseen = view.fit.layers.includes(id);
      }
      const labelled = view.layers.some((each) => each.visible && each.kind === "labels");
      this.map.getContainer().classList.toggle("az-labelled", labelled);
      this.area(view.area);
      this.selected(view.selected);
      this.picked(view.picked);
      this.switches(view.controls);
      this.swipe.show(view.swipe);
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

    // Goes to where a box is in view as large as it can be; false, and nowhere, where that is not as near as `least`.
    fit(bbox, least) {
      if (!bbox) return false;
      const [west, south, east, north] = bbox;
      const by = this.turn((west + (east < west ? east + 360 : east)) / 2);
      const box = L.latLngBounds(at(west + by, south), at((east < west ? east + 360 : east) + by, north));
      const zoom = Math.min(FIT_ZOOM, this.map.getBoundsZoom(box, false, L.point(FIT_PADDING_PX)));
      if (zoom < least) return false;
      const [one, other] = [this.map.project(box.getSouthWest(), zoom), this.map.project(box.getNorthEast(), zoom)];
      this.move(this.map.unproject(one.add(other).divideBy(2), zoom), zoom);
      return true;
    }

    // What a turn has just plotted or filtered is not left out of sight: where hardly anything of it is in view,
    // the map goes to all of it. Not while it is on its way to somewhere, and not away from labels: where all of
    // them are in view, none can be read.
    settle(layer) {
      if (!layer.unseen || this.moving || !layer.view.visible || !layer.content) return;
      for (const each of this.layers.values()) each.unseen = false;
      const enough = layer.content.mode === "labels" ? 1 : IN_VIEW * layer.view.count;
      if (!layer.view.count || layer.content.total >= enough) return;
      // A step that moves the camera before the answer is there says what is to be seen.
      const { cameraSeq, fitSeq } = this;
      this.get("/layers/" + encodeURIComponent(layer.view.id) + "/extent").then(({ bbox }) => {
        if (cameraSeq === this.cameraSeq && fitSeq === this.fitSeq) this.fit(bbox, 0);
      }, () => {});
    }

    move(center, zoom) {
      const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (calm) this.map.setView(center, zoom, { animate: false });
      else { this.moving = true; this.map.flyTo(center, zoom, { duration: 0.6 }); }
    }

    moved() {
      this.moving = false;
      for (const { labelled } of this.layers.values()) if (labelled) labelled.place();
      for (const layer of this.layers.values()) { layer.fetch(); if (layer.unseen && layer.covers()) this.settle(layer); }
      this.land.moved();
    }

    theme() {
      this.land.theme(this.darkPage);
      if (this.mini) this.mini.changeLayer(this.land.base.small(this.land.skin));
      for (const layer of this.layers.values()) if (layer.view.kind === "clusters" && layer.content) layer.draw(layer.content);
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

    // A click on a detection opens its card; elsewhere it reads the pixels.
    clicked(event) {
      if (this.drawing || !this.view) return;
      if (this.measure.on) { this.measure.add(event.latlng); return; }
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
        line.append(element("th", "", each.name), element("td", none ? "az-none" : "", none ? t("no data") : written(each.value) + (each.unit ? " " + each.unit : "")));
      }
      return table;
    }

    // -- selection, controls --

    selected(image) {
      if (this.mark) { this.mark.remove(); this.mark = null; }
      if (this.scene) { this.scene.remove(); this.scene = null; }
      if (!image) return;
      const [west, south, east, north] = image.bbox;
      const by = this.turn(west);
      const box = L.latLngBounds(at(west + by, south), at((east < west ? east + 360 : east) + by, north));
      const point = west === east && south === north;
      this.mark = point
        ? L.circleMarker(box.getCenter(), { pane: "az-selected", radius: 12, color: "#facc15", weight: 3, fill: false, interactive: false })
        : L.rectangle(box, { pane: "az-selected", color: "#facc15", weight: 3, fill: false, interactive: false });
      if (image.rendered && !point) this.scene = AzimuthRendered.selected(image, box).addTo(this.map);
      this.mark.addTo(this.map);
    }

    // The feature whose row is chosen: yellow on a dark edge, which stands out of a layer of any colour.
    picked(feature) {
      const key = JSON.stringify(feature || null);
      if (key === this.pickedKey) return;
      this.pickedKey = key;
      if (this.pick) { this.pick.remove(); this.pick = null; }
      if (!feature) return;
      const shape = shifted(feature.geometry, this.turn(firstLon(feature.geometry)));
      const drawn = (color, weight, radius) => L.geoJSON(shape, {
        pane: "az-selected", interactive: false, style: { color, weight, fill: false },
        pointToLayer: (_, spot) => L.circleMarker(spot, { pane: "az-selected", interactive: false, radius, color, weight, fill: false }),
      });
      this.pick = L.layerGroup([drawn("#1c1917", 6, 11), drawn("#facc15", 3, 11)]).addTo(this.map);
    }

    // Whether the results panel shows the rows of what a layer draws.
    listed(view) { return Boolean(view.artifact) && this.view.table === view.artifact; }

    // Where the map is drawn on or measured on, a click is part of that.
    busy() { return this.drawing || this.measure.on; }

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
      if (L.control.fullscreen) map.addControl(L.control.fullscreen({ position: "topleft", title: t("Full screen"), titleCancel: t("Leave full screen") }));
      if (L.control.mousePosition) map.addControl(L.control.mousePosition({ position: "bottomright", lngFirst: true, numDigits: 4, separator: ", ", emptyString: "" }));
      wordDrawing(L.drawLocal.draw);
      const look = { shapeOptions: { color: "#d97706", weight: 2.5 } };
      map.addControl(new L.Control.Draw({
        position: "topleft",
        draw: { rectangle: { ...look, showArea: false }, polygon: { ...look, showArea: false, allowIntersection: false }, circle: look, marker: true, polyline: false, circlemarker: false },
      }));
      this.box("topright", "az-base", (box) => {
        const select = (this.baseSelect = element("select"));
        select.setAttribute("aria-label", t("Base map"));
        for (const [id, title] of BASES) select.append(new Option(title, id));
        select.addEventListener("change", () => this.call("set_basemap", { name: select.value }));
        box.append(select);
      });
      this.legendBox = this.box("bottomleft", "az-legend");
      this.timeline = new AzimuthTimeline(this);
      this.swipe = new AzimuthSwipe(this);
      for (const [way, said] of [["in", t("Zoom in")], ["out", t("Zoom out")]]) map.getContainer().querySelector(".leaflet-control-zoom-" + way).title = said;
      for (const link of map.getContainer().querySelectorAll(".leaflet-control a")) {
        link.setAttribute("aria-label", link.title || link.textContent);
        link.setAttribute("role", "button");
      }
    }

    switches(on) {
      const shown = new Set(on);
      if (shown.has("scale_bar")) this.scale.addTo(this.map); else this.scale.remove();
      this.legendOn = shown.has("legend");
      this.land.graticule = shown.has("graticule");
      this.land.drawGraticule();
      if (shown.has("minimap") && !this.mini && L.Control.MiniMap) this.addMini();
      if (!shown.has("minimap") && this.mini) { this.mini.remove(); this.mini = null; }
    }

    addMini() {
      this.mini = new L.Control.MiniMap(this.land.base.small(this.land.skin), {
        position: "bottomright", width: 150, height: 100, zoomLevelOffset: -5, minimized: false,
        aimingRectOptions: { color: "#dc2626", weight: 1.5, interactive: false }, shadowRectOptions: { color: "#dc2626", weight: 1, interactive: false, opacity: 0, fillOpacity: 0 },
      });
      this.map.addControl(this.mini);
    }

    legend() {
      const box = this.legendBox;
      box.replaceChildren();
      const layers = [...(this.view ? this.view.layers : [])].reverse().filter((each) => each.visible && !each.objects); // detections have a box of their own
      box.hidden = !this.legendOn || !layers.length;
      if (box.hidden) return;
      for (const each of layers) {
        const layer = this.layers.get(each.id);
        const line = element("div", "az-legend-line");
        const swatch = element("span", "az-swatch az-swatch-" + each.kind);
        swatch.style.setProperty("--layer", each.color);
        if (each.kind === "vector" && layer && layer.form()) swatch.classList.add("az-swatch-" + layer.form());
        const count = ["drawing", "raster"].includes(each.kind) ? "" : full(layer && layer.counted !== null && layer.counted !== undefined ? layer.counted : each.count);
        if (each.style && !(each.style.classes && each.style.classes[0][2])) swatch.className = "az-swatch az-swatch-styled"; // its classes say the colours
        line.append(swatch, element("span", "az-legend-name", each.name), element("span", "az-legend-count", count));
        box.append(line);
        if (each.style) box.append(...this.styled(each.style, layer && layer.dotted()));
        if (each.ramp) box.append(this.ramp(each.ramp));
        if (layer && layer.note) box.append(element("div", "az-legend-note", layer.note));
      }
    }

    // What a layer is drawn by, and the colour or the size of each class, in the order of the classes.
    styled({ field, classes, ramp }, dotted) {
      const title = element("div", "az-legend-field", field.replace(/_/g, " "));
      if (ramp) return [title, this.ramp(ramp)];
      const list = element("ul", "az-legend-classes");
      const widest = Math.max(...classes.map(([, , px]) => px || 0));
      for (const [name, colour, px] of classes) {
        const item = element("li");
        const swatch = element("span", "az-legend-class" + (dotted ? " az-legend-point" : ""));
        swatch.style.background = colour;
        if (px && dotted) { swatch.style.width = swatch.style.height = 2 * px + "px"; swatch.style.margin = `0 ${widest - px}px`; }
        item.append(swatch, element("span", "", name));
        list.append(item);
      }
      return [title, list];
    }

    // Colours between a least and a greatest value: of a raster's one band, or of a column.
    ramp({ colours, low, high }) {
      const line = element("div", "az-ramp");
      const bar = element("span", "az-ramp-bar");
      const said = (end) => element("span", "", typeof end === "number" ? written(end) : end);
      bar.style.background = `linear-gradient(90deg, ${colours.join(", ")})`;
      line.append(said(low), bar, said(high));
      return line;
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
