# shellcheck shell=bash
# Recording at scale, where the kernel's side is a loop in memory (rings.c). Rows for tests/bench/run: the CPU time of the recorder's
# threads for a sample beside that of a loop that only writes what is in the rings (the floor, in the place of perf), by number of
# rings; and the rate from which on samples are lost.
# More is lost where a reader needs longer for a sample than the kernel's side does: it is then busy all the time. On a machine with
# few CPUs that is earlier, as the loop needs one of them.

# For so long that the rings, which hold 11,000 samples each, do not hide what nobody empties in time.
rings_of() {	# RINGS THREADS MILLIONS: the figures of a run
	"$BUILD/tests/bench/rings" "$1" "$2" "${3}000000" "${SECONDS_OF_RINGS:-5}" rings.out
	rm -f rings.out.*
}

# RINGS THREADS: up to which rate (millions of samples a second) less than one in a thousand is lost.
saturation() {
	local millions rate lost most=0
	for millions in 1 2 3 4 6 8 12 16 24 32 48; do
		read -r rate lost _ < <(rings_of "$1" "$2" $millions)
		[ "$(calc "$lost < 0.1")" = 1.000 ] || break
		most=$rate
	done
	echo "$most"
}

for rings in 1 16 256 1024; do
	for threads in 1 2; do
		name="rings: $rings, threads: $threads"
		wanted "$name" || continue
		[ $threads -le $rings ] || continue
		read -r _ lost ns wakeups < <(rings_of $rings $threads 1)
		read -r _ _ floor _ < <(rings_of $rings 0 1)
		figure "$name, 1 M/s" cpu ns "$ns" "$floor" '>0'
		figure '  lost' of % "$lost" - '<0.1'
		figure '  wake-ups' nr s "$wakeups" - '>0'
		figure '  loses from' rate M/s "$(saturation $rings $threads)" "$(saturation $rings 0)" '>0'
	done
done
