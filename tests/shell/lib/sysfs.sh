# A sysfs that does not exist: make_sysfs DIR. SYSFS_PATH then leads prec and perf there.
# shellcheck shell=bash

# pmu DIR NAME TYPE [FILE=TEXT]...
pmu() {
	local dir=$1/bus/event_source/devices/$2 file
	mkdir -p "$dir"/{format,events,caps}
	echo "$3" > "$dir/type"
	shift 3
	for file; do
		mkdir -p "$dir/$(dirname "${file%%=*}")"
		echo "${file#*=}" > "$dir/${file%%=*}"
	done
}

# The common parts of all machines, and the CPUs of this one.
make_sysfs() {
	mkdir -p "$1/devices/system/cpu"
	cp /sys/devices/system/cpu/{online,possible,present} "$1/devices/system/cpu"
	pmu "$1" software 1
	pmu "$1" breakpoint 5
	pmu "$1" uprobe 8 format/retprobe=config:0 format/ref_ctr_offset=config:32-63
}

# A machine with one kind of CPU, two alike counters outside of it and a tracer.
make_sysfs_one() {
	make_sysfs "$1"
	pmu_cpu "$1" cpu 4
	pmu_imc "$1" uncore_imc_0 20
	pmu_imc "$1" uncore_imc_1 21
	pmu "$1" uncore_cbox_10 30 format/event=config:0-7 events/lookups=event=0x34
	pmu "$1" tracer 40 format/cyc=config:1 format/psb=config:24-27 format/far=config1:60-63
	pmu "$1" msr 41 format/event=config:0-63 events/tsc=event=0x00
}

# A machine with two kinds of CPU: CPU 0 is of one, the others of the other, which has one event less.
make_sysfs_two() {
	make_sysfs "$1"
	pmu_cpu "$1" cpu_core 4
	pmu_cpu "$1" cpu_atom 10
	rm "$1/bus/event_source/devices/cpu_atom/events/instructions"
	pmu "$1" cpu_core 4 cpus=0
	pmu "$1" cpu_atom 10 cpus=1
}

pmu_cpu() {
	pmu "$@" format/event=config:0-7 format/umask=config:8-15 format/edge=config:18 format/inv=config:23 \
		format/cmask=config:24-31 format/wide=config:0-7,32-35 format/offcore_rsp=config1:0-63 \
		format/ldlat=config1:0-15 format/two=config2:0-15 format/three=config3:0-63 \
		events/cpu-cycles=event=0x3c events/instructions=event=0xc0 events/cache-misses=event=0x2e,umask=0x41 \
		events/mem-loads=event=0xcd,umask=0x1,ldlat=3 events/mem-stores=event=0xcd,umask=0x2 \
		events/el-abort=event=0xc8,umask=0x4 'events/param=event=0xd0,umask=?' events/slots=event=0x00,umask=0x4 \
		events/topdown.bad_spec=event=0xa4,cmask=2 caps/branches=32 caps/max_precise=3
}

pmu_imc() {
	pmu "$@" format/event=config:0-7 format/umask=config:8-15 cpumask=0 events/cas_count_read=event=0x4,umask=3 \
		events/cas_count_read.scale=6.103515625e-5 events/cas_count_read.unit=MiB
}
