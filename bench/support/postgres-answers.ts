// Splits a PostgreSQL server's stream into messages: a type byte, a length that includes itself, and the payload.

/** Splits the stream of one connection into messages. */
export interface Answers {
  /**
   * Returns the complete messages; incomplete data is kept for the next call.
   *
   * @param chunk next bytes
   */
  read(chunk: Buffer): readonly Buffer[];
}

const headLength = 5;
/** First message of a client that requests encryption; the response is one letter without a length. */
const encryptionAsked = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param first first bytes of the client */
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

/** Whether it confirms a commit; a failed transaction returns ROLLBACK. */
export function isCommitted(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'C' && message.toString('latin1', headLength) === 'COMMIT\0';
}

/** Whether the server is ready for a statement and not in a transaction. */
export function isIdle(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', headLength) === 'I';
}
