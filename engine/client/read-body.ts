// The body of an answer, read up to a cap.

/** Longest body that is read; the rest is left. */
const bodyMostBytes = 1024 * 1024

/** How much is kept of a longer one: enough to show what it was. */
const cutMostBytes = 64 * 1024

/** Leaves the body, and so lets go of what it comes from, as soon as there is too much of it. */
export const readBytes = async (
  body: AsyncIterable<Buffer>,
): Promise<[Uint8Array, cut: boolean]> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > bodyMostBytes) {
      return [new Uint8Array(Buffer.concat(chunks).subarray(0, cutMostBytes)), true]
    }
  }
  return [Buffer.concat(chunks), false]
}
