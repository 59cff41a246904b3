// Parses a script and the files that it imports without running it, like the Node.js or test runner of its runtime, and
// reports the first error.
// Plain JavaScript, because it runs in any Node.js version. Accepts everything that it cannot judge with certainty.
import module, { createRequire } from 'node:module';
import { dirname, extname, join, posix } from 'node:path';
import vm from 'node:vm';
import { namesOf } from './resolve-files.mjs';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { sort, path: entry, content, files = [], runtime } = JSON.parse(Buffer.concat(chunks).toString());
const texts = new Map([...files, { path: entry, content }].map((file) => [file.path, file.content]));
/** Module types by file extension. For other extensions Node.js tries both. */
const forms = { '.mjs': [asModule], '.mts': [asModule], '.cjs': [asCommonJs], '.cts': [asCommonJs] };
/** Node.js' function that adds the source place to an error. */
const addPlace = internalOf('decorateErrorStack');
process.stdout.write(JSON.stringify(firstFault()));

/** Only files that are imported for certain are parsed: others may be data, or never be read. */
function firstFault() {
  const read = new Set();
  const waiting = [entry];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (read.has(path)) continue;
    read.add(path);
    const text = texts.get(path).replace(/^\uFEFF/, '');
    const { fault = null, imports = [] } = path.endsWith('.json')
      ? faultOfData(text)
      : sort === 'spec'
        ? faultOfTests(path, text)
        : faultOfProgram(path, text);
    if (fault !== null) return path === entry ? fault : { ...fault, file: path };
    waiting.push(...imports.flatMap((name) => importedFile(path, name) ?? []));
  }
  return null;
}

/** The file that an import names; undefined = a package, or none of these files. */
function importedFile(from, name) {
  if (!/^\.\.?(?:\/|$)/.test(name)) return undefined;
  const path = posix.join(posix.dirname(from), name);
  // As the test runner does, and `resolve-files.mjs` for programs.
  return namesOf(path).find((each) => texts.has(each) && /\.(?:[cm]?[jt]s|[jt]sx|json)$/.test(each));
}

function faultOfData(text) {
  try {
    JSON.parse(text);
    return {};
  } catch (error) {
    const message = firstLine(error.message);
    const position = Number(/ at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    if (Number.isNaN(position)) return { fault: { message } };
    const before = text.slice(0, position).split('\n');
    const place = { line: before.length, column: before.at(-1).length + 1 };
    return { fault: { message: message.replace(/ (?:in JSON )?at position .*$/, ''), ...place } };
  }
}

/** Playwright's runner parses tests with Babel, which supports more than Node.js. */
function faultOfTests(path, text) {
  // Files in node_modules are loaded by Node.js without changes.
  if (path.split('/').includes('node_modules')) return {};
  const require = createRequire(join(runtime, 'start.js'));
  const { babelParse } = require(
    join(dirname(require.resolve('playwright/package.json')), 'lib/transform/babelBundle.js'),
  );
  try {
    return { imports: (babelParse(text, path, false).program?.body ?? []).flatMap(importsOf) };
  } catch (error) {
    if (error.code !== 'BABEL_PARSE_ERROR' || error.loc === undefined) return unlessDeep(error);
    const { line, column } = error.loc;
    const said = firstLine(error.message);
    // Removes the file name before the message and the place after it.
    const message = said.slice(said.indexOf(`${path}: `) + path.length + 2).replace(/\.? \(\d+:\d+\)$/, '');
    return { fault: { message, line, column: column + 1 } };
  }
}

/** What a statement of a module imports at once: `import`, `export … from` and `const … = require(…)`. */
function importsOf({ type, source, importKind, exportKind, declarations = [] }) {
  if (type !== 'VariableDeclaration')
    return source && importKind !== 'type' && exportKind !== 'type' ? [source.value] : [];
  return declarations.flatMap(({ init }) => {
    const [first] = init?.callee?.name === 'require' ? init.arguments : [];
    return first?.type === 'StringLiteral' ? [first.value] : [];
  });
}

function faultOfProgram(path, text) {
  const ending = extname(path);
  let plain = text;
  if (/^\.[cm]?ts$/.test(ending)) {
    // Older Node.js versions leave type stripping to loaders.
    if (process.features.typescript !== 'strip') return {};
    try {
      // Types become blanks, so that places stay the same.
      plain = module.stripTypeScriptTypes(text, { mode: 'strip' });
    } catch (error) {
      return { fault: faultOf(error) };
    }
  }
  const faults = [];
  for (const read of forms[ending] ?? [asCommonJs, asModule]) {
    try {
      return { imports: read(plain)?.dependencySpecifiers ?? [] };
    } catch (error) {
      faults.push(faultOf(error));
    }
  }
  // Returns the error of the attempt that got furthest.
  return { fault: faults.reduce((one, other) => (isFurther(other, one) ? other : one)) };
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
