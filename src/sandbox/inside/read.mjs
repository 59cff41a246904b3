// Parses a script without running it, like the Node.js or test runner of its runtime, and reports the first error.
// Plain JavaScript, because it runs in any Node.js version. Accepts everything that it cannot judge with certainty.
import module, { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import vm from 'node:vm';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { sort, path, content, runtime } = JSON.parse(Buffer.concat(chunks).toString());
const text = content.replace(/^\uFEFF/, '');
/** Module types by file extension. For other extensions Node.js tries both. */
const forms = { '.mjs': [asModule], '.mts': [asModule], '.cjs': [asCommonJs], '.cts': [asCommonJs] };
/** Node.js' function that adds the source place to an error. */
const addPlace = internalOf('decorateErrorStack');
process.stdout.write(JSON.stringify(sort === 'spec' ? faultOfTests() : faultOfProgram()));

/** Playwright's runner parses tests with Babel, which supports more than Node.js. */
function faultOfTests() {
  // Files in node_modules are loaded by Node.js without changes.
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
    // Removes the file name before the message and the place after it.
    const message = said.slice(said.indexOf(`${path}: `) + path.length + 2).replace(/\.? \(\d+:\d+\)$/, '');
    return { message, line, column: column + 1 };
  }
}

function faultOfProgram() {
  const ending = extname(path);
  let plain = text;
  if (/^\.[cm]?ts$/.test(ending)) {
    // Older Node.js versions leave type stripping to loaders.
    if (process.features.typescript !== 'strip') return null;
    try {
      // Types become blanks, so that places stay the same.
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
  // Returns the error of the attempt that got furthest.
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

/**
 * Returns message and place of a parse error. The place is in the stack: the line above the message, the column as a
 * mark below the source line.
 */
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

/** A script too deep to parse is not at fault; the exit code reports it. */
function unlessDeep(error) {
  throw error;
}

/** Returns an internal function of Node.js, if it exists. */
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
