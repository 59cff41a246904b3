// Suggests the name that was probably meant.

/** The known name most similar to `name`, or null if none is similar enough. Case-insensitive. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const names = [...known];
  const wanted = name.slice(0, 64).toLowerCase();
  let best: string | null = null;
  let least = (wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best ?? beginningWith(wanted, names);
}

/** For abbreviations such as `upper` for `uppercase`: the shortest name with that prefix. */
function beginningWith(wanted: string, known: readonly string[]): string | null {
  if (wanted.length < 3) return null;
  const longer = known.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  return longer.sort((a, b) => a.length - b.length)[0] ?? null;
}

/** ` (did you mean X?)`, or an empty text. */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : ` (did you mean ${nearest}?)`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
