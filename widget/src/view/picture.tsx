import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** A picture from the owner's settings; where there is none, or it does not load, what stands inside. */
export function Picture({
  source,
  class: name,
  children,
}: {
  source: string;
  class: string;
  children?: ComponentChildren;
}) {
  const broken = useSignal('');
  if (!/^https?:/i.test(source) || broken.value === source)
    return children ? <span class={name}>{children}</span> : null;
  return <img class={name} src={source} alt="" onError={() => (broken.value = source)} />;
}
