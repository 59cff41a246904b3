// Steps, output and screenshots of a script that is tried, while it runs and when it has ended.
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { OutputLines } from '../../ui/checks/output-lines.tsx';
import { milliseconds, withoutColours } from '../../ui/text/format.ts';
import { text } from './strings.ts';
import type { Progress } from './use-trial.ts';
import css from './check-editor.module.css';

/** Maximum number of steps shown, the latest. */
const stepsMost = 100;

export function ScriptRun({ progress }: { readonly progress: Progress }) {
  const { steps, openStep, jobLog, pageLines, screenshots, isCut } = progress;
  const shown = steps.slice(-stepsMost);
  return (
    <>
      {(steps.length > 0 || openStep !== null) && (
        <section>
          <h3>{text.steps}</h3>
          {shown.length < steps.length && <p className="quiet">{text.earlierSteps(steps.length - shown.length)}</p>}
          <ol className={css['outcomes']}>
            {shown.map(({ title, durationMs, error }, index) => (
              <li key={index} data-passed={error === null}>
                {error === null ? (
                  <CircleCheck size={15} aria-label={text.stepPassed} />
                ) : (
                  <CircleX size={15} aria-label={text.stepFailed} />
                )}
                <span>
                  {title} <span className="quiet">{milliseconds(durationMs)}</span>
                  {error !== null && (
                    <span className={css['stepError']}>{withoutColours(error).split('\n', 1)[0]}</span>
                  )}
                </span>
              </li>
            ))}
            {openStep !== null && (
              <li>
                <LoaderCircle size={15} aria-label={text.stepOpen} className={css['spin']} />
                <span>{openStep}</span>
              </li>
            )}
          </ol>
        </section>
      )}
      {[
        { title: text.output, lines: jobLog },
        { title: text.pageOutput, lines: pageLines },
      ].map(({ title, lines }) =>
        lines.length === 0 ? null : (
          <section key={title}>
            <h3>{title}</h3>
            <OutputLines label={title} lines={lines} />
          </section>
        ),
      )}
      {screenshots.map(({ name, contentType, content }, index) => (
        <figure key={index} className={css['shot']}>
          <img src={`data:${contentType};base64,${content}`} alt={name} className={css['picture']} />
          <figcaption className="quiet">{name}</figcaption>
        </figure>
      ))}
      {isCut && <p className="quiet">{text.moreAtEnd}</p>}
    </>
  );
}
