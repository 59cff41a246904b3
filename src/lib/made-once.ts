// What is made of an object once and is as good as long as the object lives.

/**
 * Keeps it on the object itself: a WeakMap says the same, and costs more than a microsecond for an object that is soon gone.
 *
 * @param make throws as often as it is asked
 */
export function madeOnce<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = Symbol('made');
  return (of: Of & { [made]?: { readonly value: Made } }) => (of[made] ??= { value: make(of) }).value;
}
