import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { fetchRows, fields, token } from '../asked.js'

// The least that a console made of React loads: React, a router, and one fetch.

const router = createBrowserRouter([{ path: '*', Component: token ? Rows : Login }])
createRoot(document.getElementById('root')).render(<RouterProvider router={router} />)

function Rows() {
  const [rows, setRows] = useState([])
  useEffect(() => {
    fetchRows().then(setRows)
  }, [])
  return (
    <table>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {fields.map((field) => (
              <td key={field} data-fetched>
                {row[field]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Login() {
  useEffect(() => {
    fetch('/v1/captcha')
  }, [])
  return (
    <form>
      <input name="username" />
      <input name="password" type="password" />
      <button type="submit">Sign in</button>
    </form>
  )
}
