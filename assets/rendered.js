// Rendered scenes of the sample's records, laid over their footprints. They are no imagery, and say so.
(function () {
  "use strict";

  const { element } = AzimuthParts;
  const LEAST_PX = 150, MOST = 6;
  const NOTE = t("Pictures are rendered scenes, not imagery.");

  const address = (id, query) => "/api/rendered/" + id.split("/").map(encodeURIComponent).join("/") + (query || "");

  function overlay(id, bounds, pane) {
    // Below the outlines of the same pane, which stay to be clicked.
    return L.imageOverlay(address(id), bounds, { pane, zIndex: -1, className: "az-rendered", alt: t("Rendered scene of {name}", { name: id }), interactive: false });
  }

  // Those of a layer's footprints that are large enough to look at, none over the middle of another.
  function under(layer, features) {
    const view = layer.map.getBounds(), shown = [];
    for (const feature of features) {
      if (!feature.properties.rendered || shown.length >= MOST) continue;
      const bounds = layer.polygon(feature).getBounds();
      const [one, other] = [layer.map.latLngToLayerPoint(bounds.getSouthEast()), layer.map.latLngToLayerPoint(bounds.getNorthWest())];
      if (Math.abs(one.x - other.x) < LEAST_PX || !view.intersects(bounds)) continue;
      if (shown.some((each) => each.contains(bounds.getCenter()))) continue;
      shown.push(bounds);
      layer.rendered.addLayer(overlay(feature.properties.id, bounds, layer.paneName));
    }
    return shown.length ? NOTE : "";
  }

  // The picture of the record that is open, with the word on it.
  function selected(image, bounds) {
    const label = element("span", "", "rendered");
    const icon = L.divIcon({ html: label, className: "az-rendered-label", iconSize: [64, 18], iconAnchor: [-4, -4] });
    const mark = L.marker(bounds.getNorthWest(), { icon, pane: "az-selected", interactive: false, keyboard: false });
    return L.layerGroup([overlay(image.id, bounds, "az-selected"), mark]);
  }

  window.AzimuthRendered = { under, selected };
})();
