// The page's language and direction, and where the browser keeps them for the next visit.
const YEAR_S = 365 * 24 * 3600;

export default function ({ data }) {
  const page = document.documentElement;
  window.azimuthWords = data.words;
  page.lang = data.words.language;
  page.dir = data.direction;
  document.cookie = `${data.cookie}=${data.words.language}; path=/; max-age=${YEAR_S}; SameSite=Lax`;
}
