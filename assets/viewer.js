// An image in its own grid: tiles of its pixels, bands and stretch to choose, and what was found in it.
// The address says which: /api/sessions/{session}/viewer?image={handle}. A pixel (column, row) is at (-row, column).
(function () {
  "use strict";

  document.documentElement.lang = azimuthLanguage();
  document.getElementById("picture").setAttribute("aria-label", t("Image"));
  const { element } = AzimuthParts;
  const STRETCHES = [["percentile", t("2 to 98 %")], ["minmax", t("least to greatest")], ["none", t("as stored")]];

  const PixelTiles = L.TileLayer.extend({
    getTileUrl(coords) {
      const { base, image, look } = this.options;
      return `${base}/image/tiles/${-coords.z}/${coords.x}/${coords.y}.png?` + new URLSearchParams({ image, ...look });
    },
  });

  class Viewer extends AzimuthSurface {
    constructor() {
      const [, session] = location.pathname.match(/\/api\/sessions\/([^/]+)\/viewer$/).map(decodeURIComponent);
      super(L.map("picture", {
        crs: L.CRS.Simple, minZoom: -16, maxZoom: 5, zoomSnap: 0.25, zoomDelta: 1, attributionControl: false,
      }), session);
      this.image = new URLSearchParams(location.search).get("image");
      this.sets = new Map();
      this.layers = new Map();
      this.map.createPane("az-found").style.zIndex = "450";
      this.map.on("click", (event) => this.clicked(event));
      this.map.on("mousemove", (event) => this.where(event.latlng));
      new ResizeObserver(() => this.map.invalidateSize({ pan: false })).observe(this.map.getContainer());
      this.channel = new BroadcastChannel("azimuth-" + session);
      this.channel.onmessage = ({ data }) => this.told(data);
      this.watchTheme();
      this.refresh();
    }

    source() { return "/image?" + new URLSearchParams({ image: this.image }); }

    theme() { document.documentElement.dataset.theme = this.darkPage ? "dark" : "light"; }

    told({ version, show, open, against }) {
      if (version !== undefined && version !== this.version) { this.version = version; this.refresh(); }
      if (show !== undefined && show !== this.chosen) { this.chosen = show; this.refresh(); }
      if (against !== undefined) this.lay(against);
      if (open) { const set = this.sets.get(open[0]); if (set) set.open(open[1], true); else this.toOpen = open; }
    }

    show(about) {
      if (!this.about) {
        this.about = about;
        const { width, height } = about;
        this.bounds = L.latLngBounds([-height, 0], [0, width]);
        this.map.setMaxBounds(this.bounds.pad(1));
        this.map.fitBounds(this.bounds, { animate: false });
        this.map.setMinZoom(Math.max(-16, Math.floor(this.map.getZoom()) - 1));
        this.look = { bands: about.shown.join(","), stretch: "percentile" };
        this.controls();
        this.tiles();
      }
      const wanted = about.detections.find((each) => each.id === this.chosen) || about.detections[0];
      for (const [id, set] of this.sets) if (!wanted || id !== wanted.id) { set.remove(); this.sets.delete(id); }
      if (wanted && this.sets.has(wanted.id)) this.sets.get(wanted.id).update({ reviews: wanted.reviews, color: wanted.color || undefined, visible: true });
      else if (wanted) this.sets.set(wanted.id, new AzimuthObjects(this, { id: wanted.id, space: "pixels", pane: "az-found", reviews: wanted.reviews, color: wanted.color }));
      if (this.toOpen && wanted && wanted.id === this.toOpen[0]) { this.sets.get(wanted.id).open(this.toOpen[1], true); this.toOpen = null; }
      if (!this.ready) { this.ready = true; this.channel.postMessage({ ready: true }); }
      this.map.getContainer().dataset.ready = "yes";
    }

    place([x, y]) { return L.latLng(-y, x); }

    move(center, zoom) {
      const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (calm) this.map.setView(center, zoom, { animate: false });
      else this.map.flyTo(center, zoom, { duration: 0.4 });
    }

    clicked(event) {
      for (const set of this.sets.values()) {
        const item = set.hit(event.latlng);
        if (item) set.open(item.id, false);
      }
    }

    where({ lat, lng }) {
      if (!this.spot) return;
      const inside = this.bounds.contains([lat, lng]);
      this.spot.textContent = inside ? t("column {column}, row {row}", { column: Math.floor(lng), row: Math.floor(-lat) }) : "";
    }

    // -- another image of the same grid, to the left of a line that is dragged --

    lay(against) {
      if (!this.about || against === (this.other || null)) return; // told again once it is there
      if (this.beneath) { this.beneath.remove(); this.beneath = null; }
      this.other = against;
      this.swipe ||= new AzimuthSwipe(this);
      if (!against) { this.swipe.show(null); this.layers.clear(); return; }
      const pane = this.map.getPane("az-other") || this.map.createPane("az-other");
      pane.style.zIndex = "210";
      this.layers.set("other", { pane }).set("own", { pane: this.map.getPane("tilePane") });
      this.beneath = this.pixels(against, { bands: "", stretch: "percentile" }, "az-other").addTo(this.map);
      this.swipe.show(["other", "own"]);
    }

    // -- how it looks --

    tiles() {
      const before = this.layer;
      const layer = this.pixels(this.image, this.look, "tilePane");
      const drop = () => { if (before) before.remove(); };
      layer.once("load", drop);
      setTimeout(drop, 4000);
      let told = false;
      layer.on("tileerror", () => { if (!told) { told = true; this.say(t("Its pixels could not be read.")); } });
      this.layer = layer.addTo(this.map);
    }

    pixels(image, look, pane) {
      return new PixelTiles("", {
        base: this.base, image, look: { ...look }, pane, bounds: this.bounds, minZoom: -16, maxZoom: 5, minNativeZoom: -16, maxNativeZoom: 0,
        noWrap: true, className: "az-tile az-pixel-tile", updateWhenZooming: false,
      });
    }

    controls() {
      const { bands, shown } = this.about;
      this.box("topright", "az-look", (box) => {
        const name = (band) => bands[band - 1];
        const combined = shown.length === 3 ? [[t("Colours"), shown]] : [];
        const at = (wanted) => bands.findIndex((each) => each.toLowerCase() === wanted) + 1;
        const infrared = ["nir", "red", "green"].map(at);
        const short = ["swir1", "nir", "red"].map((each) => at(each) || at(each.replace("swir1", "swir16")) || at(each.replace("swir1", "swir")));
        if (infrared.every(Boolean)) combined.push([t("Infrared"), infrared]);
        if (short.every(Boolean)) combined.push([t("Short wave"), short]);
        const choices = [...combined.map(([title, three]) => [three.join(","), `${title}: ${three.map(name).join(", ")}`]), ...bands.map((each, index) => [String(index + 1), each])];
        if (bands.length > 3) choices.push(["own", t("Choose three bands …")]);
        const own = element("span", "az-look-own");
        own.hidden = true;
        const three = [0, 1, 2].map((index) => {
          const select = this.select([t("Red"), t("Green"), t("Blue")][index], bands.map((each, band) => [String(band + 1), each]), String(shown[index] || 1));
          select.addEventListener("change", () => this.looks({ bands: three.map((each) => each.value).join(",") }));
          own.append(select);
          return select;
        });
        const band = this.select("Bands", choices, this.look.bands);
        band.addEventListener("change", () => {
          own.hidden = band.value !== "own";
          this.looks({ bands: band.value === "own" ? three.map((each) => each.value).join(",") : band.value });
        });
        const stretch = this.select("Stretch", STRETCHES, "percentile");
        stretch.addEventListener("change", () => this.looks({ stretch: stretch.value }));
        box.append(band, own, stretch);
      });
      this.spot = this.box("bottomright", "az-spot");
    }

    select(label, options, value) {
      const made = element("select");
      made.setAttribute("aria-label", label);
      made.title = label;
      for (const [key, text] of options) made.append(new Option(text, key));
      made.value = value;
      return made;
    }

    looks(change) { Object.assign(this.look, change); this.tiles(); }
  }

  window.viewer = new Viewer();
})();
