import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

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
  const [broken, setBroken] = useState('');
  if (!/^https?:/i.test(source) || broken === source)
    return children ? <span class={name}>{children}</span> : null;
  return <img class={name} src={source} alt="" onError={() => setBroken(source)} />;
}
