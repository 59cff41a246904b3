// Short messages about completed actions, at the edge of the page.
import { useSyncExternalStore } from 'react';
import { CircleCheck, CircleX, X } from 'lucide-react';
import { Button, IconButton } from '../controls/button.tsx';
import { faultText } from './feedback.tsx';
import css from './toast.module.css';

interface Message {
  readonly id: number;
  readonly text: string;
  readonly isFault: boolean;
  readonly undo: (() => void) | null;
}

let messages: readonly Message[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

function close(id: number): void {
  change(messages.filter((message) => message.id !== id));
}

function show(text: string, isFault: boolean, undo: (() => void) | null = null, forMs?: number): void {
  const id = ++count;
  change([...fewest(messages), { id, text, isFault, undo }]);
  setTimeout(() => close(id), forMs ?? (isFault || undo ? 12_000 : 5000));
}

/** At most two of the messages: those that can take something back go last. */
function fewest(all: readonly Message[]): readonly Message[] {
  if (all.length < 3) return all;
  const gone = all.find(({ undo }) => undo === null) ?? all[0];
  return fewest(all.filter((message) => message !== gone));
}

export const toast = {
  /** Shows a success, with a button that takes it back. @param forMs how long; absent = some seconds */
  done: (text: string, undo?: () => void, forMs?: number): void => show(text, false, undo, forMs),
  /** Shows what did not succeed. */
  problem: (text: string): void => show(text, true),
  /** Shows an error. */
  fault: (error: unknown): void => show(faultText(error), true),
  /** Waits for a promise, then shows success or the error. Never rejects. */
  async of(work: Promise<unknown>, done: string, undo?: () => void): Promise<void> {
    try {
      await work;
      show(done, false, undo);
    } catch (error) {
      show(faultText(error), true);
    }
  },
};

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => messages,
  );
  return (
    <div className={css['toasts']} role="status">
      {shown.map(({ id, text, isFault, undo }) => (
        <p key={id} className={`${css['toast']} ${isFault ? css['fault'] : ''}`}>
          {isFault ? <CircleX size={16} aria-hidden /> : <CircleCheck size={16} aria-hidden />}
          <span>{text}</span>
          {undo && (
            <Button
              kind="quiet"
              onPress={() => {
                close(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <IconButton label="Close" onPress={() => close(id)}>
            <X size={14} />
          </IconButton>
        </p>
      ))}
    </div>
  );
}
