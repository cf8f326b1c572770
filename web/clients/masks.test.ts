import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foreignMac, Mac, Phone } from '../../contract/clients.ts'
import { applyEdit, type Mask, type Selected } from '../parts/form/masks.ts'
import { shownPhone } from '../phone.ts'
import { macMask } from './mac.ts'
import { phoneHint, phoneMask } from './phone.ts'

/** Simulates the edits that a person makes in a masked field. */
class TypedField {
  value: string
  #selection: Selected
  readonly #mask: Mask

  constructor(mask: Mask, value = '') {
    this.#mask = mask
    this.value = value
    this.#selection = { start: value.length, end: value.length }
  }

  get caret() {
    return this.#selection.end
  }

  select(start: number, end = start): this {
    this.#selection = { start, end }
    return this
  }

  /** Inserts text in one edit, as pasting or a barcode reader does. */
  paste(text: string): this {
    const { start, end } = this.#selection
    return this.#edit(start, end, text)
  }

  /** Inserts text key by key. */
  type(keys: string): this {
    for (const key of keys) this.paste(key)
    return this
  }

  backspace(times = 1): this {
    for (let time = 0; time < times; time += 1) {
      const { start, end } = this.#selection
      if (start < end) this.#edit(start, end, '')
      else if (start > 0) this.#edit(start - 1, start, '')
    }
    return this
  }

  delete(): this {
    const { start, end } = this.#selection
    if (start < end) return this.#edit(start, end, '')
    return start < this.value.length ? this.#edit(start, start + 1, '', true) : this
  }

  leave(): string {
    this.value = this.#mask.settled(this.value)
    this.select(this.value.length)
    return this.value
  }

  #edit(start: number, end: number, text: string, forward = false): this {
    const raw = this.value.slice(0, start) + text + this.value.slice(end)
    const caret = start + text.length
    const shown = applyEdit(this.#mask, {
      before: this.value,
      raw,
      caret,
      selection: this.#selection,
      forward,
    })
    // Without a selection, the mask has to work out the edit by itself.
    const { start: from, end: to } = this.#selection
    if (from === to) expect(applyEdit(this.#mask, { before: this.value, raw, caret, forward })).toEqual(shown)
    this.value = shown.value
    return this.select(shown.caret)
  }
}

const mac = (value?: string) => new TypedField(macMask, value)
const phone = (value?: string) => new TypedField(phoneMask, value)

const OURS = '00:1A:79:12:34:56'

