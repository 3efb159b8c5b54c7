// What the map and the picture share: they ask the session and call its tools, say what went wrong, hold boxes
// of controls and follow the page's theme. Who extends it has `source()` (the path of what is shown),
// `show(answer)` and `theme()`.
(function () {
  "use strict";

  const STAYS_MS = 6000;
  const LOOK_MS = 700;
  const DARK_BELOW = 110;

  class AzimuthSurface {
    constructor(map, session) {
      this.map = map;
      this.base = "/api/sessions/" + encodeURIComponent(session);
      this.sending = Promise.resolve();
      this.left = new Promise((done) => addEventListener("pagehide", done, { once: true }));
      this.toast = document.createElement("div");
      this.toast.className = "az-toast";
      this.toast.setAttribute("role", "status");
      map.getContainer().append(this.toast);
    }

    async get(path, signal) {
      const answer = await fetch(this.base + path, { signal, headers: { Accept: "application/json" } });
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error || t("What is to be shown could not be loaded."));
      return body;
    }

    // In the order that they were asked for, since two on their way at once may come the other way round; when
    // the page is left, those that wait go at once.
    call(tool, args) {
      this.sending = Promise.race([this.sending, this.left]).then(() => this.send(tool, args));
      return this.sending;
    }

    async send(tool, args) {
      let done = false;
      try {
        const answer = await fetch(this.base + "/calls", {
          method: "POST", keepalive: true, headers: { "Content-Type": "application/json", "X-Azimuth": "1" }, body: JSON.stringify({ tool, args }),
        });
        const body = await answer.json();
        if (!answer.ok && !(body.tool && this.conversation())) this.say(body.error);
        done = answer.ok;
      } catch (error) { this.say(t("Azimuth does not answer; is it still running?")); }
      this.refresh();
      return done;
    }

    // What is on record the conversation says by itself, where it stands beside.
    conversation() { return window.parent.document.querySelector(".az-chat"); }

    // One request at a time; what changes meanwhile is asked for when it is back.
    refresh() {
      if (this.asking) { this.again = true; return; }
      this.asking = true;
      this.get(this.source()).then((answer) => this.show(answer), (error) => this.say(error.message)).finally(() => {
        this.asking = false;
        if (this.again) { this.again = false; this.refresh(); }
      });
    }

    box(position, className, fill, given) {
      const control = L.control({ position });
      const box = document.createElement("div");
      box.className = "az-box " + className;
      control.onAdd = () => { L.DomEvent.disableClickPropagation(box); L.DomEvent.disableScrollPropagation(box); return box; };
      control.addTo(this.map);
      if (given) given(control);
      if (fill) fill(box);
      return box;
    }

    say(text) {
      this.toast.textContent = text || "";
      this.toast.classList.add("az-shown");
      clearTimeout(this.toastTimer);
      this.toastTimer = setTimeout(() => this.toast.classList.remove("az-shown"), STAYS_MS);
    }

    watchTheme() {
      const check = () => {
        const node = window.parent.document.querySelector(".stApp");
        const colour = node ? getComputedStyle(node).backgroundColor : "rgb(255,255,255)";
        const [r, g, b] = (colour.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
        const dark = 0.3 * r + 0.59 * g + 0.11 * b < DARK_BELOW;
        if (dark !== this.darkPage) { this.darkPage = dark; this.theme(); }
      };
      check();
      setInterval(check, LOOK_MS);
    }
  }

  window.AzimuthSurface = AzimuthSurface;
})();
