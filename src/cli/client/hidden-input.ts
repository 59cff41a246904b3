// Reads a secret from the terminal without showing it, or from stdin.
import { CommandError } from '../exits.ts';

/** Longest secret, characters. */
const longest = 1000;

/** Asks on the terminal; typed characters are not shown. @throws {CommandError} if it is cancelled with Ctrl-C or Ctrl-D */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // What is typed as soon as the question appears must not be shown either.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.resume();
  try {
    let typed = '';
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      for (const character of chunk.toString('utf8')) {
        if (character === '\u0003' || character === '\u0004') throw new CommandError('cancelled');
        if (character === '\r' || character === '\n') return typed;
        typed = character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
        if (typed.length > longest) throw new CommandError('the key is too long');
      }
    }
    throw new CommandError('cancelled');
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** Everything that stdin contains, without white space around it. */
export async function readStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > longest) throw new CommandError('the key on stdin is too long');
  }
  return text.trim();
}
