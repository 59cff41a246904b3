// Lets a program import its files as tests do: without extension, as `.js` for `.ts`, and JSON without attributes.
// Plain JavaScript, because it runs in any Node.js version.
import module from 'node:module';

const endings = ['.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.json'];

/** Names of the files that an import of a path may mean, the first one that exists. */
export function namesOf(path) {
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [path, typed, ...endings.map((ending) => path + ending), ...endings.map((ending) => `${path}/index${ending}`)];
}

const missing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'];

/** Older versions of Node.js have no such hooks: imports need their extensions there. */
export function resolveFiles() {
  module.registerHooks?.({ resolve });
}

function resolve(specifier, context, next) {
  try {
    return asData(next(specifier, context));
  } catch (error) {
    if (!/^\.\.?(?:\/|$)/.test(specifier) || !missing.includes(error.code)) throw error;
    for (const name of namesOf(specifier.replace(/\/$/, '')).slice(1)) {
      try {
        return asData(next(name, context));
      } catch {
        // Not this one.
      }
    }
    throw error;
  }
}

function asData(found) {
  if (!/^file:.*\.json$/.test(found.url)) return found;
  return { ...found, importAttributes: { ...found.importAttributes, type: 'json' } };
}
