// What is used wherever something is drawn: elements, numbers in words, and longitudes before latitudes.
(function () {
  "use strict";

  function at(lon, lat) { return L.latLng(lat, lon); }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const full = (count) => azimuthNumber(count);

  const written = (value) => (Number.isInteger(value) ? full(value) : String(+value.toPrecision(6)));

  function shifted(geometry, by) {
    if (!by || !geometry) return geometry;
    const move = (part) => (typeof part[0] === "number" ? [part[0] + by, part[1]] : part.map(move));
    return { type: geometry.type, coordinates: move(geometry.coordinates) };
  }

  function firstLon(geometry) {
    let part = geometry.coordinates;
    while (typeof part[0] !== "number") part = part[0];
    return part[0];
  }

  window.AzimuthParts = { at, element, full, written, shifted, firstLon };
})();
