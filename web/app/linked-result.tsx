// Replaces the facts of a RESULT_LINK, which the server wrote into the document, with the page of the result.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { AnswerOf } from '#contract/operations.ts';

/** Without the data or the code of the page, the facts stay. */
export async function showLinkedResult(root: Element): Promise<void> {
  const loading = Promise.all([import('../pages/result/linked.tsx'), readLinkedResult()]);
  const loaded = await loading.catch(() => null);
  if (loaded === null) return;
  const [{ LinkedResultPage }, linked] = loaded;
  // The style of the facts.
  document.querySelector('head > style')?.remove();
  createRoot(root).render(
    <StrictMode>
      <LinkedResultPage linked={linked} />
    </StrictMode>,
  );
}

async function readLinkedResult(): Promise<AnswerOf<'getLinkedResult'>> {
  // Not from the root of the server: a proxy may add a path in front.
  const response = await fetch(`${location.pathname}/result`);
  if (!response.ok) throw new Error(`the result was refused with ${response.status}`);
  return (await response.json()) as AnswerOf<'getLinkedResult'>;
}
