// What the operations on records of one kind have in common: each noun adds its words and its bodies.
import { z } from 'zod';
import { pageQuery } from './paging.ts';

/** Records of one kind. */
interface Records<Params extends z.ZodObject, Shown extends z.ZodType> {
  /** Path of the list. */
  readonly path: `/${string}`;
  /** Of the path of a record: the last one names it. */
  readonly params: Params;
  /** A record in a response. */
  readonly shown: Shown;
  /** Why a record is not found. */
  readonly unknown: string;
}

/** List (paged), create, get, update and delete records, with the permissions `read` and `write`. */
export function usualOperations<Params extends z.ZodObject, Shown extends z.ZodType>(records: Records<Params, Shown>) {
  const { path, params, shown, unknown } = records;
  const one = {
    path: `${path}/{${Object.keys(params.shape).at(-1)}}`,
    params,
    alsoAnswers: { 404: unknown },
  } as const;
  return {
    list: { method: 'GET', path, permission: 'read', query: pageQuery, response: z.array(shown), isPaged: true },
    create: { method: 'POST', path, permission: 'write', status: 201, response: shown },
    get: { ...one, method: 'GET', permission: 'read', response: shown },
    update: { ...one, method: 'PUT', permission: 'write', response: shown },
    remove: { ...one, method: 'DELETE', permission: 'write', status: 204 },
  } as const;
}
