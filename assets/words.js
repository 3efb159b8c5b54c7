// What the scripts say, in the page's language: t("Undo"), t("Call {number}", { number: 3 }). The English text is its
// own key; `window.azimuthWords` is what copilot/messages has of it in another language. The same in the page and in
// the map's frame.
function azimuthLanguage() { return (window.azimuthWords && window.azimuthWords.language) || "en"; }

function azimuthNumber(value, digits) {
  const places = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const code = azimuthLanguage();
  return Number(value).toLocaleString(code === "en" ? "en-US" : code, places);
}

function azimuthFilled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values ? values[name] : undefined;
    return value === undefined ? whole : typeof value === "number" ? azimuthNumber(value) : String(value);
  });
}

function t(text, values) {
  const known = window.azimuthWords;
  return azimuthFilled((known && known.one[text]) || text, values);
}

// A text for a count {n}: gettext's forms are in the order of the categories that the language has.
function tn(one, many, n, values) {
  const forms = window.azimuthWords && window.azimuthWords.several[one];
  let said = n === 1 ? one : many;
  if (forms) {
    const order = { 1: ["other"], 3: ["one", "many", "other"] }[forms.length] || ["zero", "one", "two", "few", "many", "other"];
    said = forms[order.indexOf(new Intl.PluralRules(azimuthLanguage()).select(n))] || forms.at(-1) || said;
  }
  return azimuthFilled(said, { n, ...values });
}
