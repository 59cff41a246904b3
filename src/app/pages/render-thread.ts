// The thread that renders status pages: a large one takes longer than anything else of the process may wait.
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '#lib/errors.ts';
import type { PageImages } from '#publish/page-view.ts';
import { renderedPage, type RenderedPage, type RenderOptions } from '#publish/serving/rendered-page.ts';
import { decodeSnapshot } from '#store/overview/status-snapshots.ts';

/** A page to render. */
export interface RenderJob extends RenderOptions {
  /** As it is stored. */
  readonly content: Uint8Array;
  readonly images: PageImages;
}

/** Jobs and their numbers. */
export interface ToRenderer {
  readonly numbers: number[];
  readonly jobs: RenderJob[];
}

/** A page, or why it cannot be rendered. */
export type Rendered = { readonly page: RenderedPage } | { readonly fault: string };

/** The answer to one job. */
export type FromRenderer = readonly [number: number, rendered: Rendered];

parentPort?.on('message', ({ numbers, jobs }: ToRenderer) => {
  for (const [index, job] of jobs.entries()) {
    parentPort?.postMessage([numbers[index] ?? 0, render(job)] satisfies FromRenderer);
  }
});

function render({ content, images, ...options }: RenderJob): Rendered {
  try {
    return { page: renderedPage(decodeSnapshot(content), images, options) };
  } catch (error) {
    return { fault: errorMessage(error) };
  }
}
