// Detections on a map or on a picture: outlines by class, a filter, and a card with the chip and the verdict.
// Whoever shows them gives `base`, `get`, `call`, `say`, `box` and `place` (a coordinate to Leaflet's lat/lon).
(function () {
  "use strict";

  const { element, full } = AzimuthParts;
  const SAID = { confirmed: t("Confirmed"), rejected: t("Rejected"), relabelled: t("Relabelled") };
  const NEAR_PX = 8;
  const SMALL_PX = 14;
  const SAMPLE = 30;
  const SPARE = ["#f0abfc", "#bef264", "#7dd3fc", "#fdba74", "#c4b5fd"];

  function button(className, text, label, act) {
    const made = element("button", className, text);
    made.type = "button";
    if (label) { made.title = label; made.setAttribute("aria-label", label); }
    made.addEventListener("click", act);
    return made;
  }

  const number = (value, unit) => (value === null || value === undefined ? "" : (value >= 100 ? Math.round(value) : +value.toFixed(1)) + unit);
  const ORDERS = {
    low: [t("lowest score first"), (a, b) => a.score - b.score || a.id - b.id],
    high: [t("highest score first"), (a, b) => b.score - a.score || a.id - b.id],
    sample: [t("a random sample"), (a, b) => a.drawn - b.drawn],
  };

  // Each outline has a dark edge, so that it is seen on water and on snow.
  const Outlines = L.Canvas.extend({
    _fillStroke(ctx, layer) {
      if (layer.options.casing) {
        ctx.save();
        ctx.setLineDash([]);
        ctx.globalAlpha = 0.5;
        ctx.lineWidth = layer.options.weight + 2;
        ctx.strokeStyle = "#05080c";
        ctx.stroke();
        ctx.restore();
      }
      L.Canvas.prototype._fillStroke.call(this, ctx, layer);
    },
  });

  class Objects {
    constructor(owner, { id, space, pane, color, reviews }) {
      Object.assign(this, { owner, id, space, pane, color, map: owner.map, visible: true });
      this.path = "/detections/" + encodeURIComponent(id);
      this.renderer = new Outlines({ pane, padding: 0.2 });
      this.group = L.layerGroup().addTo(this.map);
      this.items = new Map();
      this.hidden = new Set();
      this.waiting = new Map();
      this.least = 0;
      this.verdict = "all";
      this.order = "low";
      this.goOn = true;
      this.wanted = reviews;
      this.keys = (event) => this.key(event);
      this.hover = (event) => this.hovered(event);
      document.addEventListener("keydown", this.keys, true);
      this.map.on("mousemove", this.hover);
      this.load();
    }

    load() {
      this.owner.get(this.path + "?space=" + this.space).then((content) => {
        if (this.gone) return;
        this.name = content.name;
        this.classes = content.classes;
        this.total = content.total;
        this.sources = content.sources;
        this.colours = new Map(content.classes.map((each) => [each.name, each.color]));
        this.items = new Map(content.features.map((feature) => [feature.id, {
          id: feature.id, ...feature.properties, geometry: feature.geometry, found: feature.properties.class_name,
        }]));
        this.version = content.version;
        this.draws(content.sample);
        this.said(content.reviews);
        this.build();
        this.draw();
        if (this.later) { const later = this.later; this.later = null; this.open(later, true); }
      }, (error) => this.owner.say(error.message));
    }

    // What the session says now: other reviews, another colour, shown or hidden.
    update({ color, reviews, visible }) {
      const recoloured = color !== undefined && color !== this.color;
      if (color !== undefined) this.color = color;
      if (visible !== this.visible) {
        this.visible = visible;
        if (this.filterBox) this.filterBox.hidden = !visible;
        if (!visible) this.close();
      }
      if (recoloured) this.restyle();
      if (reviews !== this.version && reviews !== this.wanted) {
        this.wanted = reviews;
        this.owner.get(this.path + "/reviews").then((content) => {
          if (this.gone) return;
          this.version = this.wanted = content.version;
          this.draws(content.sample);
          this.said(content.reviews);
          this.restyle();
        }, (error) => this.owner.say(error.message));
      }
    }

    remove() {
      this.gone = true;
      document.removeEventListener("keydown", this.keys, true);
      this.map.off("mousemove", this.hover);
      this.close();
      this.group.remove();
      if (this.tip) this.tip.remove();
      this.renderer.remove();
      if (this.control) this.control.remove();
    }

    // -- what was said --

    said(reviews) {
      for (const item of this.items.values()) this.mark(item, this.waiting.get(item.id) || reviews[item.id]);
      this.summary();
      if (this.open_) this.fill();
    }

    // Which were drawn at random to be reviewed. A sample that has just been drawn is what is reviewed next.
    draws(sample) {
      const fresh = (sample || []).length && (this.sampled || "") !== sample.join();
      this.sampled = (sample || []).join();
      const place = new Map((sample || []).map((id, at) => [id, at]));
      for (const item of this.items.values()) item.drawn = place.has(item.id) ? place.get(item.id) : null;
      if (!fresh) return;
      this.order = "sample";
      if (this.card) { this.orderSelect.value = "sample"; this.fill(); if (this.toDraw) this.step(1, true); }
      this.toDraw = false;
    }

    // The session draws, with a seed that it keeps; what came of it is told with the reviews.
    draw30() {
      this.toDraw = true;
      this.owner.call("list_detections", { detections: this.id, sample: SAMPLE });
    }

    mark(item, review) {
      const [verdict, right, by, at] = review || [null, null, null, null];
      Object.assign(item, { verdict, by, at, name: verdict === "relabelled" && right ? right : item.found });
    }

    // -- outlines --

    colour(name) {
      if (this.classes.length === 1 && this.color && name === this.classes[0].name) return this.color;
      if (!this.colours.has(name)) this.colours.set(name, SPARE[this.colours.size % SPARE.length]);
      return this.colours.get(name);
    }

    style(item) {
      const rejected = item.verdict === "rejected";
      const sure = item.verdict && !rejected;
      return {
        color: this.colour(item.name), weight: sure ? 3 : rejected ? 1.5 : 1.8, opacity: rejected ? 0.8 : 1,
        dashArray: rejected ? "5 5" : null, fill: !rejected, fillColor: this.colour(item.name), fillOpacity: sure ? 0.04 : 0.14, casing: true,
      };
    }

    latlngs(part) { return typeof part[0] === "number" ? this.owner.place(part, this.turned) : part.map((each) => this.latlngs(each)); }

    passes(item) {
      if (item.score < this.least || this.hidden.has(item.found)) return false;
      return this.verdict === "all" || (item.verdict || "unreviewed") === this.verdict;
    }

    draw() {
      this.turned = this.owner.turned ? this.owner.turned(this.items) : 0;
      this.group.clearLayers();
      for (const item of this.items.values()) {
        item.shape = L.polygon(this.latlngs(item.geometry.coordinates), { renderer: this.renderer, pane: this.pane, interactive: false, ...this.style(item) });
        item.bounds = item.shape.getBounds();
        item.styled = [item.verdict, item.name].join();
        if (this.passes(item)) this.group.addLayer(item.shape);
      }
      this.shownCount();
      this.ring();
    }

    restyle() {
      for (const item of this.items.values()) {
        if (!item.shape) continue;
        const styled = [item.verdict, item.name, this.color].join();
        if (styled !== item.styled) { item.styled = styled; item.shape.setStyle(this.style(item)); }
      }
      this.filter();
    }

    filter() {
      for (const item of this.items.values()) {
        if (!item.shape) continue;
        const shown = this.passes(item);
        if (shown !== this.group.hasLayer(item.shape)) { if (shown) this.group.addLayer(item.shape); else this.group.removeLayer(item.shape); }
      }
      this.shownCount();
    }

    // The world has copies: the outlines are drawn on the one in view.
    moved() { if (this.items.size && this.owner.turned && this.owner.turned(this.items) !== this.turned) this.draw(); }

    ring() {
      if (this.mark_) { this.mark_.remove(); this.mark_ = null; }
      const item = this.open_ && this.items.get(this.open_);
      if (!item || !item.shape) return;
      this.mark_ = L.polygon(item.shape.getLatLngs(), { renderer: this.renderer, pane: this.pane, interactive: false, color: "#fde047", weight: 7, opacity: 0.75, fill: false }).addTo(this.map);
      this.mark_.bringToBack();
    }

    // -- which one is meant --

    hit(spot) {
      if (!this.visible) return null;
      const px = this.map.latLngToContainerPoint(spot);
      const corner = this.map.containerPointToLatLng(px.add([NEAR_PX, NEAR_PX]));
      const [dLat, dLng] = [Math.abs(corner.lat - spot.lat), Math.abs(corner.lng - spot.lng)];
      let best = null, least = Infinity;
      for (const item of this.items.values()) {
        const box = item.bounds;
        if (!box || spot.lat < box.getSouth() - dLat || spot.lat > box.getNorth() + dLat || spot.lng < box.getWest() - dLng || spot.lng > box.getEast() + dLng) continue;
        if (!this.passes(item)) continue;
        const area = (box.getNorth() - box.getSouth()) * (box.getEast() - box.getWest());
        const inside = item.shape.getLatLngs().some((part) => within(spot, Array.isArray(part[0]) ? part[0] : part));
        const size = this.pixels(item);
        if (!inside && size > SMALL_PX * 2) continue;
        if (area < least) { least = area; best = item; }
      }
      return best;
    }

    pixels(item) {
      const [a, b] = [this.map.latLngToLayerPoint(item.bounds.getSouthWest()), this.map.latLngToLayerPoint(item.bounds.getNorthEast())];
      return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
    }

    hovered(event) {
      if (this.asked) return;
      this.asked = requestAnimationFrame(() => {
        this.asked = null;
        if (this.gone) return;
        const item = this.owner.drawing ? null : this.hit(event.latlng);
        this.map.getContainer().classList.toggle("az-pointing", Boolean(item));
        if (!item) { if (this.tip) { this.tip.remove(); this.tip = null; } return; }
        if (!this.tip) this.tip = L.tooltip({ direction: "top", offset: [0, -8], className: "az-tip", opacity: 1 });
        const verdict = item.verdict ? " · " + SAID[item.verdict].toLowerCase() : "";
        this.tip.setLatLng(event.latlng).setContent(element("span", "", `${item.name} ${item.score.toFixed(2)}${verdict}`));
        if (!this.map.hasLayer(this.tip)) this.tip.addTo(this.map);
      });
    }

    queue() {
      const meant = (item) => this.order !== "sample" || item.drawn !== null;
      const there = [...this.items.values()].filter((item) => (this.passes(item) && meant(item)) || item.id === this.open_);
      return there.sort(ORDERS[this.order][1]);
    }

    // The next that nobody reviewed, `step` 1, or the one before, reviewed or not.
    step(step, todo) {
      const row = this.queue();
      const at = row.findIndex((item) => item.id === this.open_);
      for (let i = 1; i <= row.length; i++) {
        const item = row[(((at + step * i) % row.length) + row.length) % row.length];
        if (item.id === this.open_) continue;
        if (!todo || !item.verdict) return this.open(item.id, true);
      }
      if (todo) this.owner.say(t("Everything that is shown is reviewed."));
    }

    // -- the filter --

    build() {
      if (this.control) this.control.remove();
      const box = (this.filterBox = this.owner.box("bottomleft", "az-objects", null, (control) => { this.control = control; }));
      box.hidden = !this.visible;
      const details = element("details");
      // The newest filter is open and the others fold: two of them would hide the map.
      for (const other of document.querySelectorAll(".az-objects details[open]")) other.open = false;
      details.open = this.map.getSize().x > 560;
      const head = element("summary", "az-objects-head");
      this.headName = element("span", "az-objects-name", this.name);
      this.headCount = element("span", "az-objects-count");
      head.append(this.headName, this.headCount);
      details.append(head, this.slider(), this.classRow(), this.lines());
      box.append(details);
      this.summary();
    }

    slider() {
      const line = element("label", "az-objects-line");
      const range = element("input");
      const text = element("span", "az-objects-value", t("any"));
      Object.assign(range, { type: "range", min: "0", max: "1", step: "0.01", value: String(this.least) });
      range.setAttribute("aria-label", t("Least score shown"));
      range.addEventListener("input", () => {
        this.least = Number(range.value);
        text.textContent = this.least ? "≥ " + this.least.toFixed(2) : t("any");
        this.filter();
      });
      line.append(element("span", "", t("Score")), range, text);
      return line;
    }

    classRow() {
      const row = element("div", "az-objects-classes");
      row.setAttribute("role", "group");
      row.setAttribute("aria-label", t("Classes shown"));
      for (const each of this.classes) {
        const chip = button("az-class", "", "", () => {
          const on = this.hidden.delete(each.name);
          if (!on) this.hidden.add(each.name);
          chip.setAttribute("aria-pressed", String(on));
          this.filter();
        });
        chip.setAttribute("aria-pressed", "true");
        const swatch = element("i");
        swatch.style.setProperty("--layer", this.colour(each.name));
        chip.append(swatch, element("span", "", each.name), element("small", "", full(each.count)));
        chip.title = each.name;
        row.append(chip);
      }
      return row;
    }

    lines() {
      const line = element("div", "az-objects-line");
      const select = element("select");
      select.setAttribute("aria-label", t("Verdicts shown"));
      for (const [value, text] of [["all", t("All verdicts")], ["unreviewed", t("Unreviewed")], ["confirmed", t("Confirmed")], ["rejected", t("Rejected")], ["relabelled", t("Relabelled")]]) select.append(new Option(text, value));
      select.addEventListener("change", () => { this.verdict = select.value; this.filter(); });
      this.reviewButton = button("az-objects-go", t("Review"), t("Open the first that nobody reviewed"), () => { this.open_ = null; this.step(1, true); });
      line.append(select, this.reviewButton);
      const key = element("div", "az-objects-key");
      for (const [kind, text] of [["plain", "unreviewed"], ["sure", "confirmed"], ["no", "rejected"]]) key.append(element("i", "az-key-" + kind), element("span", "", text));
      const both = element("div");
      both.append(line, key);
      return both;
    }

    shownCount() {
      if (!this.headCount) return;
      const shown = this.group.getLayers().length, all = this.items.size;
      this.headCount.textContent = shown === all ? full(all) : t("{shown} of {all}", { shown, all });
      if (this.total > all) this.headCount.textContent += " " + t("(of {total}, the best)", { total: this.total });
      this.filterBox.dataset.shown = String(shown);
    }

    summary() {
      if (this.headName) this.headName.title = t("{name}: {done} of {all} reviewed", { name: this.name, done: this.reviewed(), all: this.items.size });
    }

    reviewed() { let count = 0; for (const item of this.items.values()) if (item.verdict) count++; return count; }

    // -- the card --

    open(id, go) {
      const item = this.items.get(id);
      if (!item) { this.later = id; return; }
      if (this.owner.opened && this.owner.opened !== this) this.owner.opened.close();
      this.owner.opened = this;
      this.open_ = id;
      if (!this.card) this.makeCard();
      this.relabelling(false);
      this.fill();
      this.ring();
      if (go) this.show(item);
      this.card.focus({ preventScroll: true });
    }

    // Bring an object into view, near enough to see it; what is in view already stays where it is.
    show(item) {
      const size = this.map.getSize();
      const view = L.bounds([30, 30], [size.x - (size.x > 560 ? 290 : 30), size.y - 30]);
      const spot = this.map.latLngToContainerPoint(item.bounds.getCenter());
      const px = this.pixels(item);
      const zoom = px < SMALL_PX ? Math.min(this.map.getMaxZoom(), this.map.getZoom() + Math.log2(48 / Math.max(px, 0.5))) : this.map.getZoom();
      if (zoom !== this.map.getZoom() || !view.contains(spot)) this.owner.move(item.bounds.getCenter(), zoom);
    }

    close() {
      if (!this.card) return;
      this.card.remove();
      this.card = this.open_ = null;
      if (this.owner.opened === this) this.owner.opened = null;
      this.ring();
    }

    makeCard() {
      const card = (this.card = element("section", "az-card"));
      card.tabIndex = -1;
      L.DomEvent.disableClickPropagation(card);
      L.DomEvent.disableScrollPropagation(card);
      const head = element("header");
      this.cardTitle = element("strong", "az-card-title");
      this.cardState = element("span", "az-card-state");
      head.append(this.cardTitle, this.cardState, button("az-card-close", "×", t("Close (Esc)"), () => this.close()));
      this.cardChip = element("img", "az-card-chip");
      this.cardFacts = element("dl");
      const body = element("div", "az-card-body");
      body.append(this.cardChip, this.cardFacts);
      card.append(head, body, this.verdictButtons(), this.relabelForm(), this.foot());
      this.map.getContainer().append(card);
    }

    verdictButtons() {
      const row = element("div", "az-card-verdicts");
      const make = (kind, text, key, act) => {
        const made = button("az-verdict az-verdict-" + kind, "", `${text} (${key})`, act);
        made.append(element("span", "", text), element("kbd", "", key));
        row.append(made);
        return made;
      };
      this.confirmButton = make("confirm", t("Confirm"), "c", () => this.review("confirm"));
      this.rejectButton = make("reject", t("Reject"), "r", () => this.review("reject"));
      this.relabelButton = make("relabel", t("Relabel"), "l", () => this.relabelling(true));
      return row;
    }

    relabelForm() {
      const form = (this.form = element("form", "az-card-relabel"));
      this.classInput = element("input");
      this.classInput.setAttribute("aria-label", t("The right class"));
      this.classInput.placeholder = t("the right class");
      this.classInput.maxLength = 80;
      const list = element("datalist");
      list.id = "classes-" + this.id;
      this.classList_ = list;
      this.classInput.setAttribute("list", list.id);
      const save = element("button", "az-verdict", t("Save"));
      save.type = "submit";
      form.append(this.classInput, list, save);
      form.hidden = true;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const name = this.classInput.value.trim();
        if (name) { this.relabelling(false); this.review("relabel", name); }
      });
      return form;
    }

    foot() {
      const foot = element("footer");
      const order = element("select");
      order.setAttribute("aria-label", t("Order of the review"));
      for (const [value, [text]] of Object.entries(ORDERS)) order.append(new Option(text, value));
      order.value = this.order;
      this.orderSelect = order;
      order.addEventListener("change", () => {
        if (order.value === "sample" && !this.sampled) { order.value = this.order; return this.draw30(); }
        this.order = order.value;
        this.fill();
        this.card.focus();
      });
      const line = element("div", "az-card-line");
      this.cardPlace = element("span", "az-card-place");
      line.append(
        button("az-card-step", "‹", t("The one before (p or ←)"), () => this.step(-1, false)),
        this.cardPlace,
        button("az-card-step", "›", t("The next unreviewed (n or →)"), () => this.step(1, true)),
      );
      const on = element("label", "az-card-on");
      const tick = element("input");
      tick.type = "checkbox";
      tick.checked = this.goOn;
      tick.addEventListener("change", () => { this.goOn = tick.checked; });
      on.append(tick, element("span", "", t("go on")));
      on.title = t("After a verdict, open the next that nobody reviewed");
      const below = element("div", "az-card-line");
      below.append(order, on);
      foot.append(line, below);
      return foot;
    }

    fill() {
      const item = this.items.get(this.open_);
      if (!item || !this.card) return;
      this.card.setAttribute("aria-label", t("Detection {id}: {name}", { id: String(item.id), name: item.name }));
      this.card.dataset.detection = String(item.id);
      this.card.dataset.verdict = item.verdict || "unreviewed";
      this.cardTitle.textContent = item.name;
      this.cardTitle.title = item.name;
      this.cardTitle.style.setProperty("--layer", this.colour(item.name));
      this.cardState.textContent = item.verdict ? SAID[item.verdict] : t("Unreviewed");
      const chip = this.owner.base + this.path + "/chips/" + item.id + ".png";
      if (this.cardChip.getAttribute("src") !== chip) {
        // A new picture: the one before would stand there until this one is read.
        const fresh = element("img", "az-card-chip");
        Object.assign(fresh, { src: chip, alt: t("{what}, cut from the image", { what: item.found }) });
        this.cardChip.replaceWith(fresh);
        this.cardChip = fresh;
      }
      this.cardFacts.replaceChildren();
      const size = [number(item.length_m, ""), number(item.width_m, "")].filter(Boolean).join(" × ");
      const facts = [
        [t("Score"), item.score.toFixed(2)], [t("Size"), size && size + " m"], [t("Heading"), number(item.heading_deg, "°")],
        [t("Found as"), item.name === item.found ? "" : item.found], [t("Model"), item.model], [t("Image"), this.sources[item.source] || item.source],
        [t("Reviewed"), item.verdict && [item.by, (item.at || "").replace("T", " ").slice(0, 16)].filter(Boolean).join(", ")],
      ];
      for (const [key, value] of facts) if (value) { const line = element("div"); line.append(element("dt", "", key), element("dd", "", String(value))); line.lastChild.title = String(value); this.cardFacts.append(line); }
      const pressed = { confirm: "confirmed", reject: "rejected", relabel: "relabelled" };
      for (const [kind, made] of [["confirm", this.confirmButton], ["reject", this.rejectButton], ["relabel", this.relabelButton]]) made.setAttribute("aria-pressed", String(item.verdict === pressed[kind]));
      this.cardPlace.textContent = t("No. {id} · {done} of {all} reviewed", { id: item.id, done: this.reviewed(), all: this.items.size });
      this.classList_.replaceChildren(...[...this.colours.keys()].map((name) => new Option(name)));
    }

    relabelling(on) {
      this.form.hidden = !on;
      if (on) { this.classInput.value = ""; this.classInput.focus(); }
      else if (this.card.contains(document.activeElement)) this.card.focus({ preventScroll: true });
    }

    // A verdict shows at once; the session is told, and what it says in the end is what stays.
    review(verdict, name) {
      const item = this.items.get(this.open_);
      if (!item) return;
      const cleared = verdict === "clear" || (verdict !== "relabel" && item.verdict === { confirm: "confirmed", reject: "rejected" }[verdict]);
      const asked = { detections: this.id, detection_id: item.id, verdict: cleared ? "clear" : verdict };
      if (verdict === "relabel") asked.class_name = name;
      const words = { confirm: "confirmed", reject: "rejected", relabel: name === item.found ? "confirmed" : "relabelled" };
      const review = cleared ? [null, null, null, null] : [words[verdict], name || null, null, null];
      this.waiting.set(item.id, review);
      this.mark(item, review);
      this.restyle();
      this.fill();
      this.owner.call("review_detection", asked).then((ok) => {
        if (this.waiting.get(item.id) === review) this.waiting.delete(item.id);
        if (!ok) { this.version = this.wanted = null; this.owner.refresh(); }
      });
      if (this.goOn && !cleared) this.step(1, true);
    }

    key(event) {
      if (!this.card || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") { event.stopPropagation(); if (this.form.hidden) this.close(); else this.relabelling(false); return; }
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox" && event.target.type !== "range") return;
      const acts = {
        c: () => this.review("confirm"), r: () => this.review("reject"), l: () => this.relabelling(true), u: () => this.review("clear"),
        n: () => this.step(1, true), p: () => this.step(-1, false), ArrowRight: () => this.step(1, true), ArrowDown: () => this.step(1, true),
        ArrowLeft: () => this.step(-1, false), ArrowUp: () => this.step(-1, false),
      };
      if (event.target.type === "range" && event.key.startsWith("Arrow")) return;
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    }
  }

  function within(spot, ring) {
    let inside = false;
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const a = ring[i], b = ring[j];
      if (a.lat > spot.lat !== b.lat > spot.lat && spot.lng < ((b.lng - a.lng) * (spot.lat - a.lat)) / (b.lat - a.lat) + a.lng) inside = !inside;
    }
    return inside;
  }

  window.AzimuthObjects = Objects;
})();
