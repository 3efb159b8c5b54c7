// Every text that is seen and has less contrast with what is behind it than WCAG 2.2 AA asks for, from the page's
// computed styles: colours, backgrounds and opacities of all that a text stands in, composed as a browser does.
() => {
  const number = (text) => text.split(/[ ,/]+/).map(Number);
  const parsed = (text) => {
    const plain = text.match(/^rgba?\(([^)]+)\)/), wide = text.match(/^color\(srgb ([^)]+)\)/);
    const parts = plain ? number(plain[1]) : wide ? number(wide[1]).map((part, at) => (at < 3 ? part * 255 : part)) : [0, 0, 0, 0];
    return parts.length > 3 ? parts : [...parts, 1];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const faded = (colour, opacity) => [...colour, opacity];
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // [what is behind a text, the text] as they are painted, given the elements around it from the outside in.
  const painted = ([node, ...inner], behind) => {
    const style = getComputedStyle(node), own = over(parsed(style.backgroundColor), behind);
    const [back, text] = inner.length ? painted(inner, own) : [own, over(parsed(style.color), own)];
    return [back, text].map((colour) => over(faded(colour, Number(style.opacity)), behind));
  };
  const around = (node) => (node ? [...around(node.parentElement), node] : []);
  const found = {};
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !node || node.closest("style, script, noscript, :disabled, [aria-disabled=true], label:has(:disabled)")) continue;
    // What only a screen reader reads; and a slider's value, which stands above its thumb and not on it.
    if (node.closest(".sr-only, [data-testid=stSlider]")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { width, height } = range.getBoundingClientRect();
    const style = getComputedStyle(node);
    if (width < 2 || height < 2 || style.visibility === "hidden") continue;
    const [back, text] = painted(around(node), [255, 255, 255]).map(light);
    const contrast = (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05);
    const px = parseFloat(style.fontSize), large = px >= 24 || (px >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) {
      found[`${node.tagName} ${node.className} in ${node.parentElement.className}`] = [texts.currentNode.textContent.trim().slice(0, 60), +contrast.toFixed(2)];
    }
  }
  return found;
}
