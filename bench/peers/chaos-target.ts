// Targets that follow the script of chaos, one path each, and log their responses.
import { createServer, type ServerResponse } from 'node:http';
import { type Answer, scriptAt, slowMs } from '../chaos/script.ts';
import { answerQuestions, listenLocally } from '../support/peer.ts';

/** A response. */
export interface Answered {
  /** Number of the check; null = a target that always succeeds. */
  readonly index: number | null;
  /** Time of the request, epoch ms. */
  readonly at: number;
  readonly answer: Answer;
}

const headers = { 'content-type': 'application/json', 'content-length': 11 };
const answered: Answered[] = [];

const server = createServer((request, response) => {
  const number = Number(request.url?.slice(1));
  const index = Number.isNaN(number) ? null : number;
  const at = Date.now();
  const answer = index === null ? 'passing' : scriptAt(index, at);
  answered.push({ index, at, answer });
  if (answer === 'slow') setTimeout(end, slowMs, response, 200);
  else end(response, answer === 'failing' ? 500 : 200);
});

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, headers);
  response.end('{"ok":true}');
}

answerQuestions({
  listen: () => listenLocally(server),
  /** All responses so far, in order. */
  answered: () => answered,
});
