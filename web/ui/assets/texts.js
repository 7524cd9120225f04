/** The words of the pages, as the server sends them; `{name}` in a text takes a value. */

let words = {};

/** Take over the texts, nested by place. */
export function useTexts(texts) {
  words = texts;
}

/**
 * The text at a place such as `tiles.ttft.help`.
 * @param {string} place
 * @param {Object<string, any>} [values]
 */
export function t(place, values = {}) {
  let found = words;
  for (const step of place.split(".")) found = found?.[step];
  if (typeof found !== "string") throw new Error(`there is no text ${place}`);
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/** Whether there is a text at a place. */
export function hasText(place) {
  let found = words;
  for (const step of place.split(".")) found = found?.[step];
  return typeof found === "string";
}
