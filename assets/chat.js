// The conversation. Everything that comes from outside becomes text nodes, never markup.
// It also listens for changes of the session and asks the page to run again when there are some.

const REFERENCE = /⁽([⁰¹²³⁴⁵⁶⁷⁸⁹]+)⁾/g;
const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(className, text, label, act) {
  const made = make("button", className, text);
  made.type = "button";
  if (label) { made.setAttribute("aria-label", label); made.title = label; }
  made.addEventListener("click", act);
  return made;
}

const THUMB = "M2 10h4v11H2zM8 21h9.3a2 2 0 0 0 1.9-1.4l2.6-7.7A1.5 1.5 0 0 0 20.400 10H15l.9-5.200A2 2 0 0 0 13.900 2.500L8 10z";

function thumb(rating) {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("class", "az-thumb-icon az-thumb-" + rating);
  icon.setAttribute("aria-hidden", "true");
  path.setAttribute("d", THUMB);
  icon.append(path);
  return icon;
}

class Chat {
  constructor(root) {
    this.root = root;
    root.classList.add("az-chat");
    root.setAttribute("role", "log");
    root.setAttribute("aria-label", t("Conversation"));
    root.tabIndex = 0;
    this.cards = new Map();
    this.unfolded = new Set(); // thoughts that are read in full: they stay so when their card is built again
    document.addEventListener("visibilitychange", (this.seen = () => this.listen()));
  }

  update({ data, setTriggerValue, setStateValue }) {
    window.azimuthWords = data.words;
    this.trigger = setTriggerValue;
    this.setState = setStateValue;
    const session = this.data && this.data.session !== data.session;
    this.data = data;
    this.job = data.job;
    if (session) { this.cards.clear(); this.unfolded.clear(); this.root.replaceChildren(); this.leave(); }
    const bottom = this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 60;
    const last = data.turns.length ? data.turns[data.turns.length - 1].turn : 0;
    const added = last !== this.last;
    this.last = last;
    this.draw();
    this.showJob();
    if (bottom || added) this.root.scrollTop = this.root.scrollHeight;
    this.listen();
  }

  draw() {
    const { data } = this;
    const wanted = [];
    if (!data.turns.length) wanted.push(this.card("empty", data.examples, () => this.empty()));
    if (data.earlier) wanted.push(this.card("earlier", data.earlier, () => make("p", "az-muted", t("{n} earlier turns are in the trace.", { n: data.earlier }))));
    data.turns.forEach((turn, index) => {
      const last = index === data.turns.length - 1;
      const question = last ? data.question : null;
      wanted.push(this.card("t" + turn.turn, [turn, question], (before) => this.turn(turn, question, before)));
    });
    if (data.job && !data.turns.some((turn) => turn.running)) wanted.push(this.card("job", data.job.id, () => this.progress()));
    if (data.problem) wanted.push(this.card("problem", data.problem, () => make("p", "az-problem", data.problem)));
    const keys = new Set(wanted.map((each) => each.dataset.key));
    for (const key of [...this.cards.keys()]) if (!keys.has(key)) this.cards.delete(key);
    for (const child of [...this.root.children]) if (!wanted.includes(child)) child.remove();
    wanted.forEach((node, index) => { if (this.root.children[index] !== node) this.root.insertBefore(node, this.root.children[index] || null); });
  }

  // A card is built again only when what it shows has changed, so nothing jumps and nothing closes.
  card(key, content, build) {
    const print = JSON.stringify(content);
    const before = this.cards.get(key);
    if (before && before.print === print) return before.node;
    const node = build(before && before.node);
    node.dataset.key = key;
    this.cards.set(key, { print, node });
    return node;
  }

  empty() {
    const box = make("div", "az-empty");
    box.append(make("h2", "", t("What would you like to see?")), make("p", "", t("Ask in your own words. These work:")));
    for (const text of this.data.examples) {
      box.append(button("az-choice az-example", text, "", () => this.trigger("ask", text)));
    }
    return box;
  }

  turn(turn, question, before) {
    if (turn.request === null) return this.action(turn);
    const card = make("article", "az-turn");
    const request = make("p", "az-request", turn.request);
    request.dir = "auto";
    card.append(request);
    if (turn.summary) card.append(this.work(turn, before));
    if (turn.running) card.append(this.now(turn), this.progress());
    if (turn.reply !== null && turn.reply !== "") card.append(this.reply(turn));
    if (turn.interrupted) card.append(make("p", "az-note", t("Interrupted: the app was closed before this request was finished. What was done stands; ask again to go on.")));
    if (question && question.choices.length) card.append(this.choices(question));
    if (turn.unread) card.append(this.choices({ text: t("Ask in your own words. These work:"), choices: this.data.examples }));
    if (turn.reply !== null) card.append(this.thumbs(turn));
    return card;
  }

