const open = new Set<PretendSocket>();

/** Stands in for the live channel: it is ready at once, and says what `pushFrame` is given. */
export class PretendSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 3;
  readyState: number = PretendSocket.CONNECTING;
  onopen: (() => void) | undefined;
  onmessage: ((event: { data: string }) => void) | undefined;
  onclose: ((event: { code: number }) => void) | undefined;

  constructor() {
    setTimeout(() => {
      if (this.readyState !== PretendSocket.CONNECTING) return;
      this.readyState = PretendSocket.OPEN;
      open.add(this);
      this.onopen?.();
    });
  }

  send(text: string): void {
    const { type } = JSON.parse(text) as { type: string };
    if (type === 'auth') this.onmessage?.({ data: JSON.stringify({ type: 'ready', after: '0' }) });
    if (type === 'ping') this.onmessage?.({ data: JSON.stringify({ type: 'pong' }) });
  }

  close(): void {
    this.readyState = PretendSocket.CLOSED;
    open.delete(this);
    this.onclose?.({ code: 1000 });
  }
}

/** Sends a frame to every socket that is open. */
export const pushFrame = (frame: object): void => {
  for (const socket of open) socket.onmessage?.({ data: JSON.stringify(frame) });
};
