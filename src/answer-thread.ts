// Works on the answers that probes have received: a thread that times nothing, so that work delays no measurement.
import { parentPort } from 'node:worker_threads';
import { compileAssertion } from '#checks/assertions/assertion.ts';
import { type WorkMessage, workOn } from '#checks/findings/answer-work.ts';
import { redactorOf } from '#checks/redact.ts';

parentPort?.on('message', (message: WorkMessage) => {
  void answer(message).then((worked) => parentPort?.postMessage(worked));
});

function answer({ assertions, patterns, longest, ...work }: WorkMessage) {
  const compiled = assertions.map((each) => {
    const assertion = compileAssertion(each, [each.source]);
    if (typeof assertion === 'string') throw new Error(assertion);
    return assertion;
  });
  const redactor = redactorOf(
    patterns.map((source) => new RegExp(source, 'gi')),
    longest,
  );
  return workOn({ ...work, assertions: compiled, redactor });
}
