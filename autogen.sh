#!/bin/sh
# Make configure from configure.ac; needs autoconf, automake, libtool and pkg-config. Installers of other packages, as NWChem's, call this name.
set -e
cd "$(dirname "$0")"
mkdir -p m4 # aclocal warns without it
exec autoreconf -fi
