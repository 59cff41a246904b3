// Reads foreign YAML within bounds.
import { isAlias, isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { type Foreign, isForeign } from './values.ts';
import { ImportError } from './imported.ts';

/** Most values of a file once aliases are expanded. */
const mostValues = 200_000;
/** Most levels of a file. */
const deepest = 50;
/** Most aliases: the parser finds the anchor of each among all of them. */
const mostAliases = 5000;

type Fail = (message: string, offset?: number) => never;

/**
 * The map at the top of a file.
 * @throws {ImportError} with line and column of what is wrong
 */
export function parseYaml(text: string): Foreign {
  const lines = new LineCounter();
  const fail: Fail = (message, offset = 0) => {
    const { line, col } = lines.linePos(offset);
    throw new ImportError(`line ${Math.max(1, line)}, column ${Math.max(1, col)}: ${message}`);
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true });
    const [error] = document.errors;
    if (error !== undefined) return fail(error.message.replace(/\s+/g, ' '), error.pos[0]);
    if (document.contents !== null) requireBounded(document.contents, fail);
    // Its own limit counts uses of an anchor, whatever its size.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return isForeign(value) ? value : fail('the file must contain a map of settings');
  } catch (error) {
    if (error instanceof RangeError) return fail('is nested too deeply');
    throw error;
  }
}

/** Fails if the file is too large with its aliases, too deep, or uses an anchor before its value is complete. */
function requireBounded(root: Node, fail: Fail): void {
  /** Values of what is above, by anchor. */
  const anchors = new Map<string, number>();
  let aliases = 0;
  let total = 0;
  /** Counts a node with its aliases expanded. */
  const visit = (node: Node | null, depth: number): void => {
    const offset = node?.range?.[0] ?? 0;
    if (depth > deepest) fail(`is nested more than ${deepest} levels deep`, offset);
    const own = total;
    total += 1;
    if (isAlias(node)) {
      if ((aliases += 1) > mostAliases) fail(`the file has more than ${mostAliases} aliases`, offset);
      total += (anchors.get(node.source) ?? fail(`there is no anchor &${node.source} above`, offset)) - 1;
    } else if (isSeq(node)) {
      for (const item of node.items) visit(item as Node | null, depth + 1);
    } else if (isMap(node)) {
      for (const { key, value } of node.items) {
        visit(key as Node | null, depth + 1);
        visit(value as Node | null, depth + 1);
      }
    }
    if (total > mostValues) fail(`the file has more than ${mostValues} values, aliases expanded`, offset);
    if (node !== null && 'anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, total - own);
  };
  visit(root, 0);
}
