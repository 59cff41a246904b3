// Reads foreign YAML within bounds.
import { isAlias, LineCounter, parseDocument, visit } from 'yaml';
import { type Foreign, isForeign } from './values.ts';
import { ImportError } from './imported.ts';

/** Most nodes of a file, before aliases are expanded. */
const mostNodes = 200_000;
/** Most levels of a file. */
const deepest = 50;
/** Most aliases: each may repeat what its anchor holds. */
const mostAliases = 1000;

/**
 * The map at the top of a file.
 * @throws {ImportError} with line and column of what is wrong
 */
export function parseYaml(text: string): Foreign {
  const lines = new LineCounter();
  const fail = (message: string, offset = 0): never => {
    const { line, col } = lines.linePos(offset);
    throw new ImportError(`line ${Math.max(1, line)}, column ${Math.max(1, col)}: ${message}`);
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true });
    const [error] = document.errors;
    if (error !== undefined) return fail(error.message.replace(/\s+/g, ' '), error.pos[0]);
    let nodes = 0;
    let aliases = 0;
    visit(document, (_key, node, path) => {
      const offset = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
      if ((nodes += 1) > mostNodes) fail(`the file has more than ${mostNodes} values`, offset);
      if (path.length > deepest * 2) fail(`is nested more than ${deepest} levels deep`, offset);
      if (isAlias(node) && (aliases += 1) > mostAliases) fail(`the file has more than ${mostAliases} aliases`, offset);
    });
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return isForeign(value) ? value : fail('the file must contain a map of settings');
  } catch (error) {
    if (error instanceof RangeError) return fail('is nested too deeply');
    if (error instanceof ReferenceError) return fail(`aliases: ${error.message}`);
    throw error;
  }
}
