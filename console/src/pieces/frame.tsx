import { type ComponentChildren, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import styles from './pieces.module.css';

/** A window of its own, for what covers a whole one, or looks otherwise in a narrow one. */
export const Frame = ({
  title,
  size,
  direction,
  children,
}: {
  title: string;
  size: 'desk' | 'phone';
  direction: 'ltr' | 'rtl';
  children: ComponentChildren;
}) => {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (!page) return;
    page.documentElement.lang = document.documentElement.lang;
    page.documentElement.dir = direction;
    const copies = [...document.head.querySelectorAll('style')].map((style) => style.cloneNode(true));
    page.head.replaceChildren(...copies);
    page.title = title;
    render(children, page.body);
    return () => render(null, page.body);
  }, [direction]);
  return (
    <iframe ref={frame} class={`${styles.frame} ${styles[size] ?? ''}`} title={title} data-frame={title} />
  );
};
