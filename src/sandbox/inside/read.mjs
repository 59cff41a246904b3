// Reads a script without running it, as the Node.js of its runtime would, or the runner of tests there; tells what it found.
//
// Plain JavaScript, because it runs under the Node.js of any runtime. What it cannot tell for certain it accepts.
import module, { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import vm from 'node:vm';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { sort, path, content, runtime } = JSON.parse(Buffer.concat(chunks).toString());
const text = content.replace(/^\uFEFF/, '');
/** What the ending of a file says of it; of the others Node.js tries both. */
const forms = { '.mjs': [asModule], '.mts': [asModule], '.cjs': [asCommonJs], '.cts': [asCommonJs] };
/** Node.js' own way to say where in a text it found what an error is about. */
const addPlace = internalOf('decorateErrorStack');
process.stdout.write(JSON.stringify(sort === 'spec' ? faultOfTests() : faultOfProgram()));

/** Playwright's runner reads tests by a parser of its own, which knows more than Node.js. */
function faultOfTests() {
  // What lies there it hands to Node.js as it is.
  if (path.split('/').includes('node_modules')) return null;
  const require = createRequire(join(runtime, 'start.js'));
  const { babelParse } = require(
    join(dirname(require.resolve('playwright/package.json')), 'lib/transform/babelBundle.js'),
  );
  try {
    babelParse(text, path, false);
    return null;
  } catch (error) {
    if (error.code !== 'BABEL_PARSE_ERROR' || error.loc === undefined) return unlessDeep(error);
    const { line, column } = error.loc;
    const said = firstLine(error.message);
    // The name of the file stands before it, and the place behind.
    const message = said.slice(said.indexOf(`${path}: `) + path.length + 2).replace(/\.? \(\d+:\d+\)$/, '');
    return { message, line, column: column + 1 };
  }
}

function faultOfProgram() {
  const ending = extname(path);
  let plain = text;
  if (/^\.[cm]?ts$/.test(ending)) {
    // Before it could do that by itself, what stands there was for something else to read.
    if (process.features.typescript !== 'strip') return null;
    try {
      // Types become blanks: lines and columns stay.
      plain = module.stripTypeScriptTypes(text, { mode: 'strip' });
    } catch (error) {
      return faultOf(error);
    }
  }
  const faults = [];
  for (const read of forms[ending] ?? [asCommonJs, asModule]) {
    try {
      read(plain);
      return null;
    } catch (error) {
      faults.push(faultOf(error));
    }
  }
  // Whoever came further has taken it for what it is.
  return faults.reduce((one, other) => (isFurther(other, one) ? other : one));
}

function asModule(plain) {
  return new vm.SourceTextModule(plain);
}

function asCommonJs(plain) {
  return vm.compileFunction(plain, ['exports', 'require', 'module', '__filename', '__dirname']);
}

function isFurther({ line = 0, column = 0 }, other) {
  return line > (other.line ?? 0) || (line === other.line && column > (other.column ?? 0));
}

/** Whoever reads says where in the stack: the line above the words, the column by a mark below the line. */
function faultOf(error) {
  if (!(error instanceof SyntaxError)) return unlessDeep(error);
  const message = firstLine(error.message);
  addPlace?.(error);
  const [first, ...lines] = String(error.stack).split('\n');
  const line = /^\S*:(\d+)$/.exec(first)?.[1];
  if (line === undefined) return { message };
  const mark = lines.find((each) => /^\s*\^/.test(each));
  return { message, line: Number(line), column: (mark?.indexOf('^') ?? 0) + 1 };
}

/** It is no fault of the text that it cannot be read: who asked is told by how this process ends. */
function unlessDeep(error) {
  throw error;
}

/** Where there is none the place is not told. */
function internalOf(name) {
  try {
    return createRequire(import.meta.url)('internal/util')[name];
  } catch {
    return undefined;
  }
}

function firstLine(message) {
  const line = message.split('\n').find((each) => each.trim() !== '');
  return line?.trim().slice(0, 300) ?? 'it cannot be read';
}
