import encode from 'qr'

/** The QR code of a text as the path of an SVG, and its width in modules with the quiet zone around it. */
export function drawQr(text: string): { path: string; width: number } {
  const rows = encode(text, 'raw', { ecc: 'medium', border: 4 })
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return { path, width: rows.length }
}