describe('a MAC of our boxes', () => {
  const WAYS = [
    '00:1A:79:12:34:56',
    '00:1a:79:12:34:56',
    '001A79123456',
    '00-1A-79-12-34-56',
    '00 1A 79 12 34 56',
    '001a.7912.3456',
    'MAC: 00:1A:79:12:34:56',
    'MAC: 00-1A-79-12-34-56',
    'MAC Address: 00:1A:79:12:34:56',
    'Mac addr. 001a79123456',
    'MAC-ADDRESS 12:34:56',
    'MAC 001A79123456',
    'mac:001a79123456',
    'MAC:12:34:56',
    '12:34:56',
    '12-34-56',
    '123456',
    ' 12 34 56 ',
    '00\u20101A\u201079\u201012\u201034\u201056',
    '00\u20111A\u201179\u201112\u201134\u201156',
    '00\u22121A\u221279\u221212\u221234\u221256',
    '\u200e00:1A:79:12:34:56\u200f',
    '00:\u200b1A:\u200b79:\u200b12:\u200b34:\u200b56',
  ]
  test.each(WAYS)('typed key by key as %j is that MAC', (text) => {
    expect(mac().type(text).value).toBe(OURS)
  })
  test.each([...WAYS, 'MAC Address: 00:1A:79:12:34:56\n', 'MODEL MAG322 MAC 00:1A:79:12:34:56 S/N 012010'])(
    'pasted as %j is that MAC',
    (text) => {
      expect(mac().paste(text).value).toBe(OURS)
      expect(mac('00:1A:79:AB:C').paste(text.match(/00.*56/)?.[0] ?? OURS).value).toBe(OURS)
      expect(mac('00:1A:79:AB:CD:EF').select(0, 17).paste(text).value).toBe(OURS)
    },
  )

  test('is read in every notation, whatever its digits are', () => {
    const pair = fc.integer({ min: 0, max: 255 }).map((byte) => byte.toString(16).padStart(2, '0'))
    const way = fc.record({
      last: fc.tuple(pair, pair, pair),
      isWhole: fc.boolean(),
      mark: fc.constantFrom(':', '-', '', ' ', '.'),
      word: fc.constantFrom('', 'MAC: ', 'mac ', 'MAC:', 'MAC Address: '),
      isUpper: fc.boolean(),
    })
    fc.assert(
      fc.property(way, ({ last, isWhole, mark, word, isUpper }) => {
        // Three pairs that equal the first three are the beginning of a MAC.
        fc.pre(isWhole || last.join('') !== '001a79')
        const text = word + [...(isWhole ? ['00', '1a', '79'] : []), ...last].join(mark)
        const typed = isUpper ? text.toUpperCase() : text
        const meant = `00:1A:79:${last.join(':').toUpperCase()}`
        expect(mac().type(typed).value).toBe(meant)
        expect(mac().paste(typed).value).toBe(meant)
      }),
    )
  })

  test('shows its first three pairs from the first digit on', () => {
    expect(mac().type('1').value).toBe('00:1A:79:1')
    expect(mac().type('123').value).toBe('00:1A:79:12:3')
  })

  test('can be typed when its last three pairs equal its first three', () => {
    for (const text of ['00:1A:79:00:1A:79', '001A79001A79', '00-1a-79-00-1a-79', 'MAC: 00:1A:79:00:1A:79']) {
      expect(mac().type(text).value).toBe('00:1A:79:00:1A:79')
      expect(mac().paste(text).value).toBe('00:1A:79:00:1A:79')
    }
  })

  test('is not finished while it is only its first three pairs', () => {
    for (const text of ['00:1A:79', '001A79', '00-1a-79', 'MAC: 00:1A:79', '00 1A 79 ']) {
      for (const field of [mac().type(text), mac().paste(text)]) {
        expect(field.leave()).toMatch(/^00:1A:79:?$/)
        expect(Mac.safeParse(field.value).error?.issues[0]?.message).toBe(
          'MAC address should be 17 characters long',
        )
        expect(field.type('12:34:56').value).toBe(OURS)
      }
    }
  })

  test('shows its first three pairs before three others that begin like them', () => {
    expect(mac().type('0').value).toBe('0')
    expect(mac().type('001').value).toBe('00:1')
    expect(mac().type('0012').value).toBe('00:1A:79:00:12')
    expect(mac().type('001234').value).toBe('00:1A:79:00:12:34')
    expect(mac().type('001A78').value).toBe('00:1A:79:00:1A:78')
    expect(mac().type('001A').select(0).type('F').value).toBe('00:1A:79:F0:01:A')
  })
})

