// Receivers that do everything but answer well: twelve kinds, each with what an attempt at it has to end as.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { AttemptError } from '#domain/deliveries/delivery.ts';

/** One way of being hostile. */
export interface HostileVariant {
  readonly what: string;
  /** The class that the attempt must have; null = it was answered well. */
  readonly expected: AttemptError | null;
  /** Whether an attempt lasts until its deadline; by default, if it is expected to time out. */
  readonly isStalling?: boolean | undefined;
}

/** Variants of one kind, and where each is to be found. */
export interface HostileKind {
  readonly name: string;
  readonly variants: readonly (HostileVariant & { readonly url: string })[];
}

export interface HostileReceivers {
  readonly kinds: readonly HostileKind[];
  /** Connections made to all of them so far; those that were never accepted not counted. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

type Behaviour = HostileVariant & {
  /** What is done on a new connection, and once its first bytes have come. */
  readonly onConnection?: (socket: Socket) => void;
  readonly onRequest?: (socket: Socket) => void;
  readonly isTls?: boolean;
};

/** How often a receiver that drips lets a byte go, ms. */
const dripEveryMs = 50;
const status = 'HTTP/1.1 200 OK\r\n';
const chunked = `${status}transfer-encoding: chunked\r\n\r\n`;

/** Starts them all on 127.0.0.1. */
export async function startHostileReceivers(): Promise<HostileReceivers> {
  const closing: (() => unknown)[] = [];
  let connections = 0;
  const started: HostileKind[] = [];
  for (const [name, behaviours] of Object.entries(kinds)) {
    const variants: HostileKind['variants'][number][] = [];
    for (const behaviour of behaviours) {
      const { port, close } = await listen(behaviour, () => connections++);
      closing.push(close);
      const { what, expected, isStalling } = behaviour;
      variants.push({
        what,
        expected,
        isStalling,
        url: `http${behaviour.isTls === true ? 's' : ''}://127.0.0.1:${port}/`,
      });
    }
    started.push({ name, variants });
  }
  const { port, close } = await listenWithoutAccepting();
  closing.push(close);
  const what = 'connections wait to be accepted';
  started.push({ name: 'slow accept', variants: [{ what, expected: 'timeout', url: `http://127.0.0.1:${port}/` }] });
  return {
    kinds: started,
    connections: () => connections,
    close: async () => void (await Promise.all(closing.map((each) => each()))),
  };
}

