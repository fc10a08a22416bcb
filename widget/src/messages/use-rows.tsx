import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { type Line, type Row, toRows } from '../conversation/timeline.ts';
import { Bubble } from '../view/bubble.tsx';
import type { Ui } from '../view/ui.ts';
import { dayName } from './day.ts';
import { Failure } from './failure.tsx';
import { Text } from './text.tsx';

const looksOf = (row: Row, tag: string) => [row.state, row.reason, row.first, row.last, row.day, tag].join();

function MessageRow({ ui, row }: { ui: Ui; row: Row }) {
  return (
    <>
      {row.day && <p class="day">{dayName(row.at ?? 0, Date.now(), ui.tag.value, ui.texts.value)}</p>}
      <Bubble
        ui={ui}
        line={row}
        first={row.first}
        last={row.last}
        below={row.state === 'failed' && <Failure ui={ui} line={row} />}
      >
        <Text text={row.body} />
      </Bubble>
    </>
  );
}

/** Draws the lines. A row that is as it was keeps its very node, which the renderer then passes over. */
export function useRows(ui: Ui, lines: readonly Line[]): JSX.Element[] {
  const drawings = useRef(new Map<string, { looks: string; node: JSX.Element }>());
  const before = drawings.current;
  drawings.current = new Map();
  return toRows(lines).map((row) => {
    const looks = looksOf(row, ui.tag.value);
    let drawn = before.get(row.key);
    if (drawn?.looks !== looks) {
      const node = (
        <li key={row.key}>
          <MessageRow ui={ui} row={row} />
        </li>
      );
      drawn = { looks, node };
    }
    drawings.current.set(row.key, drawn);
    return drawn.node;
  });
}
