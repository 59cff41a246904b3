// Baseline for REST: a node:http server that sends given bytes.
import { createServer } from 'node:http';
import { answerQuestions, listenLocally } from '../support/peer.ts';

/** A response of the service. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let answer: Answer = { status: 200, headers: {}, body: '' };
const server = createServer((_, response) => {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});

answerQuestions({
  listen: () => listenLocally(server),
  give: (next: Answer) => {
    answer = next;
  },
});
