// The page of a RESULT_LINK: a result for readers who are not signed in.
import { PageHead } from '../../ui/layout/page.tsx';
import { outcomeWord } from '../../ui/checks/state.tsx';
import { Evidence } from './evidence.tsx';
import { LinkContext, type Linked } from './link.ts';
import { text } from './strings.ts';
import { Verdict } from './verdict.tsx';
import css from './result.module.css';

export function LinkedResultPage({ linked }: { readonly linked: Linked }) {
  const { result, localExpiresAt } = linked;
  // Results of test sessions are not part of the history of a check.
  const isTest = result.runSource.endsWith('_RECORD');
  return (
    <LinkContext value={linked}>
      <main className={css['linked']}>
        <PageHead title={`${result.name}: ${outcomeWord(result.outcome)}`} heading={result.name}>
          {!isTest && <a href={`/checks/${result.checkId}/results/${result.id}`}>{text.openSignedIn}</a>}
        </PageHead>
        <Verdict result={result} />
        <Evidence result={result} />
        <footer className={css['foot']}>
          {!isTest && <p>{text.signedInHelp}</p>}
          <p className="quiet">{text.linkHelp(localExpiresAt)}</p>
        </footer>
      </main>
    </LinkContext>
  );
}
