// What a client needs of each operation; the build replaces this file by a table without schemas (`tooling/build.ts`).
import type { CalledOperation } from './caller.ts';
import type { Operation } from './operation.ts';
import { type OperationId, operationOf } from './operations.ts';

/** Returns the parts of an operation that a call needs, and whether it is a paged list. */
export const calledOperation: (id: OperationId) => CalledOperation & Pick<Operation, 'isPaged'> = operationOf;
