import { useTheme } from '@mui/material/styles'

/** The logo: a tree of boxes, one above and two beneath, in the preset colour. */
export function Mark({ size = 32 }: { size?: number }) {
  const { main, onMain } = useTheme().palette.accent
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill={main} />
      <path
        d="M16 12v4M9.5 20v-1a3 3 0 0 1 3-3h7a3 3 0 0 1 3 3v1"
        fill="none"
        stroke={onMain}
        strokeWidth="2"
      />
      <rect x="12.5" y="6" width="7" height="6" rx="1.5" fill={onMain} />
      <rect x="6" y="20" width="7" height="6" rx="1.5" fill={onMain} />
      <rect x="19" y="20" width="7" height="6" rx="1.5" fill={onMain} />
    </svg>
  )
}
