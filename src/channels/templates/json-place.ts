// Where a text stops being JSON, and what belongs there: JSON.parse does not always say it.
import type { Place } from './template-error.ts';

/** A fault, with what belongs in its place. */
export interface JsonFault extends Place {
  readonly wanted: string;
}

const space = /[ \t\r\n]*/y;
// oxlint-disable-next-line no-control-regex -- they may not stand in a text
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

/** Where a text first is not JSON; null = it is one JSON value. Lines and columns count from 1. */
export function jsonFault(source: string): JsonFault | null {
  /** The brackets that are open, by what closes them. */
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

function placeAt(source: string, at: number): Place {
  const before = source.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