const kinds: Readonly<Record<string, readonly Behaviour[]>> = {
  silent: [{ what: 'it reads and never answers', expected: 'timeout', onRequest: () => {} }],
  'dripping headers': [
    { what: 'one byte of a header now and then', expected: 'timeout', onRequest: drip(`${status}x: `) },
    { what: 'one byte of the first line now and then', expected: 'timeout', onRequest: drip('HTTP/1.1 200 ') },
  ],
  'dripping body': [
    {
      what: 'one byte now and then',
      expected: null,
      isStalling: true,
      onRequest: drip(`${status}content-length: 100000\r\n\r\n`),
    },
    { what: 'a trailer byte by byte', expected: null, isStalling: true, onRequest: drip(`${chunked}0\r\nx: `) },
  ],
  'endless body': [
    { what: 'as one', expected: null, onRequest: flood(`${status}\r\n`, 'a'.repeat(65_536)) },
    { what: 'in chunks of one byte', expected: null, onRequest: flood(chunked, '1\r\na\r\n'.repeat(10_000)) },
    {
      what: 'of nothing but a chunk’s extension',
      expected: null,
      onRequest: flood(`${chunked}5;`, 'a'.repeat(65_536)),
    },
  ],
  '1xx flood': [
    {
      what: 'as fast as it can',
      expected: 'protocol',
      onRequest: flood('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1000)),
    },
    {
      what: 'one now and then',
      expected: 'timeout',
      onRequest: every(dripEveryMs * 10, 'HTTP/1.1 102 Processing\r\n\r\n'),
    },
  ],
  'reset in each phase': [
    { what: 'when connected', expected: 'reset', onConnection: (socket) => socket.resetAndDestroy() },
    { what: 'while the request is sent', expected: 'reset', onRequest: (socket) => socket.resetAndDestroy() },
    { what: 'in the first line', expected: 'reset', onRequest: resetAfter('HTTP/1.1 20') },
    { what: 'in the headers', expected: 'reset', onRequest: resetAfter(`${status}x: y`) },
    { what: 'in the body', expected: null, onRequest: resetAfter(`${status}content-length: 100\r\n\r\nhalf`) },
    { what: 'before the last chunk', expected: null, onRequest: resetAfter(`${chunked}4\r\nhalf\r\n`) },
  ],
  garbage: [
    {
      what: 'bytes of no protocol',
      expected: 'protocol',
      onRequest: flood('', '\0\u0001\u0002garbage\r\n'.repeat(1000)),
    },
    { what: 'empty lines without end', expected: 'protocol', onRequest: flood('', '\r\n'.repeat(32_768)) },
    { what: 'a first line without end', expected: 'protocol', onRequest: flood('HTTP/1.1 200 ', 'a'.repeat(65_536)) },
  ],
  'huge headers': [
    { what: 'one without end', expected: 'protocol', onRequest: flood(`${status}x: `, 'a'.repeat(65_536)) },
    { what: 'many short ones', expected: 'protocol', onRequest: flood(status, 'a:\r\n'.repeat(16_384)) },
    {
      what: 'many as trailers',
      expected: null,
      onRequest: flood(`${chunked}0\r\n`, 'some-name: some value\r\n'.repeat(3000)),
    },
  ],
  'inflate bomb': [{ what: 'a thousandfold', expected: null, onRequest: (socket) => socket.write(bomb()) }],
  'TLS stall': [
    { what: 'it never answers the first message', expected: 'timeout', isTls: true, onRequest: () => {} },
    {
      what: 'half of a record and no more',
      expected: 'timeout',
      isTls: true,
      onRequest: (socket) => socket.write('\x16\x03\x03\x40\x00'),
    },
  ],
  'wrong length': [
    {
      what: 'less than said',
      expected: null,
      onRequest: (socket) => socket.end(`${status}content-length: 100\r\n\r\nhalf`),
    },
    {
      what: 'less than said, and it waits',
      expected: null,
      isStalling: true,
      onRequest: (socket) => socket.write(`${status}content-length: 100\r\n\r\nhalf`),
    },
    {
      what: 'two different ones',
      expected: null,
      isStalling: true,
      onRequest: (socket) => socket.write(`${status}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`),
    },
    {
      what: 'a length and chunks',
      expected: null,
      onRequest: (socket) => socket.write(`${status}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    },
  ],
};

function drip(start: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(start);
    every(dripEveryMs, 'a')(socket);
  };
}

function every(everyMs: number, text: string): (socket: Socket) => void {
  return (socket) => {
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}

/** Writes as fast as it is read, until the other side has enough. */
function flood(start: string, text: string): (socket: Socket) => void {
  return (socket) => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(text, 'latin1'));
    };
    socket.write(start);
    socket.on('drain', write);
    write();
  };
}

function resetAfter(start: string): (socket: Socket) => void {
  // Not at once: what was written must have arrived before the reset overtakes it.
  return (socket) => socket.write(start, () => setImmediate(() => socket.resetAndDestroy()));
}

/** 200 MB of zeros in 200 kB, sent although nobody asked for a content-encoding. */
const bomb = (() => {
  const megabyte = gzipSync(Buffer.alloc(1024 * 1024));
  const bytes = Buffer.concat(Array.from({ length: 200 }, () => megabyte));
  const head = `${status}content-encoding: gzip\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return (): Buffer => Buffer.concat([Buffer.from(head), bytes]);
})();

interface Listening {
  readonly port: number;
  readonly close: () => Promise<unknown>;
}

async function listen({ onConnection, onRequest }: Behaviour, onCount: () => void): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    onCount();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    onConnection?.(socket);
    socket.once('data', () => {
      socket.resume();
      onRequest?.(socket);
    });
  });
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A process that listens and then stands still: once its short queue is full, nobody is connected any more. */
export async function listenWithoutAccepting(): Promise<Listening> {
  const code = `const server = require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n');
    process.kill(process.pid, 'SIGSTOP');
  });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(said.toString());
  const fillers = Array.from({ length: 8 }, () => connect({ host: '127.0.0.1', port }).on('error', () => {}));
  return {
    port,
    close: () => {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
      return ended;
    },
  };
}
