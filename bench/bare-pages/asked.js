// What a bare page shows is in its address: the call, and how many of the answer's rows with which of their fields.

const asked = new URLSearchParams(window.location.search)
const rows = Number(asked.get('rows'))

export const fields = asked.get('fields').split(',')
export const token = localStorage.getItem('token')

/** Fetches the rows, each with an id. */
export async function fetchRows() {
  const response = await fetch(asked.get('call'), { headers: { authorization: `Bearer ${token}` } })
  const answer = await response.json()
  return (answer.data ?? answer).slice(0, rows).map((row, id) => ({ ...row, id }))
}
