// Evaluates assertions beside the page, because a regular expression may take forever.
import { evaluateShown } from '#checks/shown-assertions.ts';

addEventListener('message', ({ data }: MessageEvent<Parameters<typeof evaluateShown>>) => {
  postMessage(evaluateShown(...data));
});
