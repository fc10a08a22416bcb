import { useEffect, useRef, useState } from 'preact/hooks';
import type { Layout, Plan } from './layout.ts';
import file from './layout-worker.ts?worker&url';

/** Several changes within this time are laid out together (milliseconds). */
const PAUSE_MS = 60;

/** The one script that the console starts beside its page; its policy lets it make this address and no other. */
const address = (): string => {
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(): string }): Policy };
  };
  policy ??= trustedTypes?.createPolicy('layout', { createScriptURL: () => file });
  return policy?.createScriptURL(file) ?? file;
};

interface Policy {
  createScriptURL(address: string): string;
}

let policy: Policy | undefined;

/** A layout with the plan that it is of. */
export interface LaidOut {
  plan: Plan;
  layout: Layout;
}

/**
 * Where everything in a graph stands; the layout of before until the next one is there.
 * @param plan another object only where something in it is another
 */
export const useLayout = (plan: Plan): LaidOut | 'failed' | undefined => {
  const [laidOut, setLaidOut] = useState<LaidOut | 'failed'>();
  const worker = useRef<Worker>(undefined);
  const turn = useRef(0);
  useEffect(() => {
    const own = new Worker(address(), { type: 'module' });
    worker.current = own;
    own.addEventListener('error', () => setLaidOut('failed'));
    return () => own.terminate();
  }, []);
  useEffect(() => {
    const own = ++turn.current;
    const take = ({ data }: MessageEvent<{ turn: number; layout: Layout }>) => {
      if (data.turn === own) setLaidOut({ plan, layout: data.layout });
    };
    const timer = setTimeout(() => worker.current?.postMessage({ turn: own, plan }), PAUSE_MS);
    worker.current?.addEventListener('message', take);
    return () => {
      clearTimeout(timer);
      worker.current?.removeEventListener('message', take);
    };
  }, [plan]);
  return laidOut;
};
