// Ways to the database that can be cut, held up, or lose the answer to a commit: one port for each process.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerQuestions } from '../support/peer.ts';

/** One connection of a process, and its other half to the database. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

interface Way {
  readonly pairs: Set<Pair>;
  /** Nothing passes, neither way; nothing is refused either. */
  isHeld: boolean;
  /** Commits whose answer is still to be lost. */
  doubts: number;
}

const ways = new Map<string, Way>();
/** A statement of its own, as the driver sends what has no values: a letter, a length, the text and a zero. */
const commit = /Q....commit\0$/is;

function wayOf(name: string): Way {
  const way = ways.get(name);
  if (way === undefined) throw new Error(`there is no way ${name}`);
  return way;
}

async function open({ name, port }: { name: string; port: number }): Promise<number> {
  const way: Way = { pairs: new Set(), isHeld: false, doubts: 0 };
  ways.set(name, way);
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (near) => join(way, near, port));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function join(way: Way, near: Socket, port: number): void {
  const far = connect({ port, host: '127.0.0.1', noDelay: true });
  const pair: Pair = { near, far };
  way.pairs.add(pair);
  let isAnswerLost = false;
  near.on('data', (chunk: Buffer) => {
    far.write(chunk);
    if (way.doubts <= 0 || !commit.test(chunk.toString('latin1'))) return;
    way.doubts--;
    isAnswerLost = true;
  });
  far.on('data', (chunk: Buffer) => {
    if (isAnswerLost) cutPair(pair);
    else near.write(chunk);
  });
  near.on('end', () => far.end());
  far.on('end', () => near.end());
  for (const socket of [near, far]) {
    socket.on('error', () => {});
    socket.once('close', () => {
      way.pairs.delete(pair);
      near.destroy();
      far.destroy();
    });
  }
  if (way.isHeld) far.pause();
  else near.resume();
}

/** What a process sees of it is a connection that was reset. */
function cutPair({ near, far }: Pair): void {
  near.resetAndDestroy();
  far.destroy();
}

answerQuestions({
  open,
  /** Cuts every connection, or of each way the first ones. */
  cut: ({ names, share }: { names: readonly string[]; share: number }) => {
    let cut = 0;
    for (const name of names) {
      const { pairs } = wayOf(name);
      for (const pair of [...pairs].slice(0, Math.ceil(pairs.size * share))) {
        cutPair(pair);
        cut++;
      }
    }
    return cut;
  },
  /** The next commits of each way are made, and nobody hears of it. */
  doubt: ({ names, commits }: { names: readonly string[]; commits: number }) => {
    for (const name of names) wayOf(name).doubts += commits;
  },
  /** Commits whose answer was not lost yet, which now is not any more. */
  trust: () => {
    const left = [...ways.values()].reduce((sum, { doubts }) => sum + doubts, 0);
    for (const way of ways.values()) way.doubts = 0;
    return left;
  },
  hold: (names: readonly string[]) => {
    for (const name of names) {
      const way = wayOf(name);
      way.isHeld = true;
      for (const { near, far } of way.pairs) for (const socket of [near, far]) socket.pause();
    }
  },
  release: (names: readonly string[]) => {
    for (const name of names) {
      const way = wayOf(name);
      way.isHeld = false;
      for (const { near, far } of way.pairs) for (const socket of [near, far]) socket.resume();
    }
  },
});
