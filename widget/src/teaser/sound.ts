/** What comes within this time of what came before belongs to it, and makes no sound of its own. */
const QUIET_MS = 10_000;

let last = Number.NEGATIVE_INFINITY;

/**
 * A gentle sound, made on the spot: no file, so no exception in a page's policy. Many messages make one sound; and on
 * a page that nobody has touched yet, for which a browser makes none, there is none.
 */
export function chime(): void {
  const before = last;
  last = performance.now();
  if (last - before < QUIET_MS || !navigator.userActivation?.hasBeenActive) return;
  const context = new AudioContext();
  const volume = context.createGain();
  volume.connect(context.destination);
  volume.gain.setValueAtTime(0, context.currentTime);
  volume.gain.linearRampToValueAtTime(0.08, context.currentTime + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + 0.6);
  for (const [hertz, after] of [
    [660, 0],
    [880, 0.12],
  ] as const) {
    const tone = context.createOscillator();
    tone.type = 'sine';
    tone.frequency.value = hertz;
    tone.connect(volume);
    tone.start(context.currentTime + after);
    tone.stop(context.currentTime + 0.6);
    tone.onended = () => context.close().catch(() => {});
  }
}
