declare module 'subset-font' {
  /** What the build uses of the package. Its published types lack `keepFeatures` and `noHinting`. */
  export default function subsetFont(
    font: Buffer,
    characters: string,
    options: {
      targetFormat: 'woff2'
      variationAxes: Record<string, { min: number; max: number }>
      keepFeatures: string[]
      noHinting: boolean
    },
  ): Promise<Buffer>
}
