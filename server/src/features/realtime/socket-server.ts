import { MAX_FRAME_BYTES } from '@parlor/shared';
import { type ServerOptions, WebSocketServer } from 'ws';

/** Each fragment is the same work, whatever its size, and a message counts once against the limit of frames. */
const MAX_FRAGMENTS = 64;

/** A closed socket whose client does not answer, or goes on sending, is cut off then. */
const CUT_OFF_AFTER_MS = 5_000;

/** Its types do not know of `closeTimeout` yet. */
const OPTIONS: ServerOptions & { closeTimeout: number } = {
  noServer: true,
  clientTracking: false,
  // Measured: it costs each connection more memory than short frames save bytes.
  perMessageDeflate: false,
  maxPayload: MAX_FRAME_BYTES,
  maxFragments: MAX_FRAGMENTS,
  closeTimeout: CUT_OFF_AFTER_MS,
};

/** Takes WebSockets whose upgrade was accepted, within the limits of docs/realtime.md. */
export const createSocketServer = (): WebSocketServer => new WebSocketServer(OPTIONS);
