/** The packages that a client can have, in the order offered: each with its value on the wire and its label. */
export const PACKAGES: readonly { value: number; label: string }[] = [
  { value: 1, label: 'All Packages' },
  { value: 7, label: 'All Packages/No Adults' },
  { value: 2, label: 'English/Sports/Adults' },
  { value: 13, label: 'English/Sports/No Adults' },
  ...pair(3, 4, 'South Asian'),
  { value: 5, label: 'Portuguese/Brazil' },
  ...pair(14, 15, 'Portuguese/Brasil'),
  ...pair(16, 17, 'Spanish'),
  ...pair(18, 19, 'Latin/Portuguese/Italian/Spanish'),
  ...pair(20, 21, 'Spanish/Portuguese/Italian'),
  ...pair(22, 23, 'Caribbean'),
  ...pair(24, 25, 'Caribbean/South Asian'),
  ...pair(26, 27, 'Ex Yugoslavia'),
  ...pair(28, 32, 'Portuguese/Brasil/Italian/Spanish'),
  ...pair(33, 34, 'Italian'),
  ...pair(35, 36, 'Latino/Mexico/Spain/South America'),
  ...pair(37, 38, 'Arabic'),
  ...pair(39, 40, 'Greek'),
  ...pair(41, 42, 'Polish/Romania/Ex Yugoslavia'),
  ...pair(43, 44, 'French CA/African/French'),
  ...pair(45, 46, 'German'),
  ...pair(47, 48, 'Vietnamese/Korean/Chinese/Filipino'),
  ...pair(49, 50, 'Hindi/Urdu/Punjabi'),
]

const LABELS = new Map(PACKAGES.map(({ value, label }) => [value, label]))

export function packageLabel(value: number): string | undefined {
  return LABELS.get(value)
}

/** Whether a package leaves out what is for adults. */
export function leavesOutAdults(value: number): boolean {
  return packageLabel(value)?.endsWith('/No Adults') ?? false
}

/** The packages that hold a group until the admin says otherwise. */
export const HOLD_ALL = [1, 7]

function pair(adults: number, noAdults: number, name: string) {
  return [
    { value: adults, label: `${name}/Adults` },
    { value: noAdults, label: `${name}/No Adults` },
  ]
}
