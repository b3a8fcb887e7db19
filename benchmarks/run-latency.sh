#!/bin/sh
# Write latency of a server that cleans all the time (A) beside one with room (B); arguments go to suite.py.
# Signatures and history are off: their entries stay, and would fill the small store.
plain=provenance.signatures=none,history.policy=none
exec "$(dirname "$0")/suite.py" --mixes overwrite --size 1K --objects 600000 --rate 2000 --settings "log.capacity=1G,$plain" \
    --b-settings "log.capacity=16G,$plain" --output "$(dirname "$0")/results/latency" "$@"
