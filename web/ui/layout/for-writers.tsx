// Keeps forms from people whose changes would be refused.
import type { RouteComponent } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { Empty } from './feedback.tsx';

/** The page for people who may change the account, and one sentence for others. */
export function forWriters(Page: RouteComponent): RouteComponent {
  const Gate = () => (useMay().write ? <Page /> : <Empty title="You may read this account, but not change it." />);
  // The router finds there how to preload it.
  return Object.assign(Gate, Page);
}
