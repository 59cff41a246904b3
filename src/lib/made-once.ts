// What is made of an object once and is as good as long as the object lives.

/**
 * Keeps it on the object itself, which must not be frozen: a WeakMap says the same, and costs more than a microsecond for an object
 * that is soon gone. A copy of the object has something made of its own.
 *
 * @param make throws as often as it is asked
 */
export function madeOnce<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = Symbol('made');
  return (of: Of & { [made]?: { readonly of: Of; readonly value: Made } }) => {
    const kept = of[made];
    if (kept?.of === of) return kept.value;
    const value = make(of);
    of[made] = { of, value };
    return value;
  };
}
