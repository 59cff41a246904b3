// Processes a received response: decompress, decode, parse, compare and truncate. This is not part of the measured
// time, and expensive work runs in another thread (docs/decisions/0030).
import { errorMessage } from '#lib/errors.ts';
import type { Assertion, AssertionSettings } from '../assertions/assertion.ts';
import { type Budget, budgetMs, evaluateAll, isCheap } from '../assertions/evaluate.ts';
import type { Observation } from '../assertions/evaluator.ts';
import type { Outcome } from '../assertions/sentence.ts';
import { JsonProblem } from '../assertions/json-document.ts';
import { type DecodedBody, decodeBody, decoderOf, keepBody, type TruncatedBody } from '../http/body.ts';
import type { Redactor } from '../redact.ts';

export interface WireBody {
  readonly pieces: readonly Uint8Array[];
  /** Content and transfer encodings in order of application. */
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
  /** Whether more was received than was read or stored. */
  readonly isCut: boolean;
  /** Why the body cannot be read, used by every assertion that needs it; null = it can. */
  readonly unreadable: string | null;
  /** Whether the text is needed in addition to the stored part. */
  readonly wantsText: boolean;
}

export interface AnswerWork {
  /** Account of the check; accounts share the other thread fairly. */
  readonly accountId: string;
  readonly assertions: readonly Assertion[];
  readonly values: Observation['values'];
  /** Body for the sources without a value. */
  readonly body: WireBody | string | null;
  readonly redactor: Redactor;
  /** Remaining time for assertions in ms. Default: `budgetMs`. */
  readonly leftMs?: number;
}

export interface WorkedAnswer {
  readonly outcomes: readonly Outcome[];
  /** Processed `WireBody`; null if there was none or processing failed. */
  readonly body: ReadBody | null;
  readonly leftMs: number;
}

export interface ReadBody extends Pick<DecodedBody, 'isCut' | 'problem' | 'isUnknown'> {
  readonly kept: TruncatedBody;
  readonly decodedBytes: number;
  readonly text: string | null;
  /** Whether it had a content encoding. */
  readonly isEncoded: boolean;
}

/** Processes a response in another thread. Never rejects; failures are in the outcomes. */
export type Offload = (work: AnswerWork) => Promise<WorkedAnswer>;

/** Maximum bytes of a body processed in this thread. */
const smallBody = 64 * 1024;
/** Characters of masked values beyond which masking is expensive. */
const manySecrets = 100_000;

/** Processes a response here if it is cheap, otherwise with `offload`. Never rejects. */
export async function workOn(work: AnswerWork, offload?: Offload): Promise<WorkedAnswer> {
  try {
    return await tryWork(work, offload);
  } catch (error) {
    const detail = errorMessage(error);
    return undone(work, { problem: `evaluation failed: ${detail}` });
  }
}

async function tryWork(work: AnswerWork, offload: Offload | undefined): Promise<WorkedAnswer> {
  if (offload !== undefined && isLarge(work)) return offload(work);
  const { body } = work;
  const decoded = body === null || typeof body === 'string' ? null : await decode(body);
  const observation = observationOf(work, decoded);
  const isReadable = decoded === null || decoded.problem === null;
  if (offload !== undefined && isReadable && !work.assertions.every((assertion) => isCheap(assertion, observation))) {
    return offload(decoded === null ? work : { ...work, body: withoutEncoding(body as WireBody, decoded) });
  }
  const budget: Budget = { leftMs: work.leftMs ?? budgetMs };
  const outcomes = evaluateAll(work.assertions, observation, work.redactor, budget);
  return { outcomes, body: decoded === null ? null : readBody(work, decoded, observation), leftMs: budget.leftMs };
}

/** Masking takes time, too. */
function isLarge({ body, redactor }: AnswerWork): boolean {
  const bytes =
    typeof body === 'string' ? body.length : (body?.pieces ?? []).reduce((sum, { length }) => sum + length, 0);
  return bytes > (redactor.size > manySecrets ? smallBody / 16 : smallBody);
}

async function decode({ pieces, contentEncoding, isCut, unreadable }: WireBody): Promise<DecodedBody> {
  const [first = empty] = pieces;
  const bytes = pieces.length > 1 ? Buffer.concat(pieces) : Buffer.from(first.buffer, first.byteOffset, first.length);
  const body =
    contentEncoding === undefined || bytes.length === 0
      ? { bytes, isCut, problem: null }
      : await decodeBody(bytes, { 'content-encoding': contentEncoding }, isCut);
  return unreadable === null ? body : { bytes: body.bytes, isCut: body.isCut, problem: unreadable };
}

const empty = Buffer.alloc(0);

function withoutEncoding(body: WireBody, { bytes, isCut, problem }: DecodedBody): WireBody {
  // Encoding errors must be reported there as well.
  return problem === null ? { ...body, pieces: [bytes], contentEncoding: undefined, isCut } : body;
}

function observationOf({ body, values }: AnswerWork, decoded: DecodedBody | null): Observation {
  let text = typeof body === 'string' ? body : undefined;
  const contentType = typeof body === 'string' ? undefined : body?.contentType;
  const read = (): string => {
    if (decoded === null) return '';
    if (decoded.problem !== null) throw new JsonProblem(decoded.problem);
    return decoderOf(contentType).decode(decoded.bytes);
  };
  return { values, text: () => (text ??= read()) };
}

function readBody({ body, redactor }: AnswerWork, decoded: DecodedBody, { text }: Observation): ReadBody {
  const { contentType, contentEncoding, wantsText } = body as WireBody;
  const { bytes, isCut, problem, isUnknown } = decoded;
  const kept = keepBody(decoded, contentType, redactor);
  return {
    kept,
    decodedBytes: bytes.length,
    isCut,
    problem,
    ...(isUnknown && { isUnknown }),
    text: wantsText && problem === null ? text() : null,
    isEncoded: contentEncoding !== undefined,
  };
}

/** The work as sent to another thread, with assertions as source. */
export interface WorkMessage extends Omit<AnswerWork, 'assertions' | 'redactor'> {
  readonly assertions: readonly (AssertionSettings & Pick<Assertion, 'source'>)[];
  readonly hidden: readonly string[];
}

export function messageOf({ assertions, redactor, ...work }: AnswerWork): WorkMessage {
  return {
    ...work,
    assertions: assertions.map(({ source, comparison, property, target, regex }) => {
      return { source, comparison, property, target, regex };
    }),
    hidden: redactor.values,
  };
}

/** The result for assertions that were not evaluated. */
export function undone({ assertions }: AnswerWork, outcome: Pick<Outcome, 'problem' | 'isOurs'>): WorkedAnswer {
  return { outcomes: assertions.map(() => ({ passed: false, actual: null, ...outcome })), body: null, leftMs: 0 };
}
