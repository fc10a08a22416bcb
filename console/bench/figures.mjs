/** How figures are summed up and printed. */

export const quantile = (samples, share) => {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};

/** The median, and what half of all samples are between. */
export const spread = (samples, digits = 0) => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => quantile(samples, share).toFixed(digits));
  return `${median} (${low} to ${high})`;
};

/** Frames of 60 a second are 16.7 ms apart; one that is this late was missed (milliseconds). */
const LATE_MS = 25;

/** Pauses between frames: their median, the largest but one in a hundred, and how many were missed. */
export const frames = (pauses) => {
  const late = pauses.filter((pause) => pause > LATE_MS).length;
  return `${quantile(pauses, 0.5).toFixed(1)}, p99 ${quantile(pauses, 0.99).toFixed(1)}, late ${((100 * late) / pauses.length).toFixed(1)} %`;
};

/** By how much samples, one a minute, grow in a minute: the slope of the line that fits them best. */
export const growth = (samples) => {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, one) => sum + one, 0) / samples.length;
  const slope = samples.reduce((sum, one, at) => sum + (at - middle) * (one - mean), 0);
  return slope / samples.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
};

export const say = (name, figure, promised = '') =>
  console.log(`${name.padEnd(58)}${figure.padStart(32)}   ${promised}`);
