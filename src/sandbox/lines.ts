// Splits chunked text into lines, for chunks of any size.
import { StringDecoder } from 'node:string_decoder';

/**
 * Calls back for each complete line, without its end. The rest of an overlong line is dropped.
 *
 * @param max maximum characters of a line
 */
export function lineReader(
  max: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): (piece: string) => void {
  let parts: string[] = [];
  let length = 0;
  return (piece) => {
    let from = 0;
    while (length <= max && from <= piece.length) {
      const at = piece.indexOf('\n', from);
      const part = piece.slice(from, at < 0 ? undefined : at);
      length += part.length;
      if (length > max) return onTooLong();
      parts.push(part);
      if (at < 0) return;
      onLine(parts.join(''));
      parts = [];
      length = 0;
      from = at + 1;
    }
  };
}

export interface OutputReader {
  read(chunk: Buffer): void;
  /** Flushes the pending text. */
  end(): void;
}

/**
 * Passes on output in pieces that end with a line, if no line is longer than `max` characters, so that characters and
 * words are not split between chunks.
 */
export function outputReader(max: number, onPiece: (piece: string) => void): OutputReader {
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
      if (length > max) hand('');
    },
    end: () => hand(decoder.end()),
  };
}
