// The video that a script requests with `recordVideo`, in the form of Playwright: a file, available once its page is
// closed.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordPage } from './video.mjs';

/** Records a page. `stop` returns the same as that of `recordPage` and may be called repeatedly. */
export function recordRequestedVideo(page, folder) {
  const path = join(folder, `${randomBytes(16).toString('hex')}.webm`);
  const recording = recordPage(page);
  const written = Promise.withResolvers();
  let stopped = null;
  const stop = () => (stopped ??= recording.stop().then(write));
  const write = (content) => {
    try {
      if (content === null)
        throw new Error('nothing was recorded: the page did not navigate, or did not render in time');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, content);
      written.resolve();
    } catch (error) {
      written.reject(error);
    }
    return content;
  };
  // The script may never await it.
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
