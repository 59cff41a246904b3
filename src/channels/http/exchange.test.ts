// Requests to receivers that stall, truncate, flood or close at the wrong moment.
import assert from 'node:assert/strict';
import type http from 'node:http';
import net from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import {
  createPlainSender,
  listen,
  open,
  raw,
  receiver,
  sender,
  sending,
} from '../../../tests/support/receivers/http-receivers.ts';

interface Slow {
  readonly answer: (socket: net.Socket) => void;
  readonly message: RegExp;
}

/** Repeats a write until the connection closes. */
function drip(socket: net.Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Long enough to connect on a busy machine. */
const deadlineMs = 3000;

const slow: Readonly<Record<string, Slow>> = {
  'never answers': {
    answer: () => {},
    message: /^no response within 3 s; the request was sent after \d+ ms$/,
  },
  'sends its headers byte by byte': {
    answer: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      drip(socket, 'a', 20);
    },
    message: /^no response within 3 s/,
  },
  'sends one interim response after another': {
    answer: (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', 50),
    message: /^no response within 3 s/,
  },
};

describe('attempts end at the deadline', { concurrency: true }, () => {
  for (const [what, { answer, message }] of Object.entries(slow)) {
    test(`if a receiver ${what}`, async () => {
      const host = await raw(answer);
      const outcome = await sender(deadlineMs).send(sending(host));
      assert.equal(outcome.error?.class, 'timeout');
      assert.match(outcome.error?.message ?? '', message);
      assert.ok(outcome.durationMs >= deadlineMs - 10, `took ${outcome.durationMs} ms`);
    });
  }
});

const received: Readonly<Record<string, { readonly answer: string; readonly body: string; readonly problem: string }>> =
  {
    'stalls in its body': {
      answer: 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegun',
      body: 'begun',
      problem: 'its body did not finish in time',
    },
    'stalls in a chunk': {
      answer: 'HTTP/1.1 301 Moved\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbeg',
      body: 'beg',
      problem: 'its body did not finish in time',
    },
    'names two lengths': {
      answer: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
      body: 'abc',
      problem: 'its body did not finish in time',
    },
  };

for (const [what, { answer, body, problem }] of Object.entries(received)) {
  test(`a receiver that ${what} after a complete head has received the alert`, async () => {
    let requests = 0;
    const host = await raw((socket) => {
      requests++;
      socket.write(answer);
    });
    const outcome = await sender(500).send(sending(host));
    assert.equal(outcome.error, null);
    assert.deepEqual([outcome.response?.body, outcome.bodyProblem, requests], [body, problem, 1]);
  });
}

test('a connection that is never established ends at the deadline', async () => {
  const resolve = () => new Promise<never>(() => {});
  const outcome = await sender(200, { resolve, judge: () => null }).send(sending('stuck.test'));
  assert.deepEqual(outcome.error, {
    class: 'timeout',
    message: 'could not connect to stuck.test within 0.2 s',
  });
});

test('records 16 kB of a large response, discards some more, then closes the connection', async () => {
  const gone = Promise.withResolvers<void>();
  const host = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.on('close', () => gone.resolve());
    drip(socket, `2000\r\n${'é'.repeat(0x1000)}\r\n`, 1);
  });
  const outcome = await sender().send(sending(host));
  assert.equal(outcome.error, null);
  assert.equal(outcome.response?.status, 200);
  assert.equal(outcome.response?.body, 'é'.repeat(8192));
  await gone.promise;
});

test('keeps the connection after a response slightly larger than the recorded part', async () => {
  const ports = new Set<number | undefined>();
  const { host } = await receiver((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x'.repeat(60_000));
  });
  const one = sender();
  for (let i = 0; i < 3; i++) {
    assert.equal((await one.send(sending(host))).response?.body.length, 16 * 1024);
    await nextTick();
  }
  assert.equal(ports.size, 1);
});

test('accepts a response that arrives during the request, and does not reuse the connection', async () => {
  let connections = 0;
  const answer = 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno';
  const host = await listen(
    net.createServer((socket) => {
      connections++;
      socket.once('data', () => socket.pause().write(answer));
    }),
  );
  const one = sender();
  const large = { body: 'x'.repeat(16 * 1024 * 1024) };
  for (let i = 0; i < 2; i++) {
    const outcome = await one.send(sending(host, large));
    assert.deepEqual([outcome.error?.class, outcome.response?.status, outcome.response?.body], ['status', 413, 'no']);
    await nextTick();
  }
  assert.equal(connections, 2);
});

