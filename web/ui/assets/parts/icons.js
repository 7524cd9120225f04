/** Small line drawings for buttons, all on one grid of 16. */

import { svg } from "../dom.js";

const PATHS = {
  play: ["M5 3.2v9.6L12.6 8Z"],
  pause: ["M5.2 3.2v9.6", "M10.8 3.2v9.6"],
  step: ["M4 3.2v9.6L10 8Z", "M12.2 3.2v9.6"],
  back: ["M3 8a5 5 0 1 0 1.6-3.7", "M3 2.4v3h3"],
  undo: ["M6 3 2.8 6.2 6 9.4", "M3 6.2h6a4 4 0 0 1 0 8H7"],
  redo: ["M10 3l3.2 3.2L10 9.4", "M13 6.2H7a4 4 0 0 0 0 8h2"],
  fork: ["M4.5 2.5v11", "M4.5 9.5c0-3 7-1.500 7-5.500", "M9.600 5.800l1.900-2 1.900 2"],
  link: ["M6.600 9.400l2.800-2.800", "M7.400 4.700l1.500-1.500a2.700 2.700 0 0 1 3.900 3.900l-1.500 1.500", "M8.600 11.300l-1.500 1.500a2.700 2.700 0 0 1-3.900-3.900l1.500-1.500"],
  save: ["M8 2.500v7.500", "M4.800 7 8 10.200 11.200 7", "M3 13.200h10"],
  trace: ["M8 10.500V3", "M4.800 6 8 2.800 11.200 6", "M3 13.200h10"],
  close: ["M4 4l8 8", "M12 4l-8 8"],
  reset: ["M8 3.200v4.800l3 2", "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z"],
  on: ["M3.200 8h9.600", "M9 4.200 12.800 8 9 11.800"],
  help: ["M6 6.200a2.050 2.050 0 1 1 2.900 1.900c-.6.3-.9.7-.9 1.400v.3", "M8 12.100v.1"],
};

/** @param {keyof PATHS} name */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, PATHS[name].map((d) => svg("path", { d })));
}
