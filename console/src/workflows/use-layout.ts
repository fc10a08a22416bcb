import { useEffect, useRef, useState } from 'preact/hooks';
import { ChunkError, type Lack, loadChunk } from '../api/chunk.ts';
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

/** Starts it, and waits until it can be asked. @throws where its file does not come */
const startWorker = (): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const own = new Worker(address(), { type: 'module' });
    own.addEventListener('message', () => resolve(own), { once: true });
    own.addEventListener('error', () => {
      own.terminate();
      reject(new Error('The layout worker did not start.'));
    });
  });

/** A layout with the plan that it is of. */
export interface LaidOut {
  plan: Plan;
  layout: Layout;
}

/**
 * Where everything in a graph stands; the layout of before until the next one is there.
 * @param plan another object only where something in it is another
 */
export const useLayout = (plan: Plan) => {
  const [laidOut, setLaidOut] = useState<LaidOut | 'failed'>();
  const [worker, setWorker] = useState<Worker>();
  const [lack, setLack] = useState<Lack>();
  const [starts, setStarts] = useState(0);
  const turn = useRef(0);
  useEffect(() => {
    let own: Worker | undefined;
    let isLeft = false;
    const start = async () => {
      try {
        own = await loadChunk(startWorker);
        if (isLeft) own.terminate();
        own.addEventListener('error', () => setLaidOut('failed'));
        setWorker(own);
      } catch (error) {
        if (!(error instanceof ChunkError)) throw error;
        setLack(error.lack);
      }
    };
    void start();
    return () => {
      isLeft = true;
      own?.terminate();
    };
  }, [starts]);
  useEffect(() => {
    if (!worker) return;
    const own = ++turn.current;
    const take = ({ data }: MessageEvent<{ turn: number; layout: Layout }>) => {
      if (data.turn === own) setLaidOut({ plan, layout: data.layout });
    };
    const timer = setTimeout(() => worker.postMessage({ turn: own, plan }), PAUSE_MS);
    worker.addEventListener('message', take);
    return () => {
      clearTimeout(timer);
      worker.removeEventListener('message', take);
    };
  }, [plan, worker]);
  return {
    laidOut,
    /** Why it can't be laid out at all. */
    lack,
    retry: () => {
      setLack(undefined);
      setStarts(starts + 1);
    },
  };
};
