// Listens for changes of the session, as the conversation does, for pages that show none; and tells the
// picture beside it which detections to show, which one to open, and what to lay it against.
class Follow {
  update({ data, setStateValue }) {
    this.set = setStateValue;
    const session = this.data && this.data.session !== data.session;
    this.data = data;
    if (session) this.leave();
    this.listen();
    this.tell();
  }

  tell() {
    const { show, open, number, against } = this.data;
    if (show !== this.shown) { this.shown = show; this.channel.postMessage({ show }); }
    if (against !== this.against) { this.against = against; this.channel.postMessage({ against }); }
    if (number !== this.number) { if (open && this.number !== undefined) this.channel.postMessage({ open }); this.number = number; }
  }

  listen() {
    if (this.source) return;
    const { session } = this.data;
    this.channel = new BroadcastChannel("azimuth-" + session);
    this.channel.onmessage = ({ data }) => { if (data.ready) { this.shown = this.against = undefined; this.tell(); } };
    this.source = new EventSource("/api/sessions/" + encodeURIComponent(session) + "/stream");
    this.source.onmessage = (event) => {
      const { version } = JSON.parse(event.data);
      this.channel.postMessage({ version });
      if (version !== this.data.version) this.set("version", version);
    };
  }

  leave() {
    if (this.source) this.source.close();
    if (this.channel) this.channel.close();
    this.source = this.channel = null;
  }
}

export default function (component) {
  const { parentElement } = component;
  if (!parentElement.follow) parentElement.follow = new Follow();
  parentElement.follow.update(component);
  return () => parentElement.follow.leave();
}