  action(turn) {
    const card = make("article", "az-action");
    for (const call of turn.calls) {
      const line = make("p", call.ok ? "" : "az-failed");
      // The mark stays with what it stands before, however long the first word of that is.
      line.append(make("span", "az-dot", call.ok ? "●" : "✕"), document.createTextNode("\u00a0" + call.text));
      line.title = call.call;
      card.append(line);
    }
    return card;
  }

  // What it does at this moment, in one line: the thought after the last call, where there is one.
  now(turn) {
    if (turn.stopping) return make("p", "az-thinking az-stopping", t("Stopping …"));
    const last = turn.thoughts.at(-1);
    const fresh = last && last.seq > (turn.calls.at(-1)?.seq ?? 0);
    const text = fresh ? last.text : turn.calls.length ? t("Working …") : t("Reading the request …");
    return make("p", "az-thinking", text);
  }

  // How far the job is that the session waits for. It is drawn over, and its card is never built again for it.
  progress() {
    const box = make("div", "az-job");
    const bar = make("div", "az-job-bar");
    bar.setAttribute("role", "progressbar");
    bar.setAttribute("aria-valuemin", "0");
    bar.setAttribute("aria-valuemax", "100");
    bar.append(make("span"));
    box.append(make("p", "az-job-title"), bar, make("p", "az-muted az-job-says"));
    this.showJob(box);
    return box;
  }

  showJob(box = this.root.querySelector(".az-job")) {
    if (!box) return;
    const job = this.job;
    box.hidden = !job;
    if (!job) return;
    const [title, bar, says] = box.children;
    title.textContent = job.title;
    bar.setAttribute("aria-label", job.title);
    bar.setAttribute("aria-valuenow", String(job.percent));
    bar.firstChild.style.width = job.percent + "%";
    says.textContent = [job.sentence, job.time].filter(Boolean).join(" · ");
  }

  work(turn, before) {
    const details = make("details", "az-calls");
    details.open = before ? Boolean(before.querySelector("details")?.open) : false;
    const summary = make("summary");
    summary.append(make("span", turn.running ? "az-spin" : "", ""), document.createTextNode(turn.summary));
    details.append(summary);
    const list = make("ol");
    const steps = [...turn.calls.map((each) => [each.seq, this.call(each)]), ...turn.thoughts.map((each) => [each.seq, this.thought(each)])];
    for (const [, item] of steps.sort((one, other) => one[0] - other[0])) list.append(item);
    details.append(list);
    return details;
  }

  call(call) {
    const item = make("li", call.ok ? "" : "az-failed");
    const head = button("az-call", "", t("Show call {number} in the trace", { number: call.number }), () => this.open(call));
    head.append(make("span", "az-no", String(call.number)), make("span", "az-mark", call.ok ? "✓" : "✕"), make("code", "", call.call), make("span", "az-ms", call.time));
    item.append(head, make("p", "az-result", call.text));
    return item;
  }

  // A thought is cut to two lines until it is clicked.
  thought(thought) {
    const item = make("li", "az-thought");
    const text = button("az-thought-text", thought.text, "", () => {
      const unfold = !this.unfolded.has(thought.seq);
      if (unfold) this.unfolded.add(thought.seq); else this.unfolded.delete(thought.seq);
      text.setAttribute("aria-expanded", String(unfold));
    });
    text.setAttribute("aria-expanded", String(this.unfolded.has(thought.seq)));
    item.append(text);
    return item;
  }

