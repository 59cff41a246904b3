// Whether a script is a file of tests for Playwright's runner or a program, as it is written: nothing of it is run for that.
import type { ScriptFile, ScriptWork } from '#domain/checks/script.ts';

/** Names by which files of tests go. */
const testPath = /\.(?:spec|test)\.[cm]?[jt]s$/;

/**
 * Whoever calls `test` of Playwright has tests: by whatever name it imports it, and also where a file beside it hands it on. So has
 * whoever goes by the name of a file of tests, where it or a file beside it takes `test` from there. All else is a program, for
 * where nobody takes `test` its runner finds none.
 *
 * @param isNamed whether somebody chose the path of the script: the one that it has otherwise says nothing
 */
export function sortOf(script: ScriptFile, beside: readonly ScriptFile[], isNamed: boolean): ScriptWork['sort'] {
  const isOwn = takesTest(script.content);
  const isBeside = beside.some(({ content }) => takesTest(content));
  if (!isOwn && !isBeside) return 'plain';
  if (isNamed && testPath.test(script.path)) return 'spec';
  if (isOwn && callsTest.test(script.content)) return 'spec';
  const names = importedTests(script.content, isBeside);
  return names.length > 0 && callsOf(names).test(script.content) ? 'spec' : 'plain';
}

// Foreign text: whatever it is, looking through it must come to an end soon. So nothing is repeated without a bound.
const playwright = /@playwright\/test\b|(['"`])playwright\/test\1/g;
const all = /\bexport\s{0,20}\*|\bimport\s{1,20}[\w$]{1,100}\s{1,20}from\s{0,20}(['"])@?playwright\/test\1/;
const callsTest = /\btest\s{0,20}(?:\.\s{0,20}\w{1,20}\s{0,20}){0,3}\(/;

/** Whether `test` of Playwright is among what a text takes: others want no more of it than a browser. */
function takesTest(content: string): boolean {
  const rest = content.replace(playwright, '');
  return rest !== content && (/\btest\b/.test(rest) || all.test(content));
}

/** What stands for a module, and which. */
const imports = [
  /\bimport\s{1,20}([^'"`;()]{1,1000}?)\bfrom\s{0,20}(['"`])([^'"`\n]{1,1000})\2/g,
  /\b(?:const|let|var)\s{1,20}([^'"`;()=]{1,1000})=\s{0,20}(?:await\s{1,20}import|require)\s{0,20}\(\s{0,20}(['"`])([^'"`\n]{1,1000})\2/g,
];
/** The first that a script has: of what calls them, all are looked for at once. */
const mostNames = 20;

/** What a script calls Playwright's `test`, or `test` of a file beside it. */
function importedTests(content: string, isBeside: boolean): string[] {
  const names: string[] = [];
  for (const pattern of imports) {
    for (const [, left = '', , from = ''] of content.matchAll(pattern)) {
      const isPlaywright = /^@?playwright\/test$/.test(from);
      if (isPlaywright || (isBeside && !from.startsWith('node:'))) names.push(...testsOf(left.trim(), isPlaywright));
      if (names.length >= mostNames) return names;
    }
  }
  return names;
}

function testsOf(left: string, isPlaywright: boolean): string[] {
  const whole = /^(?:\*\s{0,20}as\s{1,20})?([\w$]{1,100})\s{0,20}(?:,|$)/.exec(left)?.[1];
  const renamed = /\btest(?:\s{1,20}as\s{1,20}|\s{0,20}:\s{0,20})([\w$]{1,100})/.exec(left)?.[1];
  const names = renamed !== undefined ? [renamed] : /\btest\b/.test(left) ? ['test'] : [];
  if (whole === undefined) return names;
  // By itself it is the module or, of Playwright, `test`.
  return [...names, `${whole}.test`, ...(isPlaywright ? [whole] : [])];
}

/** Where one of them is called, or made another `test` of. */
function callsOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/[.$]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\w$.])(?:${any})\\s{0,20}(?:\\.\\s{0,20}\\w{1,20}\\s{0,20}){0,3}(?:\\(|<)`);
}
