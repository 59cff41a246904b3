// Media queries as state.
import { useSyncExternalStore } from 'react';

/** Widths at which pages have one column and the navigation is at the bottom. */
export const phone = '(max-width: 760px)';

/** Whether a media query matches now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
