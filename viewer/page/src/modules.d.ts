// Modules that have no types of their own.

declare module '*.css';

declare module 'svgcanvas' {
  /** A context that collects shapes instead of drawing them. */
  export const Context: {
    new (options: { width: number; height: number; document: Document }): CanvasRenderingContext2D & {
      /** Returns the shapes as SVG; with named entities replaced if `fix`. */
      getSerializedSvg(fix?: boolean): string;
    };
  };
}
