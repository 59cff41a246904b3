// The video that a script asks of Playwright by `recordVideo`, as Playwright would hand it out: a file, once its page is closed.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordPage } from './video.mjs';

/** Records a page; `stop` answers as that of `recordPage` does, as often as one likes. */
export function recordAsked(page, folder) {
  const path = join(folder, `${randomBytes(16).toString('hex')}.webm`);
  const recording = recordPage(page);
  const written = Promise.withResolvers();
  let stopped = null;
  const stop = () => (stopped ??= recording.stop().then(write));
  const write = (content) => {
    try {
      if (content === null)
        throw new Error('there was nothing to see: the page went to no address, or did not show itself in time');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, content);
      written.resolve();
    } catch (error) {
      written.reject(error);
    }
    return content;
  };
  // Whether anybody wants it or not.
  written.promise.catch(() => undefined);
  page.once('close', () => void stop());
  page.video = () => ({
    path: async () => path,
    async saveAs(to) {
      await written.promise;
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(path, to);
    },
    async delete() {
      await written.promise;
      rmSync(path, { force: true });
    },
  });
  return { stop };
}
