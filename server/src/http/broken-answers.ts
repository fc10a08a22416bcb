import type { Logger } from 'pino';

/** What Node.js calls a request that its client sends wrongly, too slowly or not to its end, or whose answer it leaves. */
const CLIENTS_OWN = /^(HPE_\w+|ERR_HTTP_REQUEST_TIMEOUT|ERR_STREAM_PREMATURE_CLOSE|ECONNRESET|EPIPE)$/;

/** Logs what breaks a response off: it is a warning where it is not for the client alone to break it. */
export const logBrokenAnswers =
  (log: Logger) =>
  (error: NodeJS.ErrnoException): void => {
    const { code = '', message } = error;
    if (CLIENTS_OWN.test(code)) log.info({ code, reason: message }, 'a client broke its request off');
    else log.warn({ err: error }, 'answer broke off');
  };
