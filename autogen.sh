#!/bin/sh
# The name of bootstrap that installers of other packages call, as NWChem does.
exec "$(dirname "$0")/bootstrap" "$@"
