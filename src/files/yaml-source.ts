// Reads YAML into values that remember their place, with bounds for hostile files.
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { FileProblem, Place, SourceText } from './file-problem.ts';

/** Most values of all files once aliases are expanded. */
const mostValues = 500_000;
/** Most levels of a file. */
const deepest = 50;

/** A key of a map, with its place. */
export interface Entry {
  readonly key: string;
  readonly at: Place;
  readonly value: Located;
}

/** A value of a file. */
export interface Located {
  readonly at: Place;
  /** The entries of a map, the items of a list, or null of a single value. */
  readonly entries: readonly Entry[] | null;
  readonly items: readonly Located[] | null;
  /** A single value. */
  readonly scalar: string | number | boolean | null;
  /** The single value as written: `8080` of a number, otherwise the text. */
  readonly written: string;
}

/** Counts values over several files. */
export interface ValueBudget {
  left: number;
}

export function createBudget(): ValueBudget {
  return { left: mostValues };
}

/**
 * The content of a file; null = it has none.
 * @param report is called for each problem; the result is not usable after one
 */
export function readYaml(
  source: SourceText,
  budget: ValueBudget,
  report: (problem: FileProblem) => void,
): Located | null {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { source, line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    const document = parseDocument(source.text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
      logLevel: 'error',
    });
    for (const { code, message, pos } of document.errors) {
      report({ message: words(code, message), place: placeAt(pos[0]) });
    }
    if (document.errors.length > 0 || document.contents === null) return null;
    return located(document.contents, { anchors: new Map(), placeAt, budget, report }, 0);
  } catch (error) {
    // The parser of the package is recursive.
    if (error instanceof RangeError) report({ message: 'is nested too deeply', place: placeAt(0) });
    else if (error instanceof TooLarge) report(error.problem);
    else throw error;
    return null;
  }
}

/** What the parser says, in words of this program if its own are about the program. */
function words(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'must be one document: remove this line, or use several files';
  if (message.includes('call stack')) return 'is nested too deeply';
  return message.replace(/\s+/g, ' ');
}

class TooLarge extends Error {
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

interface Reading {
  /** Nodes above, by anchor. */
  readonly anchors: Map<string, Node>;
  readonly placeAt: (offset: number) => Place;
  readonly budget: ValueBudget;
  readonly report: (problem: FileProblem) => void;
}

function located(node: Node, reading: Reading, depth: number): Located {
  const { anchors, placeAt, budget, report } = reading;
  const at = placeAt(node.range?.[0] ?? 0);
  budget.left -= 1;
  if (budget.left < 0) {
    throw new TooLarge({ message: `the files have more than ${mostValues} values, aliases expanded`, place: at });
  }
  if (depth > deepest) throw new TooLarge({ message: `is nested more than ${deepest} levels deep`, place: at });
  if (isAlias(node)) {
    const target = anchors.get(node.source);
    if (target === undefined) {
      report({ message: `there is no anchor &${node.source} above`, place: at });
      return { ...empty, at };
    }
    return { ...located(target, reading, depth + 1), at };
  }
  if (node.anchor !== undefined) anchors.set(node.anchor, node);
  if (isSeq(node)) {
    const items = node.items.map((item) => located(item as Node, reading, depth + 1));
    return { ...empty, at, items };
  }
  if (isMap(node)) return { ...empty, at, entries: entriesOf(node.items as readonly Pair[], reading, depth, at) };
  if (!isScalar(node)) return { ...empty, at };
  const { value, source: written } = node;
  if (typeof value === 'bigint') return { ...empty, at, scalar: Number(value), written: written ?? String(value) };
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return { ...empty, at, scalar: isPlain ? value : null, written: written ?? (isPlain ? String(value) : '') };
}

interface Pair {
  readonly key: Node;
  readonly value: Node | null;
}

const empty = { entries: null, items: null, scalar: null, written: '' } as const;

/** Entries of a map. Those of `<<` come first, so that its own replace them. */
function entriesOf(pairs: readonly Pair[], reading: Reading, depth: number, above: Place): readonly Entry[] {
  const merged = new Map<string, Entry>();
  const own = new Map<string, Entry>();
  for (const { key, value } of pairs) {
    const at = key.range ? reading.placeAt(key.range[0]) : above;
    const name = isScalar(key) ? String(key.value) : '';
    const content: Located = value === null ? { ...empty, at } : located(value, reading, depth + 1);
    if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
      for (const each of content.items ?? [content]) {
        for (const entry of each.entries ?? []) if (!merged.has(entry.key)) merged.set(entry.key, entry);
      }
      continue;
    }
    const before = own.get(name);
    if (before !== undefined) {
      reading.report({ message: `"${name}" is here twice; first in line ${before.at.line}`, place: at });
    } else own.set(name, { key: name, at, value: content });
  }
  return [...[...merged.values()].filter(({ key }) => !own.has(key)), ...own.values()];
}