test('accepts a response before a reset that interrupts the request', async () => {
  const host = await raw((socket) =>
    socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno', () => socket.resetAndDestroy()),
  );
  const outcome = await sender().send(sending(host, { body: 'x'.repeat(256 * 1024) }));
  assert.deepEqual([outcome.error?.class, outcome.response?.status], ['status', 413]);
});

test('skips up to 100 interim responses, including 100 Continue', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
  const host = await raw((socket) =>
    socket.write(`HTTP/1.1 100 Continue\r\n\r\n${interim.repeat(99)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
  );
  assert.equal((await sender().send(sending(host))).response?.status, 200);
  const flooding = await raw((socket) => socket.write(interim.repeat(101)));
  const { error } = await sender().send(sending(flooding));
  assert.deepEqual(error, {
    class: 'protocol',
    message: `${flooding} sent more than 100 interim responses, most recently 103`,
  });
});

test('records a compressed response without inflating it and replaces NUL characters', async () => {
  const { host } = await receiver((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('a\0b'),
  );
  const outcome = await sender().send(sending(host));
  assert.equal(outcome.response?.body, 'a\ufffdb');
});

test('joins repeated response headers', async () => {
  const host = await raw((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nset-cookie: a\r\nset-cookie: b\r\ncontent-length: 0\r\n\r\n'),
  );
  const outcome = await sender().send(sending(host));
  assert.equal(outcome.response?.headers['set-cookie'], 'a, b');
});

test('replaces a pooled connection that the receiver closes on the next request, without counting a failure', async () => {
  let requests = 0;
  let connections = 0;
  const host = await listen(
    net.createServer((socket) => {
      connections++;
      let served = 0;
      socket.on('data', () => {
        requests++;
        if (served++ > 0) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 2\r\n\r\nok');
      });
    }),
  );
  const one = sender();
  assert.equal((await one.send(sending(host))).error, null);
  await nextTick();
  const outcome = await one.send(sending(host));
  assert.equal(outcome.error, null);
  assert.equal(outcome.response?.body, 'ok');
  assert.equal(outcome.isSentTwice, true, 'reported, because the receiver may have received it twice');
  assert.deepEqual([requests, connections], [3, 2]);
});

test('reports a failed attempt if a pooled connection is reset some time after the request, and sends once', async () => {
  let requests = 0;
  const host = await listen(
    net.createServer((socket) =>
      socket.on('data', () => {
        if (requests++ === 0) socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 2\r\n\r\nok');
        else setTimeout(() => socket.resetAndDestroy(), 1100);
      }),
    ),
  );
  const one = sender();
  assert.equal((await one.send(sending(host))).error, null);
  await nextTick();
  const outcome = await one.send(sending(host));
  assert.deepEqual([outcome.error?.class, outcome.isSentTwice, requests], ['reset', undefined, 2]);
});

test('does not retry on a new connection that closes without a response', async () => {
  let requests = 0;
  const host = await raw((socket) => {
    requests++;
    socket.destroy();
  });
  assert.equal((await sender().send(sending(host))).error?.class, 'reset');
  assert.equal(requests, 1);
});

test('does not retry on a pooled connection that closes in the middle of a response', async () => {
  let requests = 0;
  const host = await listen(
    net.createServer((socket) =>
      socket.on('data', () => {
        if (requests++ === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else socket.write('HTTP/1.1 2', () => setImmediate(() => socket.destroy()));
      }),
    ),
  );
  const one = sender();
  assert.equal((await one.send(sending(host))).error, null);
  await nextTick();
  assert.equal((await one.send(sending(host))).error?.class, 'reset');
  assert.equal(requests, 2);
});

test('does not retry on a new connection that closes in the middle of a response', async () => {
  let requests = 0;
  const host = await raw((socket) => {
    requests++;
    socket.write('HTTP/1.1 2', () => setImmediate(() => socket.destroy()));
  });
  assert.equal((await sender().send(sending(host))).error?.class, 'reset');
  assert.equal(requests, 1);
});

test('ends attempts in progress as interrupted on close, and lets the process exit', async () => {
  const arrived = Promise.withResolvers<void>();
  const host = await raw(() => arrived.resolve());
  const one = createPlainSender({ guard: open });
  const pending = one.send(sending(host));
  await arrived.promise;
  await one.close();
  assert.equal((await pending).error?.class, 'interrupted');
});

test('sends 50 concurrent attempts to one receiver without waiting', async () => {
  const waiting: http.ServerResponse[] = [];
  const { host } = await receiver((_request, response) => {
    waiting.push(response);
    if (waiting.length === 50) for (const each of waiting) each.end('ok');
  });
  const one = sender();
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => one.send(sending(host))));
  assert.ok(outcomes.every(({ error }) => error === null));
});
