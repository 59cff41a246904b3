// The thread that processes responses. It measures nothing, so that this work delays no measurement.
import { parentPort } from 'node:worker_threads';
import { compileAssertion } from '../parts/assertions/assertion.ts';
import { type WorkMessage, workOn } from '../parts/findings/answer-work.ts';
import { createRedactor } from '../parts/redact.ts';

parentPort?.on('message', (message: WorkMessage) => {
  void answer(message).then((worked) => parentPort?.postMessage(worked));
});

function answer({ assertions, hidden, ...work }: WorkMessage) {
  const compiled = assertions.map((each) => {
    const assertion = compileAssertion(each, [each.source]);
    if (typeof assertion === 'string') throw new Error(assertion);
    return assertion;
  });
  return workOn({ ...work, assertions: compiled, redactor: createRedactor(hidden) });
}
