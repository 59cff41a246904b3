// Icons of states, which differ in shape as well as in colour, and the hatching of gaps.
import type { ServiceState } from '#domain/status-pages/service-state.ts';
import { type Html, markup } from '#lib/markup/html.ts';

/** Defines them once per document. */
export const icons = markup`<svg width="0" height="0" aria-hidden="true" class="skip"><defs>
<pattern id="gaps" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4"/><path d="M-1 5 5-1M-1 1 1-1M3 5 5 3"/></pattern>
<symbol id="i-operational" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5"/><path d="m5 8.2 2.1 2.1L11.2 6"/></symbol>
<symbol id="i-maintenance" viewBox="0 0 16 16"><path d="M9.6 4.9a3.3 3.3 0 0 1 4.3-2L11.8 5l.3 1.4 1.4.3 1.6-2a3.3 3.3 0 0 1-4.5 3.8L5.2 14A1.7 1.7 0 0 1 2.600 11.600L8.900 6.300a3.300 3.300 0 0 1 .7-1.400z"/></symbol>
<symbol id="i-unknown" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" stroke-dasharray="2.6 2.5"/><path d="M6.300 6.300a1.750 1.750 0 1 1 2.600 1.500c-.600.350-.900.700-.900 1.400M8 11.300v.05"/></symbol>
<symbol id="i-degraded" viewBox="0 0 16 16"><path d="M8 1.900 15 14H1zM8 6.300v3.400M8 11.800v.05"/></symbol>
<symbol id="i-outage" viewBox="0 0 16 16"><path d="M5.200 1.500h5.600l3.700 3.700v5.600l-3.700 3.700H5.200l-3.700-3.700V5.200zM5.700 5.700l4.600 4.600M10.300 5.700l-4.600 4.600"/></symbol>
</defs></svg>`;

/** The icon of a state; the word stands beside it. */
export function stateIcon(state: ServiceState): Html {
  return markup`<svg class="icon" aria-hidden="true"><use href="#i-${state}"/></svg>`;
}
