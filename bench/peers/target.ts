// A target of checks: plain node:http with tiny responses, in its own process.
import { createServer } from 'node:http';
import { answerQuestions, listenLocally } from '../support/peer.ts';

const body = JSON.stringify({ ok: true, shop: 'open' });
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
/** By path: whether the last response was a failure. */
const failing = new Map<string, boolean>();
let alternates = false;

const server = createServer(({ url = '' }, response) => {
  const fails = alternates && failing.get(url) !== true;
  failing.set(url, fails);
  response.writeHead(fails ? 500 : 200, headers);
  response.end(body);
});

answerQuestions({
  listen: () => listenLocally(server),
  /** From now on, each path fails and passes in turn. */
  alternate: () => void (alternates = true),
});
