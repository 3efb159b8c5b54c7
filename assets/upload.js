// Files that are brought in: picked or dropped, streamed to the server one after the other, and then
// added to the session. Neither side keeps a file in memory. The list outlives a run of the page and a
// change of pages; what comes from outside becomes text, never markup.

const SIDE = /\.(tfw|tifw|tiffw|pgw|pngw|jgw|jpgw|jpegw|j2w|jp2w|wld|prj|shx|dbf|cpg|qpj|sbn|sbx|aux\.xml|ovr)$/i;
const BUSY_MS = 1000;

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`);
const stem = (name) => name.toLowerCase().replace(/\.[^.]*$/, "");

class Uploads {
  constructor() {
    this.rows = [];
    this.roots = new Set();
    this.busy = false;
  }

  // A world file, or a part of a shapefile, goes with the file of its name and is not added by itself.
  take(files, session, limits, notes = []) {
    this.rows = this.rows.filter((row) => !["done", "failed"].includes(row.state));
    const batch = [...files].map((file) => ({ file, name: file.name, session, share: 0, said: "", state: "waiting" }));
    const stems = new Set(batch.filter((row) => !SIDE.test(row.name)).map((row) => stem(row.name)));
    for (const row of batch) {
      row.side = SIDE.test(row.name) && stems.has(stem(row.name).replace(/\.aux$/, ""));
      if (row.file.size > limits.limit) Object.assign(row, { state: "failed", said: limits.too_large });
      if (row.file.size === 0) Object.assign(row, { state: "failed", said: t("The file is empty.") });
    }
    this.rows.push(...batch, ...notes.map((note) => ({ ...note, state: "failed", share: 0 })));
    this.show();
    this.run();
  }

  async run() {
    if (this.busy) return;
    this.busy = true;
    let row;
    while ((row = this.rows.find((each) => each.state === "waiting") || this.rows.find((each) => each.state === "here"))) {
      await (row.state === "waiting" ? this.send(row) : this.add(row));
      this.show();
    }
    this.busy = false;
  }

  send(row) {
    return new Promise((ended) => {
      const request = (row.request = new XMLHttpRequest());
      const failed = (said) => { Object.assign(row, { state: "failed", said, request: null }); ended(); };
      request.open("PUT", "/api/uploads/" + encodeURIComponent(row.name));
      request.setRequestHeader("X-Azimuth", "1");
      request.upload.onprogress = (event) => { row.share = event.total ? event.loaded / event.total : 0; this.tick(row); };
      request.onerror = () => failed(t("The upload broke off; try again."));
      request.onabort = () => failed(t("Cancelled; nothing of it was kept."));
      request.onload = () => {
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { answer = { error: t("The upload failed; try again.") }; }
        if (!answer.name) return failed(answer.error || t("The upload failed; try again."));
        Object.assign(row, { state: row.side ? "done" : "here", said: row.side ? t("Goes with the file of its name.") : "", share: 1, request: null });
        Object.assign(row, { stored: answer.name });
        ended();
      };
      row.state = "sending";
      this.show();
      request.send(row.file);
    });
  }

  async add(row) {
    row.state = "reading";
    row.said = t("Reading …");
    this.show();
    for (;;) {
      let answer, status = 0;
      try {
        const got = await fetch(`/api/sessions/${encodeURIComponent(row.session)}/calls`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-Azimuth": "1" },
          body: JSON.stringify({ tool: "add_file", args: { file: row.stored } }),
        });
        status = got.status;
        answer = await got.json();
      } catch {
        answer = { error: t("The file is here, but it could not be read; try again.") };
      }
      if (status === 409) { // a request runs: the file waits for its end
        row.said = t("Waits for the running request …");
        this.show();
        await new Promise((later) => setTimeout(later, BUSY_MS));
        continue;
      }
      Object.assign(row, { state: answer.error ? "failed" : "done", said: answer.error || answer.observation });
      return;
    }
  }

  cancel(row) {
    if (row.request) row.request.abort();
    else if (row.state === "waiting") Object.assign(row, { state: "failed", said: t("Cancelled; nothing of it was kept.") });
    this.show();
  }

  dismiss(row) {
    this.rows = this.rows.filter((each) => each !== row);
    this.show();
  }

  // Progress changes one bar; only a change of state draws the list again.
  tick(row) {
    for (const root of this.roots) {
      const bar = root.list.querySelectorAll("progress")[this.rows.filter((each) => each.state === "sending").indexOf(row)];
      if (bar) bar.value = row.share;
    }
  }

  show() {
    for (const root of this.roots) root.draw(this.rows);
  }
}

class Root {
  constructor(parent, uploads) {
    this.uploads = uploads;
    this.element = make("div", "az-uploads");
    this.list = make("ul", "az-upload-list");
    this.list.setAttribute("aria-label", t("Files"));
    this.input = make("input");
    Object.assign(this.input, { type: "file", multiple: true });
    this.input.setAttribute("aria-label", t("Files to upload"));
    this.input.addEventListener("change", () => { this.take(this.input.files); this.input.value = ""; });
    this.element.append(this.list, this.input);
    parent.append(this.element);
    this.over = make("div", "az-drop", t("Drop the files to add them"));
    this.depth = 0;
    this.handlers = {
      dragenter: (event) => this.dragged(event, 1),
      dragleave: (event) => this.dragged(event, -1),
      dragover: (event) => { if (this.carriesFiles(event)) event.preventDefault(); },
      drop: (event) => this.dropped(event),
    };
  }

  listen(on) {
    for (const [name, handler] of Object.entries(this.handlers)) {
      window[on ? "addEventListener" : "removeEventListener"](name, handler);
    }
    this.over.remove();
    this.depth = 0;
    this.uploads.roots[on ? "add" : "delete"](this);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.trigger = setTriggerValue;
    if (data.compact && !this.button) {
      this.button = make("button", "az-attach", t("+ Add files"));
      this.button.type = "button";
      this.button.title = t("Add rasters, features, tables or documents; or drop them here");
      this.button.addEventListener("click", () => this.input.click());
      this.input.hidden = true;
      this.element.append(this.button);
    }
    this.draw(this.uploads.rows);
  }

  carriesFiles(event) {
    return [...(event.dataTransfer?.types || [])].includes(t("Files"));
  }

  dragged(event, by) {
    if (!this.carriesFiles(event)) return;
    event.preventDefault();
    this.depth = Math.max(0, this.depth + by);
    if (this.depth) document.body.append(this.over); else this.over.remove();
  }

  dropped(event) {
    if (!this.carriesFiles(event)) return;
    event.preventDefault();
    this.depth = 0;
    this.over.remove();
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const folders = new Set(items.map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry?.isDirectory).map((entry) => entry.name));
    const notes = [...folders].map((name) => ({ name, said: t("A folder cannot be dropped; pack it as a ZIP.") }));
    this.take([...event.dataTransfer.files].filter((file) => !folders.has(file.name)), notes);
  }

  take(files, notes) {
    if (files.length || notes?.length) this.uploads.take(files, this.data.session, this.data, notes);
  }

  draw(rows) {
    this.list.replaceChildren(...rows.map((row) => this.row(row)));
  }

  row(row) {
    const made = make("li", "az-upload az-upload-" + row.state);
    const head = make("div", "az-upload-head");
    head.append(make("span", "az-upload-name", row.name));
    if (row.file) head.append(make("span", "az-upload-size", size(row.file.size)));
    const sending = row.state === "sending" || row.state === "waiting";
    if (this.data.ingest && row.state === "done" && row.stored && !row.side) {
      head.append(this.action(t("Add as a data set"), t("Add {name} to the catalogue as a data set", { name: row.name }), () => this.trigger("ingest", row.stored)));
    }
    if (sending) head.append(this.action(t("Cancel"), t("Cancel {name}", { name: row.name }), () => this.uploads.cancel(row)));
    else if (row.state !== "reading") head.append(this.action("✕", t("Dismiss {name}", { name: row.name }), () => this.uploads.dismiss(row)));
    made.append(head);
    if (row.state === "sending") {
      const bar = make("progress");
      bar.max = 1;
      bar.value = row.share;
      bar.setAttribute("aria-label", t("Upload of {name}", { name: row.name }));
      made.append(bar);
    }
    if (row.said) {
      const said = make("p", "az-upload-said", row.said);
      said.setAttribute("role", "status");
      said.title = row.said;
      made.append(said);
    }
    return made;
  }

  action(text, label, act) {
    const button = make("button", "az-upload-act", text);
    button.type = "button";
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    return button;
  }
}

export default function (component) {
  const { parentElement } = component;
  window.azimuthUploads ??= new Uploads();
  parentElement.azimuthUpload ??= new Root(parentElement, window.azimuthUploads);
  const root = parentElement.azimuthUpload;
  if (!root.element.isConnected) parentElement.append(root.element);
  root.listen(false);
  root.listen(true);
  root.update(component);
  return () => root.listen(false);
}
