// SQL as a tree: words, names, values and signs, with what stands in parentheses as one node. Knows both engines' spelling.

export type SqlNode = SqlToken | SqlGroup;

export interface SqlToken {
  /** `word`: a keyword or a plain name, in small letters; `name`: a quoted one; `value`: a parameter or literal. */
  readonly kind: 'word' | 'name' | 'value' | 'sign';
  readonly text: string;
}

/** What stands between two parentheses. */
export interface SqlGroup {
  readonly kind: 'group';
  readonly nodes: readonly SqlNode[];
}

const parts = new RegExp(
  [
    String.raw`(?<space>\s+|--[^\n]*|/\*[^]*?\*/)`,
    String.raw`"(?<name>(?:[^"]|"")*)"`,
    String.raw`(?<value>[xXeE]?'(?:[^']|'')*'|\$\d+|\?\d*|[:@]\w+|\d+(?:\.\d+)?)`,
    String.raw`(?<word>[A-Za-z_][\w$]*)`,
    String.raw`(?<sign>::|<>|<=|>=|!=|==|\|\||#>>|->>|->|[-+*/%=<>.,;()[\]~&|])`,
  ].join('|'),
  'gy',
);

/** The statements of a text, each as its nodes. Throws on what is not SQL as it is written here. */
export function sqlTrees(text: string): SqlNode[][] {
  const tokens = tokensOf(text);
  const statements: SqlNode[][] = [];
  let at = 0;
  const read = (isGroup: boolean): SqlNode[] => {
    const nodes: SqlNode[] = [];
    for (; at < tokens.length; at++) {
      const token = tokens[at];
      if (token === undefined || (isSign(token, ')') && isGroup) || (isSign(token, ';') && !isGroup)) break;
      if (isSign(token, '(')) {
        at++;
        nodes.push({ kind: 'group', nodes: read(true) });
        if (at >= tokens.length) throw new Error(`a parenthesis is not closed: ${text}`);
      } else {
        nodes.push(token);
      }
    }
    return nodes;
  };
  for (; at < tokens.length; at++) {
    const nodes = read(false);
    if (nodes.length > 0) statements.push(nodes);
  }
  return statements;
}

function tokensOf(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  parts.lastIndex = 0;
  while (parts.lastIndex < text.length) {
    const from = parts.lastIndex;
    const { space, name, value, word, sign } = parts.exec(text)?.groups ?? {};
    if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"').toLowerCase() });
    else if (value !== undefined) tokens.push({ kind: 'value', text: value });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.toLowerCase() });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else if (space === undefined) throw new Error(`not understood from ${JSON.stringify(text.slice(from, from + 40))}`);
  }
  return tokens;
}

export function isSign(node: SqlNode | undefined, text: string): boolean {
  return node?.kind === 'sign' && node.text === text;
}

/** Whether a node is one of these keywords; a quoted name never is. */
export function isWord(node: SqlNode | undefined, ...words: readonly string[]): boolean {
  return node?.kind === 'word' && words.includes(node.text);
}

/** The text of a plain or quoted name. */
export function nameOf(node: SqlNode | undefined): string | null {
  return node?.kind === 'word' || node?.kind === 'name' ? node.text : null;
}

/** The nodes between the separators that `isBetween` finds. */
export function splitAt(nodes: readonly SqlNode[], isBetween: (node: SqlNode, index: number) => boolean): SqlNode[][] {
  const split: SqlNode[][] = [[]];
  for (const [index, node] of nodes.entries()) {
    if (isBetween(node, index)) split.push([]);
    else split.at(-1)?.push(node);
  }
  return split;
}

/** All names in a tree that stand behind one of these keywords. */
export function namesBehind(nodes: readonly SqlNode[], ...words: readonly string[]): string[] {
  return nodes.flatMap((node, index) => {
    if (node.kind === 'group') return namesBehind(node.nodes, ...words);
    const name = isWord(nodes[index - 1], ...words) ? nameOf(node) : null;
    return name === null ? [] : [name];
  });
}
