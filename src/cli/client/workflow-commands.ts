// A guard against text that GitHub Actions would take as a workflow command.
import { randomUUID } from 'node:crypto';

/** Lines that a GitHub Actions runner takes as plain text, even if a check's name or message is a workflow command. */
export function guarded(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => /^\s*::|##\[/.test(line))) return lines;
  const token = randomUUID();
  return [`::stop-commands::${token}`, ...lines, `::${token}::`];
}
