# Recordings of the SPE packets that spegen makes. Sourced behind prec.sh.
# shellcheck shell=bash
. "$SRC/tests/shell/lib/aux.sh"
gen=$(helper trace/spegen) mkdata=$(helper mkdata/mkdata)

N1=0x410fd0c0 AMPERE=0xc00fac40 HIP=0x480fd060 OTHER=0x410fd8e0
EVENT=arm_spe_0/ts_enable=1/
WITH_TIME=TIME,

# info VERSION CPU:MIDR:FILTER:FILE...: AUXTRACE_INFO; MIDR is the processor, FILTER the events that it can tell.
info() {
	local version=$1 c cpu midr filter file
	shift
	if [ "$version" = 1 ]; then
		words 9 1
		return
	fi
	words 2 4 9 $#
	for c; do
		IFS=: read -r cpu midr filter file <<<"$c"
		words 0x1010101010101010 "$cpu" 4 "$midr" 9 1024 "$filter"
	done
}

# recording VERSION CPU:MIDR:FILTER:FILE...: made.data, of the packets in each FILE (of CPU -1: a thread's).
recording() {
	local version=$1 trailer="event=$EVENT" n c cpu file
	shift
	{
		printf 'feature arch=aarch64\nfeature nrcpus=8\nfeature cpuid=%#018x\n' "$N1"
		echo "attr $EVENT type=9 sample=IP,TID,${WITH_TIME}CPU,IDENTIFIER,ADDR,DATA_SRC,WEIGHT,PHYS_ADDR read=ID" \
			"period=1024 exclude_hv sample_id_all ids=1,2,3,4,5"
		# Time is what the counter says, in ns.
		echo "raw type=79 $(words 0 1 0 0 0)0100000000000000"
		echo "raw type=70 $(le 8 4)$(le 8 0)$(info "$version" "$@")"
		for n in 4242 4243 4244; do
			echo "comm $n/$n \"p$n\" exec t=1 $trailer id=1"
			echo "mmap2 $n/$n 0x400000+0x10000@0 r-xp \"/none/program\" t=2 $trailer id=1"
		done
		for c; do
			IFS=: read -r cpu _ _ file <<<"$c"
			n=$((cpu < 0 ? 0 : cpu))
			echo "itrace_start 4242/4242 t=4 cpu=$n $trailer id=$((n + 1))"
			echo "aux 4242/4242 off=0 size=$(stat -c %s "$file") flags=0 t=900000000 cpu=$n $trailer id=$((n + 1))"
			auxtrace "$file" "$cpu" "$((cpu < 0 ? 4242 : -1))"
		done
	} >made.txt
	"$mkdata" made.txt made.data
}

seed=1

# lay KIND VERSION: four CPUs of different processors, their records in turns.
lay() {
	local n
	for n in 0 1 2 3; do
		seed=$((seed + 1))
		echo "$1 $seed 300 $((1000 + 10 * n)) 100" | "$gen" >"$n.bin"
	done
	recording "$2" 0:$N1:0:0.bin 1:$AMPERE:0x800000:1.bin 2:$HIP:0x800000:2.bin 3:$OTHER:0:3.bin
}
