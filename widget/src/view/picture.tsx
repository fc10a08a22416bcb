import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** The first of some pictures, of members or the owner's settings, that loads; where none does, what stands inside. */
export function Picture({
  sources,
  class: name,
  children,
}: {
  sources: readonly (string | null | undefined)[];
  class: string;
  children?: ComponentChildren;
}) {
  const broken = useSignal<readonly string[]>([]);
  const source = sources.find((one) => /^https?:/i.test(one ?? '') && !broken.value.includes(one as string));
  if (!source) return children ? <span class={name}>{children}</span> : null;
  return <img class={name} src={source} alt="" onError={() => (broken.value = [...broken.value, source])} />;
}
