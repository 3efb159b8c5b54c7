// What was just said: once each, gone after a while. A run of the page that is cut short loses nothing.
export default function ({ data, parentElement }) {
  let box = parentElement.querySelector(".az-notices");
  if (!box) {
    box = document.createElement("div");
    box.className = "az-notices";
    box.setAttribute("role", "status");
    parentElement.append(box);
    box.shown = data.number;
    box.said = data.state;
    if (!data.fresh) return;
    box.shown = data.number - 1;
  }
  const show = (text) => {
    const line = document.createElement("p");
    line.textContent = text;
    box.append(line);
    setTimeout(() => line.remove(), 7000);
  };
  if (data.number > box.shown) { box.shown = data.number; if (data.text) show(data.text); }
  const [session, text] = data.state;
  if (box.said[0] === session && box.said[1] !== text && text) show(text);
  box.said = data.state;
}
