// Pictures on canvases, which can be saved as pixels or as shapes.

import { Context } from 'svgcanvas';

import { byId, element } from './dom.ts';

/** Draws a picture in pixels of CSS. */
type Draw = (context: CanvasRenderingContext2D) => void;

/** The pictures on canvases, by which they are drawn again as shapes. */
const pictures = new WeakMap<HTMLCanvasElement, { width: number; height: number; draw: Draw }>();

/** Draws a picture on a canvas of this size in pixels of CSS. */
export function paint(canvas: HTMLCanvasElement, width: number, height: number, draw: Draw): void {
  const ratio = devicePixelRatio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  draw(context);
  pictures.set(canvas, { width, height, draw });
}

/** Returns the picture of a canvas as SVG; a picture that others drew consists of its pixels. */
function svgOf(canvas: HTMLCanvasElement): string {
  const { clientWidth, clientHeight } = canvas;
  const picture = pictures.get(canvas) ?? {
    width: clientWidth, height: clientHeight, draw: context => context.drawImage(canvas, 0, 0, clientWidth, clientHeight),
  };
  const context = new Context({ width: picture.width, height: picture.height, document });
  picture.draw(context);
  return context.getSerializedSvg(true);
}

/** Returns the picture of the view that is shown: a canvas, or shapes. */
function shown(): HTMLCanvasElement | SVGElement | null {
  return document.querySelector('.view:not([hidden]) :is(canvas, svg)');
}

function save(blob: Blob, extension: string): void {
  const address = URL.createObjectURL(blob);
  element('a', { href: address, download: `${document.title}.${extension}` }).click();
  URL.revokeObjectURL(address);
}

/** Saves the picture of the view that is shown, as pixels. */
export function savePixels(): void {
  const picture = shown();
  if (picture instanceof HTMLCanvasElement) picture.toBlob(blob => blob && save(blob, 'png'));
  else if (picture) saveShapes();
}

/** Saves the picture of the view that is shown, as shapes. */
export function saveShapes(): void {
  const picture = shown();
  if (!picture) return;
  const text = picture instanceof HTMLCanvasElement ? svgOf(picture) : withColours(picture);
  save(new Blob([text], { type: 'image/svg+xml' }), 'svg');
}

/** Returns shapes as text, with the colours that the page gives to them. */
function withColours(picture: SVGElement): string {
  const style = getComputedStyle(byId('summary'));
  const text = new XMLSerializer().serializeToString(picture);
  return text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
}
