// One rendering of a template: what it has printed, and what it may still cost, so that every template ends (decisions: Limits).
import { TemplateError } from './template-error.ts';
import type { Place } from './template-error.ts';

/** Bounds on a template's source and on one rendering of it (decisions: Limits). Sizes are in characters. */
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

/** One rendering: its text so far, its clock, and its budget, whose end ends it with an error that has a place. */
export class Rendering {
  /** What was printed so far, here or inside the block that is being caught. */
  text = '';
  /** Epoch ms: what `moment` calls now. */
  readonly now: number;
  /** Where the call stands that is being made. */
  place: Place = start;
  /** Whether the variables are an object that inherits nothing under any name. */
  readonly ownsAll: boolean;
  readonly #most: number;
  #steps = 0;
  #work = 0;

  /** @param most the longest text that may come of it */
  constructor(now: number, most: number = limits.output, ownsAll = false) {
    this.now = now;
    this.ownsAll = ownsAll;
    this.#most = most;
  }

  /** Takes `count` steps: every expression, helper call and iteration is one. */
  step(place: Place, count = 1): void {
    this.#steps += count;
    if (this.#steps > limits.steps) {
      throw new TemplateError(`rendering takes more than ${limits.steps} steps: loop over less`, place);
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
    return new TemplateError(`the rendered text is longer than ${this.#most / 1024} kB`, place);
  }

  /** Notes that the call being made reads or makes `length` characters. A helper calls it before making them. */
  handle(length: number): void {
    this.#work += length;
    if (length > limits.output || this.#work > limits.work) {
      throw new TemplateError('the helpers of this template handle too much text', this.place);
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
