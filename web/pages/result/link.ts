// What a RESULT_LINK permits, for parts of the page that otherwise read more.
import { createContext } from 'react';
import type { AnswerOf } from '#contract/operations.ts';

export type Linked = AnswerOf<'getLinkedResult'>;

/** null = the reader is signed in. */
export const LinkContext = createContext<Linked | null>(null);
