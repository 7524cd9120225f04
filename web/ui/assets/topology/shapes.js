/** The shapes of particles, one for each pipeline, drawn once and then only copied. */

import { P_QUEUE, PB_QUEUE } from "./geometry.js";

/** What is drawn for a KV cache whose request has finished elsewhere. */
export const ORPHAN = 5;

/** Prefill in B beside main decode. */
export const IN_B = 6;

/** Shape and colour role by pipeline; -1: not routed yet. */
export const LOOKS = {
  "-1": { shape: "dot", role: "p" },
  0: { shape: "dot", role: "md" },
  1: { shape: "diamond", role: "rld" },
  2: { shape: "square", role: "red" },
  3: { shape: "triangle", role: "red" },
  4: { shape: "dot", role: "md" },
  5: { shape: "diamond", role: "faint" },
  6: { shape: "square", role: "md" },
};

const MARGIN = 3;

/** Draws particles of one size in the colours of one theme. */
export class Shapes {
  /**
   * @param {Object<string, string>} colours
   * @param {number} radius in CSS px
   * @param {number} scale device pixels per CSS px
   */
  constructor(colours, radius, scale) {
    this.half = radius + MARGIN;
    this.sprites = new Map();
    for (const [pipeline, look] of Object.entries(LOOKS)) {
      for (const kv of [false, true]) {
        this.sprites.set(`${pipeline}${kv}`, sprite(look.shape, colours[look.role], colours.card, radius, kv, scale));
      }
    }
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx, particle) {
    const image = this.sprites.get(`${particle.pipeline}${particle.kv}`) ?? this.sprites.get("-1false");
    ctx.globalAlpha = particle.place === P_QUEUE || particle.place === PB_QUEUE ? particle.alpha * 0.75 : particle.alpha;
    ctx.drawImage(image, particle.x - this.half, particle.y - this.half, this.half * 2, this.half * 2);
  }
}

function sprite(shape, colour, ground, radius, hollow, scale) {
  const size = 2 * (radius + MARGIN);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(size * scale);
  const ctx = canvas.getContext("2d");
  ctx.scale(canvas.width / size, canvas.height / size);
  ctx.translate(size / 2, size / 2);
  outline(ctx, shape, hollow ? radius - 0.6 : radius);
  ctx.fillStyle = hollow ? ground : colour;
  ctx.fill();
  ctx.lineWidth = hollow ? 1.6 : 1;
  ctx.strokeStyle = hollow ? colour : ground;
  ctx.stroke();
  return canvas;
}

/** Trace a shape around the origin. */
export function outline(ctx, shape, r) {
  ctx.beginPath();
  if (shape === "dot") ctx.arc(0, 0, r, 0, 2 * Math.PI);
  else if (shape === "diamond") corners(ctx, [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]], r);
  else if (shape === "square") corners(ctx, [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]], r);
  else corners(ctx, [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]], r);
}

function corners(ctx, points, r) {
  points.forEach(([x, y], i) => (i ? ctx.lineTo(x * r, y * r) : ctx.moveTo(x * r, y * r)));
  ctx.closePath();
}