  reply(turn) {
    const box = make("p", "az-reply az-" + turn.outcome);
    box.dir = "auto";
    if (turn.unread) box.lang = turn.unread;
    let from = 0;
    for (const match of turn.reply.matchAll(REFERENCE)) {
      // The number, its reference and the point behind it stay on one line.
      const before = turn.reply.slice(from, match.index).trimEnd();
      const tail = before.match(/\S{0,24}$/)[0];
      const after = turn.reply.slice(match.index + match[0].length).match(/^[.,;:!?)]*/)[0];
      const cited = make("span", "az-cited");
      cited.append(...this.linked(tail, turn));
      box.append(...this.linked(before.slice(0, before.length - tail.length), turn), cited);
      const number = Number([...match[1]].map((digit) => DIGITS.indexOf(digit)).join(""));
      const call = turn.calls.find((each) => each.number === number);
      const text = String(number);
      cited.append(call ? button("az-ref", text, t("Call {number}: {call}", { number, call: call.call }), () => this.open(call)) : make("sup", "", text), after);
      from = match.index + match[0].length + after.length;
    }
    box.append(...this.linked(turn.reply.slice(from), turn));
    const whole = document.createDocumentFragment();
    whole.append(box);
    if (turn.beneath) {
      const details = make("details", "az-beneath");
      details.append(make("summary", "", t("How this was found")), make("p", "", turn.beneath));
      whole.append(details);
    }
    if (turn.sources?.length) whole.append(this.sources(turn.sources));
    const written = turn.files.filter((each) => !each.said);
    if (written.length) {
      const list = make("p", "az-files");
      for (const each of written) list.append(this.download(each, t("Download {name}", { name: each.name })));
      whole.append(list);
    }
    return whole;
  }

  // What an answer was quoted from: each card opens its passage on the Knowledge page.
  sources(sources) {
    const box = make("div", "az-cards");
    box.setAttribute("role", "list");
    box.setAttribute("aria-label", t("Sources"));
    for (const each of sources) {
      const card = make("a", "az-source");
      card.setAttribute("role", "listitem");
      card.href = "/knowledge?" + new URLSearchParams({ session: this.data.session, passage: each.passage });
      card.append(make("b", "", String(each.n)), make("span", "", each.cited), make("small", "", each.excerpt));
      box.append(card);
    }
    return box;
  }

  // A text with the ids of the session's files as links to them; all else stays text.
  linked(text, turn) {
    const ids = turn.files.filter((each) => each.said).map((each) => each.id);
    if (!ids.length) return [document.createTextNode(text)];
    const parts = text.split(new RegExp("\\b(" + ids.join("|") + ")\\b"));
    return parts.map((part, at) => (at % 2 ? this.download(turn.files.find((each) => each.id === part), part) : document.createTextNode(part)));
  }

  download(file, text) {
    const link = make("a", "az-file", text);
    link.href = "/api/sessions/" + encodeURIComponent(this.data.session) + "/artifacts/" + encodeURIComponent(file.id);
    link.download = "";
    link.title = t("Download {name}", { name: file.name });
    return link;
  }

  open(call) {
    if (call.layer && this.channel) this.channel.postMessage({ flash: call.layer });
    this.trigger("trace", { seq: call.seq });
  }

  choices(question) {
    const box = make("div", "az-choices");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", question.text);
    for (const text of question.choices) box.append(button("az-choice", text, "", () => this.trigger("ask", text)));
    return box;
  }

  thumbs(turn) {
    const box = make("div", "az-thumbs");
    if (turn.rating) {
      box.append(thumb(turn.rating), make("span", "az-muted", turn.rating === "up" ? t("marked as right") : t("kept as a case to get right")));
      return box;
    }
    const rate = (rating) => this.note(box, turn, rating);
    for (const [rating, label] of [["up", t("This was right")], ["down", t("This was wrong")]]) {
      const made = button("az-thumb", "", label, () => rate(rating));
      made.append(thumb(rating));
      box.append(made);
    }
    return box;
  }

  note(box, turn, rating) {
    const form = make("form", "az-note-form");
    const input = make("input");
    input.maxLength = 2000;
    input.placeholder = rating === "up" ? t("What was good? (optional)") : t("What was wrong? (optional)");
    input.setAttribute("aria-label", t("Note"));
    const send = make("button", "az-send", t("Send"));
    send.type = "submit";
    send.setAttribute("aria-label", t("Send the note"));
    const cancel = button("az-thumb", "✕", t("Do not rate"), () => box.replaceWith(this.thumbs(turn)));
    form.append(thumb(rating), input, send, cancel);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.trigger("feedback", { turn: turn.turn, rating, note: input.value });
      box.replaceChildren(make("span", "az-muted", t("Thank you.")));
    });
    box.replaceChildren(form);
    input.focus();
  }

  // -- changes --

  listen() {
    const { session } = this.data;
    if (document.hidden) return this.leave();
    if (this.source && this.session === session) return;
    this.leave();
    this.session = session;
    this.channel = new BroadcastChannel("azimuth-" + session);
    this.source = new EventSource("/api/sessions/" + encodeURIComponent(session) + "/stream");
    this.source.onmessage = (event) => {
      const { version, job } = JSON.parse(event.data);
      this.channel.postMessage({ version, job });
      this.job = job;
      this.showJob();
      if (version !== this.data.version) this.setState("version", version);
    };
  }

  leave() {
    if (this.source) this.source.close();
    if (this.channel) this.channel.close();
    this.source = this.channel = null;
  }

  close() {
    this.leave();
    document.removeEventListener("visibilitychange", this.seen);
  }
}

export default function (component) {
  const { parentElement } = component;
  let root = parentElement.querySelector(".az-root");
  if (!root) { root = make("div", "az-root"); parentElement.append(root); }
  if (!root.chat) root.chat = new Chat(root);
  root.chat.update(component);
  return () => root.chat.leave();
}
