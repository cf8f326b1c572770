declare module 'iptv-playlist-parser' {
  type Item = {
    name: string
    tvg: { id: string; name: string; logo: string }
    group: { title: string }
    /** Missing in the last entry of a playlist that ends before its address. */
    url: string | undefined
    /** The lines of the entry. */
    raw: string
  }
  const parser: {
    /** @throws Error where the first line is no `#EXTM3U` */
    parse(content: string): { items: Item[] }
  }
  export default parser
}
