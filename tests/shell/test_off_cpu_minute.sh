#!/bin/bash
# The times of threads on the CPU, ready and off it over a minute of mixed work: test_off_cpu_balance.sh for longer.
# Runs: long
MIXED_MS=60000 exec "$(dirname "$0")/test_off_cpu_balance.sh"
