import { MAC_PREFIX } from '../../../contract/clients.ts'

export const FIRST = [
  'maria',
  'joao',
  'ana',
  'pedro',
  'luis',
  'sofia',
  'carlos',
  'rita',
  'tiago',
  'ines',
  'marc',
  'julie',
  'sam',
  'priya',
  'omar',
  'lena',
  'nuno',
  'vera',
  'david',
  'emma',
]
export const LAST = [
  'silva',
  'costa',
  'roy',
  'singh',
  'haddad',
  'novak',
  'moreira',
  'tremblay',
  'brown',
  'kaya',
  'lopes',
  'wong',
  'rocha',
  'meyer',
  'ali',
]
export const PLACES = [
  'Living room',
  'Bedroom box',
  'Cafe Central',
  'Second box',
  'Sports bar',
  'Office',
  'Holiday flat',
  'Parents',
  'Kitchen',
  '',
]
export const BOXES = ['MAG250', 'MAG254', 'MAG322', 'MAG424', 'MAG520']
export const SHOWS = ['RTP 1', 'Sport TV 1', 'CBC News', 'Globo', 'TSN 4', 'SIC Noticias', 'Rai 1']
export const FILMS = ['The Long Tide', 'North of Here', 'Ouro Negro', 'Night Ferry', 'A Small Garden']

/** Returns a different MAC for every number below 2^24. */
export function mac(number: number): string {
  const hex = ((number * 40_503) % 0x1000000).toString(16).toUpperCase().padStart(6, '0')
  return `${MAC_PREFIX}${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`
}
