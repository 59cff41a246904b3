// Sentences about the settings of a check.
import type { Assertion } from '#checks/show.ts';
import { comparisons, isUnary } from '../../ui/checks/comparisons.ts';
import { codeText } from '../../ui/text/format.ts';

/** `JSON body $.total is greater than 3` */
export function assertionText({ source, comparison, property, target, regex }: Assertion): string {
  return [
    codeText(source),
    property,
    regex ? `matching /${regex}/` : '',
    comparisons[comparison] ?? comparison,
    isUnary(comparison) ? '' : target === '' || target === undefined ? '""' : target,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/** A target with the base URL of its group filled in. @param baseUrl empty = none */
export function filledTarget(target: string, baseUrl: string): string {
  return baseUrl === '' ? target : target.replace(/\{\{\s*GROUP_BASE_URL\s*\}\}/g, () => baseUrl);
}
