// Reads a configuration beside the page, because a large one may take seconds.
import { errorMessage } from '#lib/errors.ts';
import { readTextFormat, type TextImport } from '#importers/text-formats.ts';
import type { Reply } from './read.ts';

addEventListener('message', ({ data }: MessageEvent<TextImport>) => {
  let reply: Reply;
  try {
    reply = { read: readTextFormat(data) };
  } catch (error) {
    reply = { fault: errorMessage(error) };
  }
  postMessage(reply);
});
