// What is wrong with how a page looks: texts outside, clipped, off their card, or too faint.
() => {
  const faults = [];
  const says = (el) => [...el.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const name = (el) =>
    `${el.tagName.toLowerCase()}.${el.className} "${el.textContent.trim().slice(0, 30)}"`;
  const scrolls = (el) => el.closest('.presets, .comparison, .scrubber, .sheet, .st-key-cards');
  // What is mixed is told as color(srgb 0.9 0.9 1), in shares.
  const rgb = (text) => (text.match(/[\d.]+(e-?\d+)?/g) ?? []).map((v, i) => Number(v) * (text.startsWith('color(') && i < 3 ? 255 : 1));
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (el) => {
    const layers = [];
    for (let at = el; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length >= 3 && (colour[3] ?? 1) > 0) layers.push(colour);
      if (colour.length === 3) break;
    }
    const over = (top, below) => { const a = top[3] ?? 1; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)); };
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  for (const el of document.querySelectorAll('.pdd *')) {
    const box = el.getBoundingClientRect();
    const style = getComputedStyle(el);
    if (!box.width || !box.height || style.visibility === 'hidden' || el.closest('.unseen, svg, [aria-disabled], :disabled')) continue;
    if (!scrolls(el) && (box.right > innerWidth + 1 || box.left < -1)) faults.push(`outside: ${name(el)}`);
    if (!says(el)) continue;
    if (['hidden', 'clip'].includes(style.overflowX) && el.scrollWidth > el.clientWidth + 1) faults.push(`clipped: ${name(el)}`);
    const card = el.closest('.card, .toolbar');
    if (card && !scrolls(el)) {
      const frame = card.getBoundingClientRect();
      if (box.right > frame.right + 1 || box.left < frame.left - 1) faults.push(`leaves its card: ${name(el)}`);
    }
    if (style.opacity !== '1' || el.closest('.is-before')) continue;
    const colour = rgb(style.color);
    const pair = [light(colour), light(ground(el))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(2)}: ${name(el)} ${style.color}`);
  }
  return [...new Set(faults)];
}