describe('a text that is no MAC of our boxes', () => {
  const NOT_OURS = 'This is not a MAC of our boxes: they begin with 00:1A:79'
  test.each([
    ['AA:BB:CC:DD:EE:FF', 'AA:BB:CC:DD:EE:FF', NOT_OURS],
    ['AABBCCDDEEFF', 'AA:BB:CC:DD:EE:FF', NOT_OURS],
    ['00:1B:79:12:34:56', '00:1B:79:12:34:56', NOT_OURS],
    ['00:1A:79:GG:HH:II', '00:1A:79:GG:HH:II', `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`],
    ['12:34:5O', '00:1A:79:12:34:5O', `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`],
    ['00:1A:79:12:34:56:7', '00:1A:79:12:34:56:7', 'MAC address should be 17 characters long'],
    ['00 1A 79 12 34 56 7', '00:1A:79:12:34:56:7', 'MAC address should be 17 characters long'],
    ['12:34:56:78', '00:1A:79:12:34:56:78', 'MAC address should be 17 characters long'],
    ['00:1A:79:12:34', '00:1A:79:12:34', 'MAC address should be 17 characters long'],
    ['00:1A:79:12:34:56,78', '00:1A:79:12:34:56:78', 'MAC address should be 17 characters long'],
    ['00:1A:79:12:34:56;9', '00:1A:79:12:34:56:9', 'MAC address should be 17 characters long'],
    ['00:1A:79:12:34:56–78', '00:1A:79:12:34:56:78', 'MAC address should be 17 characters long'],
    [
      '00:1A:79:12:34:56/78',
      '00:1A:79:12:34:56:/7:8',
      `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`,
    ],
    ['00:1A:79:12:34:56, 7890', '00:1A:79:12:34:56:78:90', 'MAC address should be 17 characters long'],
    ['001A79 001A79 123456', '00:1A:79:00:1A:79:12:34:56', 'MAC address should be 17 characters long'],
    ['001A79001A79123456', '00:1A:79:00:1A:79:12:34:56', 'MAC address should be 17 characters long'],
    ['00:1A:79:00:1A:79:12:34:56', '00:1A:79:00:1A:79:12:34:56', 'MAC address should be 17 characters long'],
    ['00:1A:79:', '00:1A:79:', 'MAC address should be 17 characters long'],
  ])('typed or pasted as %j stays in view as %j, and is refused', (text, value, why) => {
    for (const shown of [mac().type(text).value, mac().paste(text).value]) {
      expect(shown).toBe(value)
      expect(Mac.safeParse(shown).error?.issues[0]?.message).toBe(why)
    }
  })

  test('is not accepted because a part of it looks like one', () => {
    for (const text of ['FF:00:1A:79:12:34:56', '00:1A:79:12:34:56:78:9A']) {
      expect(Mac.safeParse(mac().type(text).value).success).toBe(false)
      expect(Mac.safeParse(mac().paste(text).value).success).toBe(false)
    }
  })

  test('is not cut down to one, but becomes one when it is corrected', () => {
    expect(mac().paste('AA:BB:CC:DD:EE:FF').backspace(6).value).toBe('AA:BB:CC')
    expect(foreignMac('AA:BB:CC')).toBeNull()
    expect(Mac.safeParse('AA:BB:CC').success).toBe(false)
    expect(mac().paste('00:1B:79:12:34:56').select(3, 5).type('1A').value).toBe(OURS)
    expect(mac().paste('AA:BB:CC:DD:EE:FF').select(0, 17).type('123456').value).toBe(OURS)
    expect(mac().type('12x').backspace().type('3456').value).toBe(OURS)
  })

  test('keeps every hexadecimal digit through any sequence of edits', () => {
    const step = fc.record({
      at: fc.nat(20),
      length: fc.nat(3),
      text: fc.constantFrom('', '1', 'a', '0', 'Z', ':', 'b2', 'c3:d4', '/'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const field = mac()
        for (const { at, length, text } of steps) {
          const before = field.value
          const start = Math.min(at, before.length)
          const end = Math.min(start + length, before.length)
          field.select(start, end).paste(text)
          if (start < end || text === '' || text === ':') continue
          // Typing without a selection keeps all characters that were there and adds the new ones.
          const digits = (value: string) =>
            [...value.replace(/^00:1A:79(:|$)/, '').replaceAll(':', '')].sort()
          const all = [...digits(before), ...text.toUpperCase().replaceAll(':', '')].sort()
          expect(digits(field.value)).toEqual(all)
        }
      }),
    )
  })
})

describe('the MAC field', () => {
  test('accepts a digit in the middle, and puts the caret after it', () => {
    const field = mac('00:1A:79:A1').select(9).type('F')
    expect([field.value, field.caret]).toEqual(['00:1A:79:FA:1', 10])
    expect(field.type('2').value).toBe('00:1A:79:F2:A1')
    expect(mac('00:1A:79:12:34:56').select(11).type('9').value).toBe('00:1A:79:12:93:45:6')
  })

  test('removes the digit beside a deleted colon', () => {
    const back = mac('00:1A:79:A1:B2').select(12).backspace()
    expect([back.value, back.caret]).toEqual(['00:1A:79:AB:2', 10])
    const forth = mac('00:1A:79:A1:B2').select(11).delete()
    expect([forth.value, forth.caret]).toEqual(['00:1A:79:A1:2', 11])
  })

  test('keeps the first three pairs until no other digit is left', () => {
    expect(mac('00:1A:79:A1').select(9).backspace().value).toBe('00:1A:79:A1')
    expect(mac('00:1A:79:A1').select(4).backspace().value).toBe('00:1A:79:A1')
    expect(mac('00:1A:79:A1').select(4).type('B').value).toBe('00:1A:79:BA:1')
    expect(mac('00:1A:79:A').backspace().value).toBe('')
  })

  test('replaces the selected part, or everything', () => {
    const whole = () => mac('00:1A:79:AB:CD:EF')
    expect(whole().select(0, 17).type('123456').value).toBe(OURS)
    expect(whole().select(0, 17).type('001A79123456').value).toBe(OURS)
    expect(whole().select(0, 17).backspace().value).toBe('')
    expect(whole().select(9, 17).type('12:34:56').value).toBe(OURS)
    expect(whole().select(9, 11).type('12').value).toBe('00:1A:79:12:CD:EF')
    expect(whole().select(4, 11).type('12').value).toBe('00:1A:79:12:CD:EF')
    expect(whole().select(4, 11).backspace().value).toBe('00:1A:79:CD:EF')
    expect(whole().select(17).paste(OURS).value).toBe(OURS)
    expect(whole().select(0).paste('001A79123456').value).toBe(OURS)
  })
})

