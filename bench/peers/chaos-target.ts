// Targets that follow the script of chaos, one path each.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptAt, slowMs } from '../chaos/script.ts';
import { answerQuestions } from '../support/peer.ts';

const headers = { 'content-type': 'application/json', 'content-length': 11 };

const server = createServer((request, response) => {
  const index = Number(request.url?.slice(1));
  const answer = Number.isNaN(index) ? 'passing' : scriptAt(index, Date.now());
  if (answer === 'slow') setTimeout(end, slowMs, response, 200);
  else end(response, answer === 'failing' ? 500 : 200);
});

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, headers);
  response.end('{"ok":true}');
}

answerQuestions({
  listen: () =>
    new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    }),
});
