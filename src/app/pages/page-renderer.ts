// Renders status pages in a thread, which starts with the first page.
import { threadFile } from '#lib/package-files.ts';
import { ThreadCalls } from '#lib/thread-calls.ts';
import type { RenderedPage } from '#publish/serving/rendered-page.ts';
import type { FromRenderer, Rendered, RenderJob, ToRenderer } from './render-thread.ts';

export type PageRenderer = ReturnType<typeof createPageRenderer>;

/** A page takes less, ms; a thread that takes longer is ended. */
const deadlineMs = 30_000;

/** @param onThreadEnd called when the thread ended and is started again */
export function createPageRenderer(onThreadEnd: (error: Error) => void) {
  const emptyOutbox = (): ToRenderer => ({ numbers: [], jobs: [] });
  const lane = { outbox: emptyOutbox() };
  let calls: ThreadCalls<{ outbox: ToRenderer }, Rendered> | null = null;
  const start = (): NonNullable<typeof calls> =>
    new ThreadCalls({
      name: 'the thread that renders pages',
      entry: threadFile('render-thread', import.meta.url),
      data: null,
      lanes: [lane],
      emptyOutbox,
      deadlineMs,
      readAnswers: (_, message) => [message as FromRenderer],
      onThreadEnd: (_, error) => onThreadEnd(error),
    });
  return {
    /** Rejects if the page cannot be rendered, or the thread stops. */
    async render(job: RenderJob): Promise<RenderedPage> {
      const { number, answer } = (calls ??= start()).begin(0);
      lane.outbox.numbers.push(number);
      lane.outbox.jobs.push(job);
      const rendered = await answer;
      if ('fault' in rendered) throw new Error(rendered.fault);
      return rendered.page;
    },
    close: async (): Promise<void> => calls?.close(),
  };
}
