// `${env:NAME}` in texts of files: values that are not in the file.
import { createMasker } from '#lib/text-masker.ts';

/** The value of a variable of the environment; undefined = it is not set. */
export type Environment = (name: string) => string | undefined;

/** Shorter values say nothing, and would be hidden in other words. */
const shortestHidden = 4;

/** An environment, and what hides the values that it gave in a text. */
export function remembering(environment: Environment): {
  readonly environment: Environment;
  readonly hide: (text: string) => string;
} {
  const given = new Set<string>();
  return {
    environment(name) {
      const value = environment(name);
      if (value !== undefined && value.length >= shortestHidden) given.add(value);
      return value;
    },
    hide: (text) => (given.size === 0 ? text : createMasker(given, '***')(text)),
  };
}

/** Whether a text has a placeholder. */
export function hasPlaceholder(text: string): boolean {
  return [...text.matchAll(pattern)].some(([, dollars, start]) => dollars === '$' && start !== undefined);
}

/** Dollar signs before a brace, and what follows of a placeholder. */
const pattern = /(\$+)\{(env:(?:([^}\n]*)\})?)?/g;

/**
 * The text with the values of its placeholders. In `$${`, the first dollar sign is removed, and nothing is replaced.
 * @param report is called for a placeholder without a value
 */
export function filled(text: string, environment: Environment, report: (message: string) => void): string {
  return text.replace(pattern, (whole, dollars: string, start: string | undefined, name: string | undefined) => {
    if (dollars.length > 1) return whole.slice(1);
    if (start === undefined) return whole;
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
      report('${env:…} must contain the name of a variable. Write $${env: for the text itself');
      return whole;
    }
    const value = environment(name);
    if (value === undefined) report(`the environment variable ${name} is not set`);
    return value ?? whole;
  });
}

/** The text so that `filled` gives it back unchanged. */
export function escaped(text: string): string {
  return text.replace(pattern, (whole, dollars: string, start: string | undefined) =>
    dollars.length > 1 || start !== undefined ? `$${whole}` : whole,
  );
}
