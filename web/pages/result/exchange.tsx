// The request and response, in full if stored.
import type { EvidenceSection, EvidenceText } from '#checks/show.ts';
import { CertificatePath } from '../../ui/checks/certificate.tsx';
import { evidenceOf, type Result } from '../../ui/checks/evidence.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { HeaderList } from '../../ui/layout/header-list.tsx';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { prettyBody } from '../../ui/text/http-text.ts';
import { Ping } from './ping.tsx';
import { text } from './strings.ts';
import css from './result.module.css';

export function Exchange({ result }: { readonly result: Result }) {
  const { ping, sections } = evidenceOf(result);
  return (
    <>
      {ping && <Ping result={result} ping={ping} />}
      {sections.map((section) => (
        <ExchangeSection key={section.title} section={section} />
      ))}
    </>
  );
}

function ExchangeSection({ section }: { readonly section: EvidenceSection }) {
  const { title, note, line, redirects = [], headers, texts = [], certificate, isShort } = section;
  const facts = (section.facts ?? []).filter(([, value]) => value !== null && value !== '');
  return (
    <Section title={title}>
      <div className={css['stack']}>
        {note != null && <p>{note}</p>}
        {line !== undefined && <p className={css['line']}>{line}</p>}
        {facts.length > 0 && <Facts facts={facts} />}
        {redirects.length > 0 && (
          <ol className={css['redirects']} aria-label={text.redirects}>
            {redirects.map(({ status, location }, index) => (
              <li key={index} className="mono">
                {status} → {location}
              </li>
            ))}
          </ol>
        )}
        {headers && <HeaderList headers={headers} name={title} isOpen />}
        {texts.map((each) => (
          <Text key={each.label} {...each} />
        ))}
        {certificate && <CertificatePath certificate={certificate} />}
        {isShort && <p className="quiet">{text.notStored}</p>}
      </div>
    </Section>
  );
}

function Text({ label, text: content, look, isBody, isBinary, isTruncated }: EvidenceText) {
  if (content === '') return isBody ? <p className="quiet">{text.emptyBody}</p> : null;
  const code = <Code label={label} text={isBody && !isBinary && !isTruncated ? prettyBody(content) : content} />;
  if (look === 'folded') {
    return (
      <details className={css['details']}>
        <summary>{label}</summary>
        {code}
      </details>
    );
  }
  return (
    <>
      {isBinary && <p className="quiet">{text.binary}</p>}
      {isTruncated && <p className="quiet">{text.truncated}</p>}
      {look === 'titled' ? (
        <div>
          <h3>{label}</h3>
          {code}
        </div>
      ) : (
        code
      )}
    </>
  );
}
