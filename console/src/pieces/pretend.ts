/** The states that a piece can be shown in without a pointer or the keyboard. */
export type Pretended = 'hover' | 'focus-visible' | 'active';

const STATE = /(?<!:not\():(hover|focus-visible|active)\b/g;

const copied = (rules: CSSRuleList): string =>
  [...rules]
    .map((rule) => {
      if (rule instanceof CSSMediaRule) return `@media ${rule.conditionText} { ${copied(rule.cssRules)} }`;
      if (!(rule instanceof CSSStyleRule) || rule.selectorText.search(STATE) < 0) return '';
      return `${rule.selectorText.replace(STATE, '[data-pretended="$1"]')} { ${rule.style.cssText} }`;
    })
    .join('\n');

/** Lets what is marked `data-pretended` look as the rules of its state say, whichever stylesheet they stand in. */
export const showPretended = (): void => {
  const sheet = new CSSStyleSheet();
  const copy = () =>
    sheet.replaceSync([...document.styleSheets].map((one) => copied(one.cssRules)).join('\n'));
  copy();
  document.adoptedStyleSheets = [sheet];
  new MutationObserver(copy).observe(document.head, { childList: true, subtree: true, characterData: true });
};
