// What a running job has found so far, drawn over the map until its own layer is there.
class AzimuthPreview {
  constructor(owner) {
    this.owner = owner;
    this.map = owner.map;
    this.job = null;
    const pane = this.map.createPane("az-preview");
    pane.style.zIndex = "640";
    this.renderer = L.svg({ pane: "az-preview", padding: 0.3 });
    this.box = L.DomUtil.create("div", "az-preview-note", this.map.getContainer());
    this.box.setAttribute("role", "status");
    this.box.hidden = true;
  }

  told(job) {
    if (!job || !job.found) return this.end();
    clearTimeout(this.ending);
    this.ending = 0;
    if (!this.job || this.job.id !== job.id) { this.clear(); this.start(job); }
    this.job = job;
    this.box.hidden = false;
    this.box.textContent = `${job.title} … ${t("{found} found so far", { found: job.found })}`;
    this.fetch();
  }

  start(job) {
    this.job = job;
    this.count = 0;
    this.shapes = L.geoJSON(null, {
      pane: "az-preview", renderer: this.renderer, interactive: false,
      style: { className: "az-preview", color: "#f59e0b", weight: 2, dashArray: "4 4", fillColor: "#f59e0b", fillOpacity: 0.12 },
      pointToLayer: (_, spot) => L.circleMarker(spot, { pane: "az-preview", renderer: this.renderer, radius: 5 }),
    }).addTo(this.map);
  }

  // One request at a time: what was found meanwhile comes with the next.
  async fetch() {
    if (this.busy || this.count >= this.job.found) return;
    this.busy = true;
    const { id } = this.job;
    try {
      const answer = await fetch(`${this.owner.base}/jobs/${id}/found?after=${this.count}`);
      if (!answer.ok || !this.job || this.job.id !== id) return;
      const { features } = await answer.json();
      this.count += features.length;
      this.shapes.addData(features.filter((each) => each.geometry));
    } catch (error) {
      // The job's own layer will show what the preview could not.
    } finally { this.busy = false; }
  }

  // The result's own layer comes a moment after the job's end: what was found stays until then.
  end() {
    if (this.job && !this.ending) this.ending = setTimeout(() => this.clear(), 1500);
  }

  clear() {
    clearTimeout(this.ending);
    this.ending = 0;
    this.job = null;
    if (this.shapes) this.shapes.remove();
    this.shapes = null;
    this.box.hidden = true;
  }
}
window.AzimuthPreview = AzimuthPreview;
