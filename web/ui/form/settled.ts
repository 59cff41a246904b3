// What is entered, once no key was pressed for a moment.
import { useEffect, useState } from 'react';

/** Pause after the last key, ms. */
const pauseMs = 400;

/** The text as it was when it last rested. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
