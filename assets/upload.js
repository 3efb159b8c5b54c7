// One file, streamed to the server as it is read: neither side keeps it in memory.
export default function ({ data, parentElement, setTriggerValue }) {
  if (parentElement.querySelector("input")) return;
  const input = document.createElement("input");
  input.type = "file";
  input.setAttribute("aria-label", "File to upload");
  const progress = document.createElement("progress");
  progress.max = 1; progress.hidden = true;
  const said = document.createElement("p");
  said.className = "az-upload-said";
  said.setAttribute("role", "status");
  input.addEventListener("change", () => {
    const file = input.files[0];
    if (!file) return;
    said.textContent = "";
    // The server says the same; a browser that is still sending would not hear it.
    if (file.size > data.limit) { said.textContent = data.too_large; input.value = ""; return; }
    const request = new XMLHttpRequest();
    request.open("PUT", "/api/uploads/" + encodeURIComponent(file.name));
    request.setRequestHeader("X-Azimuth", "1");
    request.upload.onprogress = (event) => { progress.hidden = false; progress.value = event.loaded / event.total; };
    request.onload = () => {
      progress.hidden = true;
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { answer = { error: "The upload failed; try again." }; }
      said.textContent = answer.error || `${answer.name} is here; reading it …`;
      if (answer.path) setTriggerValue("uploaded", answer.path);
    };
    request.onerror = () => { progress.hidden = true; said.textContent = "The upload broke off; try again."; };
    request.send(file);
  });
  parentElement.append(input, progress, said);
}
