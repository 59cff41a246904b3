// Classifies a script as Playwright tests or as a plain program by its text, without running it.
import type { ScriptFile, ScriptWork } from '#domain/checks/script.ts';

/** File names of test files. */
const testPath = /\.(?:spec|test)\.[cm]?[jt]s$/;

/**
 * A script contains tests if it calls Playwright's `test`, imported directly or through another file, under any name. A
 * script named like a test file also does if it or another file imports `test`. Anything else is a program: the test
 * runner would find no tests.
 *
 * @param isNamed whether the user chose the path; the default path means nothing
 */
export function sortOf(script: ScriptFile, dependencies: readonly ScriptFile[], isNamed: boolean): ScriptWork['sort'] {
  const isOwn = takesTest(script.content);
  const isImported = dependencies.some(({ content }) => takesTest(content));
  if (!isOwn && !isImported) return 'plain';
  if (isNamed && testPath.test(script.path)) return 'spec';
  if (isOwn && callsTest.test(script.content)) return 'spec';
  const names = importedTests(script.content, isImported);
  return names.length > 0 && callsOf(names).test(script.content) ? 'spec' : 'plain';
}

// The text is untrusted, so no unbounded repetition: matching must be fast.
const playwright = /@playwright\/test\b|(['"`])playwright\/test\1/g;
const all = /\bexport\s{0,20}\*|\bimport\s{1,20}[\w$]{1,100}\s{1,20}from\s{0,20}(['"])@?playwright\/test\1/;
const callsTest = /\btest\s{0,20}(?:\.\s{0,20}\w{1,20}\s{0,20}){0,3}\(/;

/** Whether a text imports Playwright's `test`. Other imports only need a browser. */
function takesTest(content: string): boolean {
  const rest = content.replace(playwright, '');
  return rest !== content && (/\btest\b/.test(rest) || all.test(content));
}

/** Import forms, with the local name and the module. */
const imports = [
  /\bimport\s{1,20}([^'"`;()]{1,1000}?)\bfrom\s{0,20}(['"`])([^'"`\n]{1,1000})\2/g,
  /\b(?:const|let|var)\s{1,20}([^'"`;()=]{1,1000})=\s{0,20}(?:await\s{1,20}import|require)\s{0,20}\(\s{0,20}(['"`])([^'"`\n]{1,1000})\2/g,
];
/** Maximum names to search for, all in one pattern. */
const maxNames = 20;

/** Local names of Playwright's `test`, or of `test` from another file. */
function importedTests(content: string, isImported: boolean): string[] {
  const names: string[] = [];
  for (const pattern of imports) {
    for (const [, left = '', , from = ''] of content.matchAll(pattern)) {
      const isPlaywright = /^@?playwright\/test$/.test(from);
      if (isPlaywright || (isImported && !from.startsWith('node:'))) names.push(...testsOf(left.trim(), isPlaywright));
      if (names.length >= maxNames) return names;
    }
  }
  return names;
}

function testsOf(left: string, isPlaywright: boolean): string[] {
  const whole = /^(?:\*\s{0,20}as\s{1,20})?([\w$]{1,100})\s{0,20}(?:,|$)/.exec(left)?.[1];
  const renamed = /\btest(?:\s{1,20}as\s{1,20}|\s{0,20}:\s{0,20})([\w$]{1,100})/.exec(left)?.[1];
  const names = renamed !== undefined ? [renamed] : /\btest\b/.test(left) ? ['test'] : [];
  if (whole === undefined) return names;
  // A namespace import, or a default import of Playwright, which is `test` itself.
  return [...names, `${whole}.test`, ...(isPlaywright ? [whole] : [])];
}

/** Matches calls of these names and `test.extend`. */
function callsOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/[.$]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\w$.])(?:${any})\\s{0,20}(?:\\.\\s{0,20}\\w{1,20}\\s{0,20}){0,3}(?:\\(|<)`);
}
