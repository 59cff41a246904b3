// Limits of rendering all templates of a channel, so that it always ends (decisions: Limits; docs/decisions/0060).
import { TemplateError } from './template-error.ts';
import type { Position } from './template-error.ts';

/** Limits on template sources and on one rendering, in characters (decisions: Limits). */
export const limits = {
  source: 32 * 1024,
  expressions: 500,
  /** Names, strings, numbers and calls inside braces. */
  nodes: 2000,
  depth: 24,
  pathParts: 16,
  steps: 10_000,
  output: 256 * 1024,
  /** A URL, header value or query value. */
  line: 8 * 1024,
  /** Text that helpers may process in one rendering; keeps each step short. */
  work: 1024 * 1024,
  /** Value of one variable. */
  value: 64 * 1024,
  tags: 100,
} as const;

const start: Position = { line: 1, column: 1 };

/**
 * One rendering: output, clock and remaining limits. Fields are rendered in order and share the limits. Exceeding one
 * throws an error with its place.
 */
export class Rendering {
  /** Output so far, of the field or of the block being captured. */
  text = '';
  /** Time used by `moment`, epoch ms. */
  readonly now: number;
  /** IANA name of the zone used by `localTime`. */
  readonly timeZone: string;
  /** Place of the current call. */
  place: Position = start;
  /** Whether the variables are a plain object without inherited names. */
  readonly ownsAll: boolean;
  /** Whether `{{X}}` escapes HTML. Not in plain text that is sent without markup. */
  readonly escapes: boolean;
  /** Maximum output of this field. */
  #fieldMost: number;
  /** Remaining output, across fields. */
  #most: number;
  /** Output of earlier fields. */
  #printed = 0;
  #fields = 0;
  #steps = 0;
  #work = 0;

  /** @param most maximum output of the first field */
  constructor(now: number, max: number = limits.output, ownsAll = false, escapes = true, timeZone = 'UTC') {
    this.now = now;
    this.timeZone = timeZone;
    this.ownsAll = ownsAll;
    this.escapes = escapes;
    this.#fieldMost = max;
    this.#most = max;
  }

  /** Starts the next field with a maximum output of `most`. */
  next(max: number): void {
    this.#fields++;
    this.#printed += this.text.length;
    this.text = '';
    this.#fieldMost = max;
    this.#most = Math.min(max, limits.output - this.#printed);
  }

  /** Counts steps: each expression, helper call and iteration is one. */
  step(place: Position, count = 1): void {
    this.#steps += count;
    if (this.#steps > limits.steps) {
      const all = this.#fields > 1 ? ' for all fields combined' : '';
      throw new TemplateError(`rendering takes more than ${limits.steps} steps${all}: loop over fewer items`, place);
    }
  }

  /** Appends text to the output. */
  print(place: Position, text: string): void {
    this.text += text;
    if (this.text.length > this.#most) throw this.tooLong(place);
  }

  /** Appends the value of a tag and counts it as a step. */
  printValue(place: Position, text: string): void {
    this.text += text;
    if (++this.#steps > limits.steps) this.step(place, 0);
    if (this.text.length > this.#most) throw this.tooLong(place);
  }

  /** Throws if a text of this length would exceed the limits. Call it before creating the text. */
  reserve(place: Position, length: number): void {
    if (this.text.length + length > this.#most) throw this.tooLong(place);
  }

  tooLong(place: Position): TemplateError {
    const isAll = this.#most < this.#fieldMost;
    const what = isAll ? 'the rendered text of all fields combined' : 'the rendered text';
    return new TemplateError(`${what} is longer than ${(isAll ? limits.output : this.#fieldMost) / 1024} kB`, place);
  }

  /** Counts `length` processed characters. Helpers call it before they read or create the text. */
  handle(length: number): void {
    this.#work += length;
    if (length > limits.output || this.#work > limits.work) {
      const what =
        this.#fields > 1 ? 'the helpers of all fields combined process' : 'the helpers of this template process';
      throw new TemplateError(`${what} too much text`, this.place);
    }
  }

  /** Captures the text that `work` prints. */
  caught(work: () => void): string {
    const before = this.text;
    this.text = '';
    work();
    const { text } = this;
    this.text = before;
    return text;
  }
}
