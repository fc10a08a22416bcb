import { type Logger, pino } from 'pino';
import { LogOutput } from './log-output.ts';

const STDERR = 2;

const output = new LogOutput(STDERR);
process.on('exit', () => output.flushSync());

/**
 * JSON lines on stderr (docs/contract.md#operation); what may carry a secret is cut out wherever it turns up.
 */
export const createLog = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['*.password', '*.token', '*.secret', '*.authorization', 'err.config'],
        censor: '***',
      },
      serializers: {
        // An error of the driver carries the whole command, with what people wrote: name, text, stack are enough.
        err: ({ name, message, stack, code }: Error & { code?: unknown }) => ({ name, message, code, stack }),
      },
    },
    output,
  );
