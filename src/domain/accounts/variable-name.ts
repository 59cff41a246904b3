// Names that a variable cannot have, because alert templates would interpret them differently.
import { systemVariableNames } from '../deliveries/template-variables.ts';

/** All helpers of alert templates. */
export const helperNames: readonly string[] =
  'if unless each with lookup and or not neither eq is isnt gt gte lt lte unlessEq unlessGt unlessGteq unlessLt unlessLteq compare contains has isTruthy isFalsey ifEven ifOdd ifNth startsWith uppercase lowercase capitalize trim json jsonString urlencode truncate replace split join length tagValue default moment date localTime year'.split(
    ' ',
  );

/** Names with a meaning in the template language or in JavaScript. */
const languageNames: ReadonlySet<string> = new Set(
  'true false null undefined this else __proto__ constructor prototype toHTML call'.split(' '),
);

/** Why the name of a new variable is invalid, with a suggestion; null = valid. */
export function variableNameProblem(name: string): string | null {
  if (helperNames.includes(name)) {
    return `is the name of a template helper, so alert templates could not print it; use another name, e.g. ${suggestionFor(name)}`;
  }
  if (languageNames.has(name)) {
    return `is a word of the template language, so alert templates could not print it; use another name, e.g. ${suggestionFor(name)}`;
  }
  if (systemVariableNames.includes(name as (typeof systemVariableNames)[number])) {
    return `is a variable that Tocsin sets itself in alert templates; use another name, e.g. MY_${name}`;
  }
  return null;
}

function suggestionFor(name: string): string {
  const words = name.replace(/^_+|_+$/g, '').replace(/([a-z])([A-Z])/g, '$1_$2');
  return words.toUpperCase();
}
