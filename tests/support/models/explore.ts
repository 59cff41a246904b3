// Every sequence of moves up to a length: those that lead to the same situation go on as one.

/** What may happen, one move after the other. */
export interface Walk<Node, Move> {
  readonly first: Node;
  readonly movesOf: (node: Node) => readonly Move[];
  /** The situation after a move, with the promises checked on the way; null = there is nothing left that could follow. */
  readonly follow: (node: Node, move: Move) => Node | null;
  /** All that what follows depends on; how many moves there were is the same for all that are compared. */
  readonly keyOf: (node: Node) => string;
  readonly nameOf: (move: Move) => string;
}

/** How far was looked. */
export interface Explored {
  readonly sequences: number;
  /** Situations that they lead through: sequences of one length that lead to the same one go on the same. */
  readonly situations: number;
}

interface Reached<Node> {
  readonly node: Node;
  /** Sequences that lead here. */
  ways: number;
  /** One of them. */
  readonly path: readonly string[];
}

/**
 * Follows every sequence up to a length.
 *
 * @throws {Error} that names one of the shortest after which a promise does not hold
 */
export function explore<Node, Move>(walk: Walk<Node, Move>, depth: number): Explored {
  let level = new Map<string, Reached<Node>>([['', { node: walk.first, ways: 1, path: [] }]]);
  let [sequences, situations] = [0, 0];
  for (let length = 1; length <= depth; length++) {
    const next: typeof level = new Map();
    for (const { node, ways, path } of level.values()) {
      for (const move of walk.movesOf(node)) {
        const after = followed(walk, node, move, path);
        sequences += ways;
        // Nothing follows the last move.
        if (after === null || length === depth) continue;
        const key = walk.keyOf(after);
        const known = next.get(key);
        if (known === undefined) next.set(key, { node: after, ways, path: [...path, walk.nameOf(move)] });
        else known.ways += ways;
      }
    }
    situations += level.size;
    level = next;
  }
  return { sequences, situations };
}

function followed<Node, Move>(walk: Walk<Node, Move>, node: Node, move: Move, path: readonly string[]): Node | null {
  try {
    return walk.follow(node, move);
  } catch (cause) {
    throw new Error(`after ${[...path, walk.nameOf(move)].join(', ')}`, { cause });
  }
}
