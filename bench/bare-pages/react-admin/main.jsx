import { Admin, DataTable, List, Resource } from 'react-admin'
import { createRoot } from 'react-dom/client'
import { fetchRows, fields, token } from '../asked.js'

// The smallest console of react-admin: its own login and one list.

const authProvider = {
  checkAuth: () => (token ? Promise.resolve() : Promise.reject()),
  checkError: () => Promise.resolve(),
  getPermissions: () => Promise.resolve(),
  logout: () => Promise.resolve(),
}

const dataProvider = {
  getList: async () => {
    const data = await fetchRows()
    return { data, total: data.length }
  },
}

createRoot(document.getElementById('root')).render(
  <Admin authProvider={authProvider} dataProvider={dataProvider} disableTelemetry>
    <Resource name="rows" list={Rows} />
  </Admin>,
)

function Rows() {
  return (
    <List perPage={100}>
      <DataTable bulkActionButtons={false} rowClick={false}>
        {fields.map((field) => (
          <DataTable.Col
            key={field}
            source={field}
            render={(row) => <span data-fetched>{row[field]}</span>}
          />
        ))}
      </DataTable>
    </List>
  )
}
