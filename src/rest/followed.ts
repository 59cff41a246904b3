// Calls by token, of triggers and heartbeats, to an account that has moved: the token is the same where it lives now.
import { Refusal } from '#actions/refusal.ts';
import { errorBody } from './errors.ts';
import { Answer } from './route.ts';

/** Runs a call by token, or names the installation that its account has moved to. */
export async function followed<Result>(path: string, call: () => Promise<Result>): Promise<Result | Answer> {
  try {
    return await call();
  } catch (error) {
    const place = error instanceof Refusal && error.code === 'moved' ? error.attributes?.['movedTo'] : undefined;
    if (typeof place !== 'string' || !(error instanceof Refusal)) throw error;
    const body = errorBody(308, error.message, error.attributes);
    return new Answer(308, body, { location: place + path, 'cache-control': 'no-store' });
  }
}
