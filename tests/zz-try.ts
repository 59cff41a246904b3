import { startPostgres } from './support/postgres.ts';
import { readPostgresAddress } from '#store/postgres/address.ts';
import { openPostgresStore } from '#store/store.ts';
let t = performance.now();
const lap = (w: string) => {
  console.log(w, (performance.now() - t).toFixed(0));
  t = performance.now();
};
const s = await startPostgres();
lap('start');
for (let i = 0; i < 3; i++) {
  const d = await s.newDatabase();
  lap('create');
  const stores = await Promise.all(
    [1, 2, 3].map(() =>
      openPostgresStore({
        address: readPostgresAddress(d.url),
        secretKey: new Uint8Array(32).fill(7),
        clock: { now: () => Date.now() },
      }),
    ),
  );
  lap('open 3');
  await stores[0]!.gaps.signOfLife();
  lap('sign');
  await Promise.all(Array.from({ length: 50 }, (_, i) => stores[i % 3]!.gaps.signOfLife()));
  lap('50 signs');
  for (const st of stores) await st.close();
  await d.drop();
  lap('drop');
}
await s.stop();
lap('stop');
