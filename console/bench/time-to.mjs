/** Milliseconds from a visit until something is in the page, as the page itself sees it. */
export const timeTo = async (page, address, selector) => {
  await page.goto(address, { waitUntil: 'commit' });
  return page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (document.querySelector(wanted)) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
    selector,
  );
};
