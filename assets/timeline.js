// The slider of a layer that is shown a step of time at a time.
(function () {
  "use strict";

  const { element, full } = AzimuthParts;

  class Timeline {
    constructor(owner) {
      this.owner = owner;
      this.box = owner.box("bottomleft", "az-time");
    }

    start(layer) {
      this.timed = layer;
      this.step = null;
      this.owner.get("/layers/" + encodeURIComponent(layer.view.id) + "/steps").then(({ periods }) => {
        if (this.timed !== layer) return;
        this.slider(layer, periods);
      }, (error) => this.owner.say(error.message));
    }

    // Without its layer there is nothing to slide.
    update() {
      if (this.timed && !this.owner.layers.has(this.timed.view.id)) { this.timed = this.step = null; clearInterval(this.playing); }
      this.apply();
      this.box.hidden = !this.timed || !this.timed.view.visible;
    }

    // Whatever shows the same rows shows the same step of them: points, clusters, outlines and counts.
    apply() {
      const rows = this.timed && this.timed.view.visible ? this.timed.view.rows : null;
      for (const layer of this.owner.layers.values()) {
        if (!layer.view.rows || layer.view.objects) continue;
        const step = this.step && layer.view.rows === rows ? this.step : null;
        layer.counted = step ? step[1] : null;
        const period = step ? step[0] : null;
        if (period !== layer.period) { layer.period = period; layer.dirty = true; layer.fetch(); }
      }
      this.owner.legend();
    }

    slider(layer, periods) {
      const box = this.box;
      clearInterval(this.playing);
      const play = element("button", "az-play", "▶");
      play.type = "button";
      play.setAttribute("aria-label", t("Play the timeline"));
      const range = element("input");
      range.type = "range"; range.min = "0"; range.max = String(periods.length); range.value = "0";
      range.setAttribute("aria-label", t("Time"));
      const text = element("span", "az-time-text");
      const show = () => {
        const index = Number(range.value) - 1;
        const step = index < 0 ? null : periods[index];
        text.textContent = step ? `${step[0]} · ${full(step[1])}` : t("all times");
        range.setAttribute("aria-valuetext", text.textContent);
        this.step = step;
        this.apply();
      };
      range.addEventListener("input", show);
      play.addEventListener("click", () => {
        if (this.playing) { clearInterval(this.playing); this.playing = null; play.textContent = "▶"; return; }
        play.textContent = "❚❚";
        this.playing = setInterval(() => { range.value = String((Number(range.value) % periods.length) + 1); show(); }, 900);
      });
      box.replaceChildren(play, range, text);
      show();
      this.update();
    }
  }

  window.AzimuthTimeline = Timeline;
})();
