// Finds where a text stops being valid JSON, and what was expected there. JSON.parse does not always say.

/** An error with its place and what was expected. Line and column count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly wanted: string;
}

const space = /[ \t\r\n]*/y;
// oxlint-disable-next-line no-control-regex -- they are not allowed in a string
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const atom = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next. */
type State = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'more' | 'end';

const wantedIn: Readonly<Record<Exclude<State, 'more'>, string>> = {
  value: 'a value',
  'value or end': 'a value or ]',
  name: 'a quoted name',
  'name or end': 'a quoted name or }',
  colon: 'a colon',
  end: 'the end of the text',
};

const wholeText = 'a closed string without line breaks or unknown escapes';

/** Returns the first JSON error of a text, or null if it is valid. Line and column start at 1. */
export function jsonFault(source: string): JsonFault | null {
  /** Closing brackets of the open arrays and objects. */
  const open: string[] = [];
  let state: State = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(source)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const fault = (wanted: string): JsonFault => ({ ...placeAt(source, at), wanted });
  const after = (): State => (open.length === 0 ? 'end' : 'more');
  for (;;) {
    take(space);
    const char = source[at];
    if (state === 'end') return char === undefined ? null : fault(wantedIn.end);
    const closing = open.at(-1);
    if (char === closing && char !== undefined && (state === 'more' || state.endsWith('or end'))) {
      at++;
      open.pop();
      state = after();
    } else if (state === 'more') {
      if (char !== ',') return fault(`a comma or ${closing}`);
      at++;
      state = closing === '}' ? 'name' : 'value';
    } else if (state === 'colon') {
      if (char !== ':') return fault(wantedIn.colon);
      at++;
      state = 'value';
    } else if (state === 'name' || state === 'name or end') {
      if (!take(text)) return fault(char === '"' ? wholeText : wantedIn[state]);
      state = 'colon';
    } else if (char === '{' || char === '[') {
      at++;
      open.push(char === '{' ? '}' : ']');
      state = char === '{' ? 'name or end' : 'value or end';
    } else if (take(text) || take(atom)) {
      state = after();
    } else return fault(char === '"' ? wholeText : wantedIn[state]);
  }
}

function placeAt(source: string, at: number): Pick<JsonFault, 'line' | 'column'> {
  const before = source.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
