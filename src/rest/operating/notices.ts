// Route of notices (decisions: Resources of our own).
import type { NoticeActions } from '#actions/operating/notices.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function noticeRoutes(actions: NoticeActions): Route[] {
  return [
    route('listNotices', async ({ caller }) =>
      (await actions.list(caller)).map(({ since, ...notice }) => ({ ...notice, since: isoText(since) })),
    ),
  ];
}
