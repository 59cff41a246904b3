// What a PostgreSQL server sends, cut into messages: a letter, a length that counts itself, and that much.

/** Cuts what a server sends on one connection into messages. */
export interface Answers {
  /**
   * The messages that are whole now, one behind the other; what is not whole yet is kept for the next call.
   *
   * @param chunk what came next
   */
  read(chunk: Buffer): readonly Buffer[];
}

const headLength = 5;
/** What a client asks first when it would like to encrypt: the answer is one letter without a length. */
const encryptionAsked = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param first what the client sent first */
export function createAnswers(first: Buffer): Answers {
  let rest: Buffer = Buffer.alloc(0);
  let letters = first.subarray(0, encryptionAsked.length).equals(encryptionAsked) ? 1 : 0;
  return {
    read(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const messages: Buffer[] = [];
      for (;;) {
        const length = letters > 0 ? letters : lengthOf(rest);
        if (length === null || rest.length < length) return messages;
        letters = 0;
        messages.push(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    },
  };
}

function lengthOf(bytes: Buffer): number | null {
  return bytes.length < headLength ? null : 1 + bytes.readUInt32BE(1);
}

/** Whether it tells that a transaction was committed; one that had failed is answered ROLLBACK. */
export function isCommitted(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'C' && message.toString('latin1', headLength) === 'COMMIT\0';
}

/** Whether it tells that the server waits for a statement, and is in no transaction. */
export function isIdle(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', headLength) === 'I';
}
