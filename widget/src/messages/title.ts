/** Puts the number of unread messages before the page's title, and takes it away again. The page may change
 *  its title meanwhile: only what was put there is ever removed. */
export function titleMark(): (count: number) => void {
  let mine = '';
  return (count) => {
    const plain =
      mine && document.title.startsWith(mine) ? document.title.slice(mine.length) : document.title;
    mine = count ? `(${count}) ` : '';
    if (document.title !== mine + plain) document.title = mine + plain;
  };
}
