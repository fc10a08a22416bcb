import type { Handler } from '../../http/context.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { agentPrincipal, workflowOf } from './principal.ts';

/** What start hands out in its response, and a caller shows again with the messages of that conversation. */
export const CLIENT_HEADER = 'Parlor-Client';

/**
 * The secret of each conversation. Many callers share a workflow's public key: by this one alone is the caller
 * that started a conversation told from the others. It is derived, so that nothing of it is stored.
 */
export class ClientSecrets {
  readonly #secrets: Pick<Secrets, 'fingerprint' | 'verify'>;

  constructor(secrets: Pick<Secrets, 'fingerprint' | 'verify'>) {
    this.#secrets = secrets;
  }

  /** Puts the secret beside the response of a start, a replayed one too. */
  readonly handOut: Handler = async (ctx, next) => {
    await next();
    const body: unknown = typeof ctx.body === 'string' ? JSON.parse(ctx.body) : ctx.body;
    const { conversationId } = body as { conversationId: string };
    ctx.set(CLIENT_HEADER, this.#secrets.fingerprint('conversation-client', conversationId));
  };

  /**
   * Marks a request whose caller shows the secret of the conversation in the path.
   * @throws ParlorError `malformed` when it shows another one.
   */
  readonly recognise: Handler = async (ctx, next) => {
    const shown = ctx.get(CLIENT_HEADER);
    if (shown !== '') {
      const conversation = String(ctx.params.conversation);
      if (!this.#secrets.verify('conversation-client', conversation, shown)) {
        throw new ParlorError('malformed', `${CLIENT_HEADER} is not the secret of this conversation.`);
      }
      ctx.state.principal = agentPrincipal(workflowOf(ctx), conversation);
    }
    await next();
  };
}
