// Reads one text as a module, types taken out, as the Node.js of a script would; and tells what it found.
import { stripTypeScriptTypes } from 'node:module';
import { SourceTextModule } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { ScriptFault } from '#domain/script.ts';

parentPort?.postMessage(faultOf(workerData as string));

function faultOf(text: string): ScriptFault | null {
  try {
    // Types become blanks: lines and columns stay.
    const plain = stripTypeScriptTypes(text, { mode: 'strip' });
    void new SourceTextModule(plain);
    return null;
  } catch (error) {
    return described(error);
  }
}

/** Whoever takes the types out says where in the stack: the line above the words, the column by a mark below the line. */
function described(error: unknown): ScriptFault {
  if (!(error instanceof SyntaxError)) return { message: 'it is too deep or too large to be read' };
  const message = firstLine(error.message);
  const [first = '', ...lines] = (error.stack ?? '').split('\n');
  const line = /^\S*:(\d+)$/.exec(first)?.[1];
  if (line === undefined) return { message };
  const mark = lines.find((each) => /^\s*\^/.test(each));
  return { message, line: Number(line), column: (mark?.indexOf('^') ?? 0) + 1 };
}

function firstLine(message: string): string {
  const line = message.split('\n').find((each) => each.trim() !== '');
  return line?.trim().slice(0, 300) ?? 'it cannot be read';
}
