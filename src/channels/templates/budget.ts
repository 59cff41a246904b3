// One rendering of all templates of a channel: what it has printed, and what it may still cost, so that it ends (decisions:
// Limits; docs/decisions/0060).
import { TemplateError } from './template-error.ts';
import type { Place } from './template-error.ts';

/**
 * Bounds on the sources of a channel's templates, on each and on all together, and on one rendering of them (decisions:
 * Limits). Sizes are in characters.
 */
export const limits = {
  source: 32 * 1024,
  expressions: 500,
  /** Names, texts, numbers and calls inside the braces, all together. */
  nodes: 2000,
  depth: 24,
  pathParts: 16,
  steps: 10_000,
  output: 256 * 1024,
  /** What a URL, a header's value or a query value may be. */
  line: 8 * 1024,
  /** Text that helpers may read and make in one rendering: keeps a step short. */
  work: 1024 * 1024,
  /** One value of a variable. */
  value: 64 * 1024,
  tags: 100,
} as const;

const start: Place = { line: 1, column: 1 };

/**
 * One rendering: the text of its field so far, its clock, and its budget, whose end ends it with an error that has a place.
 * One field after the other is rendered with what those before it have left.
 */
export class Rendering {
  /** What was printed so far, here or inside the block that is being caught. */
  text = '';
  /** Epoch ms: what `moment` calls now. */
  readonly now: number;
  /** Where the call stands that is being made. */
  place: Place = start;
  /** Whether the variables are an object that inherits nothing under any name. */
  readonly ownsAll: boolean;
  /** The longest text that may come of this field. */
  #fieldMost: number;
  /** The same, or what the fields before it have left. */
  #most: number;
  /** What the fields before this one have printed. */
  #printed = 0;
  #fields = 0;
  #steps = 0;
  #work = 0;

  /** @param most the longest text that may come of its first field */
  constructor(now: number, most: number = limits.output, ownsAll = false) {
    this.now = now;
    this.ownsAll = ownsAll;
    this.#fieldMost = most;
    this.#most = most;
  }

  /** Begins the next field, whose text may be `most` long. */
  next(most: number): void {
    this.#fields++;
    this.#printed += this.text.length;
    this.text = '';
    this.#fieldMost = most;
    this.#most = Math.min(most, limits.output - this.#printed);
  }

  /** Takes `count` steps: every expression, helper call and iteration is one. */
  step(place: Place, count = 1): void {
    this.#steps += count;
    if (this.#steps > limits.steps) {
      const all = this.#fields > 1 ? ' for all fields combined' : '';
      throw new TemplateError(`rendering takes more than ${limits.steps} steps${all}: loop over fewer items`, place);
    }
  }

  /** Prints. */
  print(place: Place, text: string): void {
    this.text += text;
    if (this.text.length > this.#most) throw this.tooLong(place);
  }

  /** Prints the value of a tag, which is a step. */
  printValue(place: Place, text: string): void {
    this.text += text;
    if (++this.#steps > limits.steps) this.step(place, 0);
    if (this.text.length > this.#most) throw this.tooLong(place);
  }

  /** Ends the rendering when a text of this length could not be printed any more: asked before it is made. */
  reserve(place: Place, length: number): void {
    if (this.text.length + length > this.#most) throw this.tooLong(place);
  }

  tooLong(place: Place): TemplateError {
    const isAll = this.#most < this.#fieldMost;
    const what = isAll ? 'the rendered text of all fields combined' : 'the rendered text';
    return new TemplateError(`${what} is longer than ${(isAll ? limits.output : this.#fieldMost) / 1024} kB`, place);
  }

  /** Notes that the call being made reads or makes `length` characters. A helper calls it before making them. */
  handle(length: number): void {
    this.#work += length;
    if (length > limits.output || this.#work > limits.work) {
      const what =
        this.#fields > 1 ? 'the helpers of all fields combined process' : 'the helpers of this template process';
      throw new TemplateError(`${what} too much text`, this.place);
    }
  }

  /** The text that `work` prints, caught instead of printed. */
  caught(work: () => void): string {
    const before = this.text;
    this.text = '';
    work();
    const { text } = this;
    this.text = before;
    return text;
  }
}
