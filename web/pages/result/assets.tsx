// Screenshots, traces and videos of a result, fetched with the account and shown from memory.
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { use, useEffect, useMemo, useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { ErrorMessage, Skeleton } from '../../ui/layout/feedback.tsx';
import { bytes } from '../../ui/text/format.ts';
import { Section } from '../../ui/layout/page.tsx';
import type { Result } from '../../ui/checks/evidence.ts';
import { toast } from '../../ui/layout/toast.tsx';
import { LinkContext } from './link.ts';
import { text } from './strings.ts';
import css from './result.module.css';

type Asset = AnswerOf<'listResultAssets'>[number];

interface AssetProps {
  readonly result: Result;
  readonly asset: Asset;
}

interface AssetsProps {
  readonly result: Result;
  readonly assets: readonly Asset[];
}

export function Screenshots({ result, assets }: AssetsProps) {
  const linked = use(LinkContext);
  const pictures = assets.filter(({ sort }) => sort === 'screenshot');
  if (pictures.length === 0) return null;
  return (
    <Section title={text.screenshots}>
      <div className={css['pictures']}>
        {pictures.map((asset) => (
          <figure key={asset.number} className={css['picture']}>
            {linked === null ? <Screenshot result={result} asset={asset} /> : <LinkedScreenshot asset={asset} />}
            <figcaption>{asset.name}</figcaption>
          </figure>
        ))}
      </div>
    </Section>
  );
}

/** Traces and videos. */
export function Files({ result, assets }: AssetsProps) {
  const linked = use(LinkContext);
  const files = assets.filter(({ sort }) => sort !== 'screenshot');
  if (files.length === 0) return null;
  return (
    <Section title={text.files}>
      <ul className={css['files']}>
        {files.map((asset) => (
          <li key={asset.number}>
            {linked === null ? (
              <File result={result} asset={asset} />
            ) : (
              <div className={css['file']}>
                <FileName asset={asset} /> <code>GET {asset.link}</code>
              </div>
            )}
          </li>
        ))}
      </ul>
      {linked !== null && <p className="quiet">{text.filesNeedKey}</p>}
      {files.some(({ sort }) => sort === 'trace') && <p className="quiet">{text.traceHelp}</p>}
    </Section>
  );
}

function useLoad({ result, asset }: AssetProps): () => Promise<Blob> {
  const client = clientOf(use(AccountContext));
  return async () => {
    const content = await client.call('getResultAsset', {
      params: { checkId: result.checkId, checkResultId: result.id, number: asset.number },
    });
    return new Blob([content as Uint8Array<ArrayBuffer>], { type: asset.contentType });
  };
}

/** URL of a blob while it is shown. */
function useObjectUrl(blob: Blob | undefined): string | undefined {
  const url = useMemo(() => (blob === undefined ? undefined : URL.createObjectURL(blob)), [blob]);
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url]);
  return url;
}

function Screenshot({ result, asset }: AssetProps) {
  const accountId = use(AccountContext);
  const load = useLoad({ result, asset });
  const picture = useQuery({
    queryKey: [accountId, 'getResultAsset', { checkId: result.checkId, id: result.id, number: asset.number }],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(picture.data);
  if (picture.error) return <ErrorMessage error={picture.error} />;
  return url === undefined ? <Skeleton lines={1} height={200} /> : <img src={url} alt={text.screenshot(asset.name)} />;
}

function LinkedScreenshot({ asset: { number, name } }: Pick<AssetProps, 'asset'>) {
  const address = `${location.pathname}/screenshots/${number}`;
  return (
    <a href={address}>
      <img src={address} alt={text.screenshot(name)} loading="lazy" />
    </a>
  );
}

function File({ result, asset }: AssetProps) {
  const load = useLoad({ result, asset });
  const [isLoading, setLoading] = useState(false);
  const [video, setVideo] = useState<Blob>();
  const url = useObjectUrl(video);
  const fetchFile = async (use: (blob: Blob) => void): Promise<void> => {
    setLoading(true);
    try {
      use(await load());
    } catch (error) {
      toast.fault(error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <>
      <div className={css['file']}>
        <FileName asset={asset} />
        {asset.sort === 'video' && url === undefined && (
          <Button isDisabled={isLoading} onPress={() => void fetchFile(setVideo)}>
            {text.playVideo}
          </Button>
        )}
        <Button isDisabled={isLoading} onPress={() => void fetchFile((blob) => saveFile(blob, formatName(asset)))}>
          <Download size={15} aria-hidden /> {isLoading ? text.downloading : text.download}
        </Button>
      </div>
      {url !== undefined && (
        // The recording has no sound and no speech.
        // oxlint-disable-next-line jsx-a11y/media-has-caption
        <video src={url} controls className={css['video']} aria-label={asset.name} />
      )}
    </>
  );
}

function FileName({ asset: { sort, name, bytes: size } }: Pick<AssetProps, 'asset'>) {
  return (
    <span>
      {sort === name ? sort : `${sort}: ${name}`} <span className="quiet">{bytes(size)}</span>
    </span>
  );
}

const endings: Readonly<Record<Asset['contentType'], string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'application/zip': 'zip',
  'video/webm': 'webm',
};

function formatName({ sort, number, contentType }: Asset): string {
  return `${sort}-${number}.${endings[contentType]}`;
}
