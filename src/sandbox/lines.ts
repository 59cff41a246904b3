// Text that comes in pieces, handed on a line at a time, however small or large the pieces are.
import { StringDecoder } from 'node:string_decoder';

/**
 * Takes pieces and hands on whole lines without their ends; what comes after a line that is too long is dropped.
 *
 * @param most characters of a line
 */
export function lineReader(
  most: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): (piece: string) => void {
  let parts: string[] = [];
  let length = 0;
  return (piece) => {
    let from = 0;
    while (length <= most && from <= piece.length) {
      const at = piece.indexOf('\n', from);
      const part = piece.slice(from, at < 0 ? undefined : at);
      length += part.length;
      if (length > most) return onTooLong();
      parts.push(part);
      if (at < 0) return;
      onLine(parts.join(''));
      parts = [];
      length = 0;
      from = at + 1;
    }
  };
}

/** Pieces of output. */
export interface OutputReader {
  read(chunk: Buffer): void;
  /** What was held back is handed on as well. */
  end(): void;
}

/**
 * Hands on output in pieces that end with a line as long as none is longer than `most` characters: characters and words
 * that come in two chunks stay whole.
 */
export function outputReader(most: number, onPiece: (piece: string) => void): OutputReader {
  const decoder = new StringDecoder('utf8');
  let held: string[] = [];
  let length = 0;
  const hand = (last: string): void => {
    const piece = held.join('') + last;
    held = [];
    length = 0;
    if (piece !== '') onPiece(piece);
  };
  return {
    read(chunk) {
      const text = decoder.write(chunk);
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) hand(text.slice(0, end));
      held.push(text.slice(end));
      length += text.length - end;
      if (length > most) hand('');
    },
    end: () => hand(decoder.end()),
  };
}
