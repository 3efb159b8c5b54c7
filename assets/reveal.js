// Brings the call that a reference names into sight: each time that it is asked for, and not when the page is
// merely drawn anew.
export default function ({ data }) {
  if (window.azRevealed === data.asked || !data.seq) return;
  const look = (tries) => {
    const row = document.getElementById("call-" + data.seq);
    if (row) { window.azRevealed = data.asked; row.scrollIntoView({ block: "center" }); }
    else if (tries) setTimeout(() => look(tries - 1), 50);
  };
  look(40);
}
