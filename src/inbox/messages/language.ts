import { de } from './de.js';
import { type Catalogue, en } from './en.js';

export type Language = 'en' | 'de';

const CATALOGUES: Readonly<Record<Language, Catalogue>> = { en, de };

export const LANGUAGES: readonly { readonly language: Language; readonly name: string }[] = [
  { language: 'en', name: en.language },
  { language: 'de', name: de.language },
];

export function catalogueOf(language: Language): Catalogue {
  return CATALOGUES[language];
}

/** The language that a switch on the page has set, else the one that the browser prefers; English where it prefers neither. */
export function languageFor(chosen: string | undefined, accepted: string | undefined): Language {
  if (isLanguage(chosen)) return chosen;
  const ranked = (accepted ?? '')
    .slice(0, 200)
    .split(',')
    .map((part, index) => {
      const [tag = '', weight] = part.trim().split(/\s*;\s*q=/);
      return { language: tag.slice(0, 2).toLowerCase(), weight: weight === undefined ? 1 : Number(weight), index };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight || one.index - other.index);
  return ranked.map(({ language }) => language).find(isLanguage) ?? 'en';
}

export function isLanguage(text: unknown): text is Language {
  return text === 'en' || text === 'de';
}