describe('a phone number', () => {
  test.each([
    ['4165550199', '(416) 555-0199', '(416) 555-0199'],
    ['(416) 555-0199', '(416) 555-0199', '(416) 555-0199'],
    ['416.555.0199', '(416) 555-0199', '(416) 555-0199'],
    ['+1 416 555 0199', '+1 416 555 0199', '(416) 555-0199'],
    ['1 416 555 0199', '14165550199', '(416) 555-0199'],
    ['\u202a416–555–0199\u202c', '(416) 555-0199', '(416) 555-0199'],
    ['+44 20 7946 0958', '+44 20 7946 0958', '+44 20 7946 0958'],
    ['+331', '+331', '+331'],
    ['+44', '+44', '+44'],
    [' +', ' +', ' +'],
    ['0044 20 7946 0958', '00442079460958', '00442079460958'],
    ['020 7946 0958', '02079460958', '02079460958'],
    ['21000123412', '21000123412', '21000123412'],
    ['5550199', '(555) 019-9', '5550199'],
    ['912 345 678', '(912) 345-678', '912345678'],
    ['1234567890123456', '1234567890123456', '1234567890123456'],
    ['ask Ana', 'ask Ana', 'ask Ana'],
    ['416 555 0199 ext 9', '416 555 0199 ext 9', '416 555 0199 ext 9'],
  ])('%j, pasted, is shown as %j, and as %j once it is left', (text, shown, left) => {
    expect(phone().paste(text).value).toBe(shown)
    expect(phone().paste(text).leave()).toBe(left)
  })

  test.each([
    '4165550199',
    '+1 416 555 0199',
    '1-416-555-0199',
    '+44 20 7946 0958',
    '0044 20 7946 0958',
    '+49 (0)30 1234567',
    '\u200e416–555\u20110199',
    '5550199',
  ])('typed key by key as %j is the same as pasted', (text) => {
    expect(Phone.parse(phone().type(text).value)).toBe(Phone.parse(text))
    expect(Phone.parse(phone().type(text).leave())).toBe(Phone.parse(text))
  })

  test('never changes into another number, whatever is typed', () => {
    const key = fc.constantFrom(...'0123456789+ ()-–./\u200e')
    fc.assert(
      fc.property(fc.array(key, { maxLength: 24 }), (keys) => {
        const text = keys.join('')
        expect(Phone.safeParse(phone().type(text).value).data).toBe(Phone.safeParse(text).data)
      }),
    )
  })

  test('stays the same number if its field is left and entered again while it is typed', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: 15 })
    const number = fc.tuple(
      fc.constantFrom('', '+', ' +', '00', '+1 ', '1', '+44 ', '+33'),
      digits,
      fc.nat(20),
    )
    fc.assert(
      fc.property(number, ([start, digits, at]) => {
        const text = start + digits.join('')
        const [first, rest] = [text.slice(0, at), text.slice(at)]
        // Ten digits after +1 are a whole number, to which nothing can be added.
        fc.pre(rest === '' || !/^(\+|00)?1[1-9]\d{9}$/.test(first.replaceAll(' ', '')))
        const field = phone().type(first)
        field.leave()
        field.type(rest)
        const whole = Phone.safeParse(text).data
        expect(Phone.safeParse(field.value).data).toBe(whole)
        expect(Phone.safeParse(field.leave()).data).toBe(whole)
      }),
      { numRuns: 2_000 },
    )
  })

  test('can be corrected in the middle, and loses the digit beside a deleted mark', () => {
    const field = phone('(416) 555-0199').select(4).backspace()
    expect([field.value, field.caret]).toEqual(['(415) 550-199', 3])
    expect(field.type('6').value).toBe('(416) 555-0199')
    expect(phone('(416) 555-0199').select(6).backspace().value).toBe('(415) 550-199')
    expect(phone('(416) 555-0199').select(0).paste('+1 ').value).toBe('+1 (416) 555-0199')
    expect(phone('+44 20 79').select(4).backspace().value).toBe('+4420 79')
  })

  test.each(['', '4165550199', '0123456789', '14165550199', '551198765432100', '+442079460958', '12'])(
    'stored as %j is shown with all its digits, and is read back unchanged',
    (kept) => {
      expect(shownPhone(kept).replace(/[() -]/g, '')).toBe(kept)
    },
  )

  test('with few digits gets a hint', () => {
    expect(phoneHint('(555) 019-9')).toBe('7 digits are few for a phone number')
    expect(phoneHint('+4420')).toBe('4 digits are few for a phone number')
    expect(phoneHint('1')).toBe('One digit is few for a phone number')
    for (const text of ['', '(416) 555-0199', '+442079460958', '02079460958', 'ask Ana']) {
      expect(phoneHint(text)).toBeUndefined()
    }
  })
})
