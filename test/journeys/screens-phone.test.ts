import { PHONE, walkScreens } from './gallery.ts'

// In a file of its own, because the gallery is the longest of all journeys and files run side by side.
walkScreens(PHONE)
