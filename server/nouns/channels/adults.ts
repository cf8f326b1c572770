/**
 * Whether a group sounds as if it were for adults, in the languages of the packages. It is marked until the admin says
 * otherwise: it is safer to leave out too much.
 */
export function soundsAdult(name: string): boolean {
  return MARKS.test(simplified(name))
}

/** How words begin that say it, without accents (see `simplified`). They may go on in many ways. */
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

/** Words that say it alone: 'Essex' does not. */
const WORDS = ['xxx+', 'sex[eoy]?', 'seks', 'секс', 'σεξ']

/** What says it also within a word. Chinese has no gaps between words. */
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
