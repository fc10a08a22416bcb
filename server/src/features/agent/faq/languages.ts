import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { stopwords as bulgarianStops } from '@orama/stopwords/bulgarian';
import { stopwords as danishStops } from '@orama/stopwords/danish';
import { stopwords as dutchStops } from '@orama/stopwords/dutch';
import { stopwords as englishStops } from '@orama/stopwords/english';
import { stopwords as finnishStops } from '@orama/stopwords/finnish';
import { stopwords as frenchStops } from '@orama/stopwords/french';
import { stopwords as germanStops } from '@orama/stopwords/german';
import { stopwords as greekStops } from '@orama/stopwords/greek';
import { stopwords as hungarianStops } from '@orama/stopwords/hungarian';
import { stopwords as italianStops } from '@orama/stopwords/italian';
import { stopwords as norwegianStops } from '@orama/stopwords/norwegian';
import { stopwords as portugueseStops } from '@orama/stopwords/portuguese';
import { stopwords as romanianStops } from '@orama/stopwords/romanian';
import { stopwords as russianStops } from '@orama/stopwords/russian';
import { stopwords as spanishStops } from '@orama/stopwords/spanish';
import { stopwords as swedishStops } from '@orama/stopwords/swedish';
import { stopwords as turkishStops } from '@orama/stopwords/turkish';
import { stopwords as ukrainianStops } from '@orama/stopwords/ukrainian';
import { fold } from '../../../platform/folding.ts';

/** How the words of a language come down to their stems, and which of them say little. */
export interface Language {
  stem(word: string): string;
  /** Words such as `how`, `when`, `out`: they say little, but not nothing. Folded, without apostrophes. */
  stops: ReadonlySet<string>;
  /** Words that say nothing of what is asked. */
  fillers: ReadonlySet<string>;
}

const plain = (words: readonly string[]): Set<string> =>
  new Set(words.map((word) => fold(word).replace(/['’]/g, '')));

const language = (
  stem: (word: string) => string,
  stops: readonly string[],
  fillers: readonly string[] = [],
): Language => ({ stem, stops: plain([...stops, ...fillers]), fillers: plain(fillers) });

/** Words by which people put a question, whatever it is about. */
const ENGLISH_FILLERS = [
  ...['a', 'an', 'the', 'is', 'are', 'am', 'was', 'be', 'do', 'does', 'has', 'have', 'can', 'could', 'would'],
  ...['i', 'me', 'my', 'we', 'you', 'your', 'it', 'this', 'that', 'there', 'id', 'im', 'ive', 'ill'],
  ...['to', 'of', 'and', 'for', 'with', 'please', 'hi', 'hello', 'hey', 'thanks', 'thank', 'ok', 'like'],
  ...['want', 'wanna', 'need', 'know', 'tell'],
];

/** What such lists leave out, and what is just as common in questions. */
const ENGLISH_COMMON = [
  ...['just', 'also', 'still', 'actually', 'us', 'get', 'got', 'possible', 'able', 'way', 'let', 'youre'],
  ...[
    'dont',
    'didnt',
    'doesnt',
    'isnt',
    'wasnt',
    'wont',
    'cant',
    'couldnt',
    'someone',
    'anyone',
    'something',
  ],
  ...['anything', 'thing', 'go', 'going', 'gonna', 'guy', 'guys', 'question', 'wondering', 'wonder', 'help'],
  ...['mean', 'happen', 'happens', 'really', 'maybe', 'one', 'much', 'many'],
];

const ENGLISH = language(english, [...englishStops, ...ENGLISH_COMMON], ENGLISH_FILLERS);

/** Languages that a kept library has stems and stop words for; the one that most words belong to is taken. */
const LANGUAGES: readonly Language[] = [
  ENGLISH,
  language(german, germanStops),
  language(french, frenchStops),
  language(spanish, spanishStops),
  language(italian, italianStops),
  language(portuguese, portugueseStops),
  language(dutch, dutchStops),
  language(swedish, swedishStops),
  language(danish, danishStops),
  language(norwegian, norwegianStops),
  language(finnish, finnishStops),
  language(hungarian, hungarianStops),
  language(romanian, romanianStops),
  language(turkish, turkishStops),
  language(russian, russianStops),
  language(ukrainian, ukrainianStops),
  language(bulgarian, bulgarianStops),
  language(greek, greekStops),
];

/** The language that words, folded, are most likely of; English when nothing speaks for any. */
export const languageOf = (words: readonly string[]): Language => {
  let best = ENGLISH;
  let most = 0;
  for (const candidate of LANGUAGES) {
    const count = words.filter((word) => candidate.stops.has(word)).length;
    if (count > most) [best, most] = [candidate, count];
  }
  return best;
};
