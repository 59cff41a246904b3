// Ways to the database that can be cut, held up, or lose the answer to a commit: one port for each process.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerQuestions } from '../support/peer.ts';
import { type Answers, createAnswers, isCommitted, isIdle } from '../support/postgres-answers.ts';

/** One connection of a process, and its other half to the database. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** Whether the answer to the COMMIT that is under way is to be lost. */
  isDoubted: boolean;
}

interface Way {
  readonly pairs: Set<Pair>;
  /** Nothing passes, neither way; nothing is refused either. */
  isHeld: boolean;
  /** Commits whose answer is still to be lost. */
  doubts: number;
  /** Commits that were made, and whose answer was lost. */
  lost: number;
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
  const way: Way = { pairs: new Set(), isHeld: false, doubts: 0, lost: 0 };
  ways.set(name, way);
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (near) => join(way, near, port));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function join(way: Way, near: Socket, port: number): void {
  const far = connect({ port, host: '127.0.0.1', noDelay: true });
  const pair: Pair = { near, far, isDoubted: false };
  way.pairs.add(pair);
  let answers: Answers | null = null;
  near.on('data', (chunk: Buffer) => {
    answers ??= createAnswers(chunk);
    if (way.doubts > 0 && !pair.isDoubted && commit.test(chunk.toString('latin1'))) {
      way.doubts--;
      pair.isDoubted = true;
    }
    far.write(chunk);
  });
  far.on('data', (chunk: Buffer) => {
    near.cork();
    const isThere = (answers?.read(chunk) ?? []).every((message) => passOn(way, pair, message));
    if (isThere) near.uncork();
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

/**
 * Statements before a COMMIT travel with it, and so may their answers: these arrive. Only when the server says that the
 * transaction is committed, that is kept from the process.
 *
 * @returns whether the connection is still there
 */
function passOn(way: Way, pair: Pair, message: Buffer): boolean {
  if (pair.isDoubted && isCommitted(message)) {
    way.lost++;
    cutPair(pair);
    return false;
  }
  if (pair.isDoubted && isIdle(message)) {
    // The transaction had failed, and its process knows: the next commit is for the loss.
    pair.isDoubted = false;
    way.doubts++;
  }
  pair.near.write(message);
  return true;
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
  /** From now on no answer is lost. How many were so far. */
  trust: () => {
    let lost = 0;
    for (const way of ways.values()) {
      lost += way.lost;
      way.doubts = 0;
      for (const pair of way.pairs) pair.isDoubted = false;
    }
    return lost;
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
