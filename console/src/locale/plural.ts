/**
 * The form of a text for a count, by the language's own rules (Unicode TR35, plurals): "1 sekundę", "2 sekundy",
 * "5 sekund".
 */
export const plural = (
  tag: string,
  count: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string },
): string => forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
