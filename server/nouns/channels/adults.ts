/**
 * Whether a group sounds as if it were for adults, in the languages of the packages. It is marked until the admin says
 * otherwise: it is safer to leave out too much.
 */
export function soundsAdult(name: string): boolean {
  return MARKS.test(simplified(name))
}

/** The beginnings of words that mean 'adult', without accents (see `simplified`). Such a word may have any ending. */
const BEGINNINGS = [
  // English, Spanish, Portuguese, Italian, French, Romanian and Filipino; but no adulthood and no adultery.
  'adult(?!hood|er)',
  'erwachsen', // German
  'doros[lł]', // Polish
  'odrasl|одрасл|возрасн', // of Ex Yugoslavia
  'взросл', // Russian
  'ενηλικ', // Greek
  'للكبار|(?:لل|ال)?بالغ', // Arabic and Urdu
  'वयस्क', // Hindi
  'ਬਾਲਗ', // Punjabi
  'nguoi lon', // Vietnamese
]

/** These count only as whole words: 'Essex' does not count. */
const WORDS = ['xxx+', 'sex[eoy]?', 'seks', 'секс', 'σεξ']

/** These count within a word too. Chinese has no gaps between words. */
const PARTS = [
  'porn|порн|πορν',
  'erot(?:i[ckq]|y[ck]|sk)|эроти|ερωτικ',
  'إباحي|اباحي', // Arabic
  '成人|色情|情色', // Chinese
  '성인', // Korean
  '\\+ ?18(?!\\d)',
  '(?<!\\d)18 ?\\+',
]

// A word is letters and combining marks; underscores and digits separate words.
const BEFORE = '(?<![\\p{L}\\p{M}])'
const AFTER = '(?![\\p{L}\\p{M}])'

const MARKS = new RegExp(
  `${BEFORE}(?:${BEGINNINGS.join('|')})|${BEFORE}(?:${WORDS.join('|')})${AFTER}|${PARTS.join('|')}`,
  'iu',
)

/** Returns a name in ordinary letters without accents, so that 'ᴬᴰᵁᴸᵀ', '⁺¹⁸' and 'ADULȚI' are found too. */
function simplified(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
}
