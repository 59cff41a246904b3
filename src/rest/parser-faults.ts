// Responds to requests that the HTTP parser rejects, with the usual error body.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from './errors.ts';

const known: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request timed out before it was complete.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than 16 kB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
};

/** The response in progress on a connection. The HTTP server stores it and queues the next one after it. */
interface Tick {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Responds on the raw socket and closes it; 400 for input that is not HTTP. Waits for the responses to earlier requests
 * on the connection, so that clients do not mismatch them.
 */
export function answerParserFault(error: Error & { code?: string }, socket: Duplex, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const present = (socket as Tick)._httpMessage;
  if (present?.req.complete === true) {
    present.once('close', () => answerParserFault(error, socket, requestId));
    return;
  }
  const [status, message] = known[error.code ?? ''] ?? [400, 'Malformed HTTP request.'];
  refuseOnSocket(socket, status, message, requestId);
}

/** CONNECT and unknown expectations never reach the framework, so they are answered here. */
export function answerOddRequests(server: Server, nextId: () => string): void {
  server.on('connect', (_request, socket) => refuseOnSocket(socket, 405, 'CONNECT is not supported.', nextId()));
  server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify(errorBody(417, 'Only the expectation 100-continue is supported.'));
    response.writeHead(417, headersOf(body, nextId())).end(body);
  });
}

function refuseOnSocket(socket: Duplex, status: number, message: string, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorBody(status, message));
  const headers = Object.entries(headersOf(body, requestId)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`, () => socket.destroy());
}

function headersOf(body: string, requestId: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  };
}
