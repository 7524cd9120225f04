/** The colours and the font of the page as a canvas or a chart needs them: plain values. */

const NAMES = ["p", "rld", "md", "line", "amber", "glow", "red", "ink", "soft", "faint", "edge", "card", "page", "accent"];

/**
 * Read the palette where an element stands; the theme may have changed since the last time.
 * @param {Element} el
 * @returns {Object<string, string>} by role; also `font`, and `dark`
 */
export function palette(el) {
  const styles = getComputedStyle(el);
  const probe = document.createElement("span");
  probe.hidden = true;
  el.append(probe);
  const found = { font: styles.fontFamily };
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    found[name] = rgb(getComputedStyle(probe).color);
  }
  probe.remove();
  found.dark = luminance(found.page) < 0.3;
  return found;
}

/** A CSS colour with an alpha. */
export function faded(colour, alpha) {
  const [r, g, b] = parts(colour);
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

/** `color-mix` results are read back in another notation; charts want rgb(). */
function rgb(colour) {
  const [r, g, b] = parts(colour);
  return `rgb(${r}, ${g}, ${b})`;
}

function parts(colour) {
  const numbers = (colour.match(/-?[\d.]+(?:e-?\d+)?/g) ?? ["0", "0", "0"]).map(Number);
  const scale = colour.startsWith("color(") ? 255 : 1;
  return numbers.slice(0, 3).map((value) => Math.round(value * scale));
}

function luminance(colour) {
  const [r, g, b] = parts(colour);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}
