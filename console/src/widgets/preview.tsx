import type { NewWidget } from '@parlor/shared';
import { isRightToLeft } from '@parlor/shared/locales';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count, words } from '../locale/locale.ts';
import { widgetWords } from '../locale/widgets.ts';
import type { Shown, Told } from '../preview/messages.ts';
import { me } from '../session/session.ts';
import { Notice } from '../ui/notice.tsx';
import styles from './preview.module.css';
import { DEVICES, type Surroundings, SurroundingsBar, USUAL } from './surroundings.tsx';

/** A pause in writing (milliseconds) after which the preview follows. */
const PAUSE_MS = 250;

/** The line around a screen (CSS pixels). */
const EDGE = 1;

/** How far a device is scaled down to fit into the room that there is; a window is as large as there is room for. */
const useScale = ({ width: narrowest, height: least, bar }: (typeof DEVICES)[Surroundings['device']]) => {
  const room = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ scale: number; width: number; height: number }>({
    scale: 0,
    width: narrowest,
    height: least,
  });
  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return;
    const measure = () => {
      const clientWidth = element.clientWidth - 2 * EDGE;
      const clientHeight = element.clientHeight - 2 * EDGE;
      const width = bar ? Math.max(narrowest, clientWidth) : narrowest;
      const scale = Math.min(1, clientWidth / width, clientHeight / (least + bar));
      setSize({ scale, width, height: bar ? Math.floor(clientHeight / scale) - bar : least });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [narrowest, least, bar]);
  return { room, ...size };
};

/** The real widget with these settings, on a website, on a device. */
export const Preview = ({ settings, address }: { settings: NewWidget; address: string }) => {
  const t = widgetWords.value.preview;
  const [around, setAround] = useState<Surroundings>(USUAL);
  const [failure, setFailure] = useState('');
  const [reports, setReports] = useState(0);
  const [isStanding, setStanding] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const device = DEVICES[around.device];
  const { room, scale, width, height } = useScale(device);

  const { locale, scheme, isOpen } = around;
  const shown: Shown = {
    type: 'show',
    settings,
    locale,
    isRightToLeft: isRightToLeft(locale),
    scheme,
    isOpen,
    answer: { nickname: me.value?.name || 'Parlor', body: t.answer },
  };
  const latest = useRef(shown);
  latest.current = shown;
  // A page without an origin of its own can be named by no other; it gets nothing that is secret.
  const send = () => frame.current?.contentWindow?.postMessage(latest.current, '*');

  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<Told>) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      if (data.type === 'ready') {
        setFailure('');
        send();
      } else if (data.type === 'shown') setStanding(true);
      else if (data.type === 'open') setAround((before) => ({ ...before, isOpen: data.isOpen }));
      else if (data.type === 'failed') setFailure(data.why);
      else setReports(data.count);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);

  const key = JSON.stringify(shown);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    setFailure('');
    const timer = setTimeout(send, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key]);

  const src = `/console/preview/${around.site && `${around.site}/`}`;
  useEffect(() => setStanding(false), [src]);

  const size = { width: `${width * scale}px`, height: `${(height + device.bar) * scale}px` };
  return (
    <section class={styles.preview} aria-label={t.title}>
      <SurroundingsBar around={around} onChange={(change) => setAround({ ...around, ...change })} />
      <div class={styles.room} ref={room}>
        <div class={`${styles.device} ${device.bar ? styles.window : styles.hand}`} style={size}>
          <div
            class={styles.scaled}
            style={{ width: `${width}px`, transform: `scale(${scale})` }}
            data-is-standing={isStanding}
          >
            {device.bar > 0 && (
              <p class={styles.bar} dir="ltr" aria-hidden="true">
                <i />
                <i />
                <i />
                <span>{address}</span>
              </p>
            )}
            <iframe
              ref={frame}
              key={src}
              src={src}
              title={t.frame}
              sandbox="allow-scripts allow-forms"
              width={width}
              height={height}
            />
          </div>
        </div>
      </div>
      <p class={styles.facts}>
        {t.hint} {around.site === 'strict' && t.reports(count(reports))}
      </p>
      {!isStanding && !failure && (
        <p class="hidden" role="status">
          {words.value.common.loading}
        </p>
      )}
      {failure && <Notice>{t.failed(failure)}</Notice>}
    </section>
  );
};
