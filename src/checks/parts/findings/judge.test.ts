// Which verdicts depend on time, and how much delay of our own they tolerate.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compileAssertion } from '../assertions/assertion.ts';
import { streamFault, timeoutFault } from '../connection/fault.ts';
import { judgeAssertions, judgeTime } from './judge.ts';

const compiled = (source: 'STATUS_CODE' | 'RESPONSE_TIME', comparison: string, target: string) => {
  const assertion = compileAssertion({ source, comparison, target, property: '', regex: '' }, [source]);
  return typeof assertion === 'string' ? assert.fail(assertion) : assertion;
};
const isFast = compiled('RESPONSE_TIME', 'LESS_THAN', '100');
const isFound = compiled('STATUS_CODE', 'EQUALS', '200');
const late = { passed: false, actual: '140', problem: null };
const missing = { passed: false, actual: '404', problem: null };

test('a slow response, a timeout and a closed connection depend on time; a pass does not', () => {
  const limits = { degradedResponseTime: 100, maxResponseTime: 200 };
  assert.equal(judgeTime(230, limits).timeMarginMs, 30);
  assert.equal(judgeTime(110, limits).timeMarginMs, 10);
  assert.equal(judgeTime(100, limits).timeMarginMs, undefined);
  const messageOf = (ms: number, degradedResponseTime: number) =>
    judgeTime(ms, { degradedResponseTime, maxResponseTime: 20_000 }).message;
  assert.equal(messageOf(3516.2, 1000), 'answered after 3.52 s, degraded above 1 s');
  assert.equal(messageOf(12_310, 12_300), 'answered after 12310 ms, degraded above 12.3 s');
  assert.equal(timeoutFault(200, 'connect', 'a:1').timeMarginMs, 100);
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  assert.equal(streamFault(reset, 'a:1', 'download', 3).timeMarginMs, 500);
});

test('failed assertions depend on time only if all of them are about time', () => {
  assert.equal(judgeAssertions([isFast], [late])?.timeMarginMs, 40);
  assert.equal(judgeAssertions([isFast, isFound], [late, { ...missing, passed: true }])?.timeMarginMs, 40);
  const both = judgeAssertions([isFast, isFound], [late, missing]);
  assert.equal(both?.timeMarginMs, undefined);
  assert.equal(both?.message, 'expected status code to equal 200, got 404 (and 1 more failed)');
  assert.equal(judgeAssertions([isFast], [{ ...late, passed: true }]), null);
});
