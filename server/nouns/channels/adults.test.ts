import { expect, test } from 'vitest'
import { soundsAdult } from './adults.ts'

test.each([
  [
    'English',
    ['Adults', 'For Adults Only', 'Adults 18+', '+18', '18 +', 'xxx', 'Softporn', 'Erotic Movies', 'SEX'],
  ],
  [
    'English with digits and underlines',
    ['VIP_xxx', 'Adult_xxx', 'xxx18', '[xxx] FR', 'VOD|ADULT', '24/7_adults'],
  ],
  ['other shapes of letters', ['ᴬᴰᵁᴸᵀ', '𝐀𝐝𝐮𝐥𝐭𝐬', '⁺¹⁸']],
  ['Portuguese and Spanish', ['Adultos', 'Canais Adultos', 'Para adultas', 'Erótico', 'Sexo']],
  ['Italian', ['Adulti', 'Per adulti', 'Erotico']],
  ['French', ['Adulte', 'Adultes', 'Érotique']],
  ['Romanian', ['Adulti', 'Pentru adulți', 'ADULŢI', 'Canalele adulților']],
  ['German', ['Erwachsene', 'Nur für Erwachsene', 'Erwachsenenfilme', 'Erotik']],
  ['Polish', ['Dla dorosłych', 'DOROŚLI', 'Dla doroslych', 'Erotyka', 'Seks']],
  ['the languages of Ex Yugoslavia', ['Za odrasle', 'За одрасле', 'За возрасни', 'Erotski']],
  ['Russian', ['Для взрослых', 'ВЗРОСЛЫЕ', 'Эротика', 'Порно']],
  ['Greek', ['Ενηλίκων', 'ΕΝΗΛΙΚΩΝ', 'Για ενήλικες', 'Ερωτικά']],
  ['Arabic', ['للكبار', 'للكبار فقط', 'للبالغين', 'أفلام إباحية']],
  ['Hindi, Urdu and Punjabi', ['केवल वयस्कों के लिए', 'بالغوں کے لیے', 'ਬਾਲਗਾਂ ਲਈ']],
  ['Vietnamese and Filipino', ['Người lớn', 'NGƯỜI LỚN', 'Nguoi lon', 'Pang-adulto']],
  ['Korean and Chinese', ['성인', '성인방송', '成人', '成人频道', '色情']],
])('a group with a name for adults in %s is recognised as one for adults', (_, names) => {
  expect(names.filter((name) => !soundsAdult(name))).toEqual([])
})

test.each([
  [
    'contain such a word by chance',
    ['Essex', 'Sussex', 'Middlesex', 'Unisex', 'Sexta-feira', 'Maxxx', 'xxxl'],
  ],
  ['begin like one', ['Adulthood', 'Adultery', 'Adultère', 'Eros Ramazzotti', 'Dorosz']],
  ['have another number', ['Canal 18', 'U18', '180+', '+180', '1080+', '2018+']],
  ['are of minors, or of the old', ['Ανηλίκων', 'अवयस्क', 'ਨਾਬਾਲਗ', 'نابالغ', 'كبار السن', 'كبار القراء']],
  [
    'are any others',
    ['News', 'Sports', 'Kids', 'Consulta', 'Notícias', 'Ex Yugoslavia', 'Новости', '新闻', '뉴스', ''],
  ],
])('groups whose names %s are not taken for groups for adults', (_, names) => {
  expect(names.filter(soundsAdult)).toEqual([])
})
