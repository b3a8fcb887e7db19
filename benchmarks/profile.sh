#!/bin/sh
# Profiles a server: profile.sh put4k|get4k|put10m|get10m|delete|list. Needs: mvn -pl benchmarks -am package
exec python3 "$(dirname "$0")/flame.py" "$@"
