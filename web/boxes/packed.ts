/** Compresses a file with gzip, and returns it in base64. */
export async function packed(file: File): Promise<string> {
  const body = new Response(file.stream().pipeThrough(new CompressionStream('gzip')))
  return base64Of(await body.blob())
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}
