import type { Visitor } from '../contract/page.ts';

/** What is wrong with a value, as the key of a text; empty when nothing is. */
export function problem(field: keyof Visitor, value: string): '' | 'needed' | 'badEmail' | 'badPhone' {
  if (!value.trim()) return 'needed';
  if (field === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value.trim())) return 'badEmail';
  if (field === 'phone' && !/^[+\d][\d\s().-]{4,}$/.test(value.trim())) return 'badPhone';
  return '';
}
