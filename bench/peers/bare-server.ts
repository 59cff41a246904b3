// The limit of REST: node:http that sends bytes it was given, and does nothing else.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../support/peer.ts';

/** An answer as the service gave it. */
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
  listen: () =>
    new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    }),
  give: (next: Answer) => {
    answer = next;
  },
});
