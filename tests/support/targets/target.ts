// Real targets on loopback, for checks to look at: HTTP, HTTPS and bare TCP.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What a test is asked for: something that runs a function when the test is over. */
interface Cleanup {
  after(work: () => void): void;
}

/** A running target. */
export interface Target {
  readonly port: number;
  /** `http://127.0.0.1:port` or `https://localhost:port`. */
  readonly url: string;
}

/** A target that answers HTTP. */
export async function startTarget(t: Cleanup, listener: RequestListener): Promise<Target> {
  const port = await listen(t, createServer(listener));
  return { port, url: `http://127.0.0.1:${port}` };
}

/** A target whose certificate can be renewed. */
export interface TlsTarget extends Target {
  /** Shows another one from now on. */
  readonly renew: (issued: { readonly key: string; readonly cert: string }) => void;
}

/** A target that answers HTTPS with the certificate in `options`; `staple` is the OCSP response that it sends along. */
export async function startTlsTarget(
  t: Cleanup,
  options: ServerOptions,
  listener: RequestListener,
  staple?: Buffer,
): Promise<TlsTarget> {
  const server = createTlsServer(options, listener);
  if (staple !== undefined) {
    server.on('OCSPRequest', (_certificate, _issuer, answer: (error: null, response: Buffer) => void) =>
      answer(null, staple),
    );
  }
  const port = await listen(t, server);
  return { port, url: `https://localhost:${port}`, renew: (issued) => server.setSecureContext(issued) };
}

/** A target that does with each connection what it likes. */
export async function startTcpTarget(t: Cleanup, onSocket: (socket: Socket) => void): Promise<Target> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    onSocket(socket);
  });
  const port = await listen(t, server);
  return { port, url: `http://127.0.0.1:${port}` };
}

/** The body of a request, as text. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(t: Cleanup, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
