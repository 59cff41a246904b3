// What is wrong with a file, and where: the line is shown with a caret.

/** A file as text. */
export interface SourceText {
  /** Relative to the folder that is read, for messages. */
  readonly path: string;
  readonly text: string;
}

/** A place in a file. Lines and columns count from 1. */
export interface Place {
  readonly source: SourceText;
  readonly line: number;
  readonly column: number;
}

/** What is wrong, and where. null = it concerns no line, such as a file that cannot be read. */
export interface FileProblem {
  readonly message: string;
  readonly place: Place | null;
}

/** Files that cannot be used. The message lists all problems, for people. */
export class FileProblemsError extends Error {
  override readonly name = 'FileProblemsError';
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problemsText(problems));
    this.problems = problems;
  }
}

/** Most problems that are listed. */
const mostListed = 20;
/** Longest part of a line that is shown, in characters. */
const longestLine = 160;

/** `web.yaml:12:7`, in the form that editors and terminals open. */
export function placeText({ source, line, column }: Place): string {
  return `${source.path}:${line}:${column}`;
}

function problemsText(problems: readonly FileProblem[]): string {
  const listed = problems.slice(0, mostListed).map(problemText);
  const more = problems.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function problemText({ message, place }: FileProblem): string {
  if (place === null) return message;
  const { source, line, column } = place;
  const whole = source.text.split('\n', line)[line - 1] ?? '';
  const start = Math.max(0, column - longestLine + 20);
  const shown = whole
    .slice(start, start + longestLine)
    .replaceAll('\t', ' ')
    .trimEnd();
  const number = String(line);
  return [
    `${placeText(place)}: ${message}`,
    `  ${number} | ${shown}`,
    `  ${' '.repeat(number.length)} | ${' '.repeat(column - 1 - start)}^`,
  ].join('\n');
}
