import { findBinaries } from './binaries.ts'

// Links the libraries at build time, for container images and installs whose packages the user cannot write to.
findBinaries()
