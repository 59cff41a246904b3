// The work on an answer once it has come: decompress, decode, parse, compare, and cut to what is kept. None of it is
// measured, and what could take more than a moment is done by another thread (docs/decisions/0030).
import type { Assertion, AssertionSettings } from '../assertions/assertion.ts';
import { type Budget, budgetMs, evaluateAll, isCheap, type Observation } from '../assertions/evaluate.ts';
import type { Outcome } from '../assertions/outcome.ts';
import { JsonProblem } from '../assertions/json-document.ts';
import { type DecodedBody, decodeBody, decoderOf, keepBody, type KeptBody } from '../http/body.ts';
import type { Redactor } from '../redact.ts';

/** A body as it came. */
export interface WireBody {
  readonly pieces: readonly Uint8Array[];
  /** Content and transfer encodings in the order in which they were applied. */
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
  /** More of it came than was read, or was to be kept. */
  readonly isCut: boolean;
  /** Why it cannot be read: said by every assertion that needs it; null = it can. */
  readonly unreadable: string | null;
  /** Whether its text is wanted beside what is kept of it. */
  readonly wantsText: boolean;
}

/** What is to be done. */
export interface AnswerWork {
  /** Of the check: accounts share the other thread fairly. */
  readonly accountId: string;
  readonly assertions: readonly Assertion[];
  readonly values: Observation['values'];
  /** What sources without a value are about. */
  readonly body: WireBody | string | null;
  readonly redactor: Redactor;
  /** ms that are left of what the assertions of a check may take; `budgetMs` by default. */
  readonly leftMs?: number;
}

/** What came of it. */
export interface WorkedAnswer {
  readonly outcomes: readonly Outcome[];
  /** Of a `WireBody`; null = there was none, or it could not be worked on. */
  readonly body: ReadBody | null;
  readonly leftMs: number;
}

/** A body that was read. */
export interface ReadBody extends Pick<DecodedBody, 'isCut' | 'problem' | 'isUnknown'> {
  readonly kept: KeptBody;
  readonly decodedBytes: number;
  readonly text: string | null;
  /** It had a content encoding. */
  readonly isEncoded: boolean;
}

/** Does the work in another thread. Never rejects: what could not be done stands in the outcomes. */
export type Offload = (work: AnswerWork) => Promise<WorkedAnswer>;

/** Bytes of a body that are worked on here. */
const smallBody = 64 * 1024;
/** Characters of what must be hidden, beyond which hiding takes long. */
const manySecrets = 100_000;

/**
 * Does the work here where it takes next to no time, otherwise by `offload`, if there is one. Never rejects: what was seen
 * stands, whatever becomes of the work on it.
 */
export async function workOn(work: AnswerWork, offload?: Offload): Promise<WorkedAnswer> {
  try {
    return await tryWork(work, offload);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return undone(work, { problem: `it could not be evaluated: ${detail}` });
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

/** Hiding takes time, too. */
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
  // What is wrong with its encoding is to be found there again.
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

/** The work as it travels to another thread: assertions as they were written. */
export interface WorkMessage extends Omit<AnswerWork, 'assertions' | 'redactor'> {
  readonly assertions: readonly (AssertionSettings & Pick<Assertion, 'source'>)[];
  /** What must be hidden. */
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

/** What cannot be said of the assertions of a work that was not done. */
export function undone({ assertions }: AnswerWork, outcome: Pick<Outcome, 'problem' | 'isOurs'>): WorkedAnswer {
  return { outcomes: assertions.map(() => ({ passed: false, actual: null, ...outcome })), body: null, leftMs: 0 };
}
