# shellcheck shell=bash
# A fleet of 20 hosts with 64 CPUs each, a minute at 19 Hz: made by mkdata, exported, and taken by a ClickHouse server of its own.
# The column "prec" has the figure; what prec-fleet(7) says of cost comes from here. Rows for tests/bench/run.
. "$SRC/tests/shell/lib/clickhouse.sh"

fleet_text() {	# HOST
	cat <<-END
	attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
	feature hostname=host-$1 arch=x86_64 osrelease=6.18.0 boot=boot-$1 nrcpus=64
	mmap -1/0 0xffffffff81000000+0x2000000@0xffffffff81000000 "[kernel.kallsyms]_text"
	repeat 500
	ksymbol {i*4096+18446744071596015616}+0x1000 "function_number_{i}" type=1
	end
	repeat 40
	comm {i+100}/{i+100} "service-{i%12}"
	end
	repeat 1140
	repeat 64
	sample {i*7+j%40+100}/{i*7+j%40+100} id=1 t={i*52631578+j+1795046400000000000} cpu={j} period=52631578 mode=kernel \
ip={i*j%91*17920+18446744071596015616} chain=kernel,{i*j%91*17920+18446744071596015616},{i*13%3+j%40*4096+18446744071596100000},\
{i%14*5120+18446744071596217100},{j%40*16384+18446744071596318000},{j%9*4096+18446744071596519000},{j%5*65536+18446744071596219000},\
{i%3*4096+18446744071596719000},{j%40*4096+18446744071596819000},{j%40*4096+18446744071596919000},18446744071596015700
	end
	end
	END
}

fleet_all() {	# FORMAT: the export of each host
	local host
	for host in $(seq 20); do
		"$PREC" export -q -i "fleet/$host.data" -o "fleet/$host.$1"
	done
}

fleet_ingest() {
	local host
	for host in $(seq 20); do
		clickhouse-client --host 127.0.0.1 --port "$fleet_port" --query 'INSERT INTO samples FORMAT JSONEachRow' <"fleet/$host.jsonl"
	done
}

seconds_of() {	# COMMAND...: of CPU, and of the clock
	local TIMEFORMAT='%U %S %R'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.3f %.3f", $1 + $2, $3 }'
}

fleet_server() {	# ACTION: with a server that listens on $fleet_port and has the tables
	local tries=0 pid
	rm -rf "$DATA/fleet/server"
	fleet_port=$((20000 + $$ % 10000))
	clickhouse_files "$DATA/fleet/server" "$fleet_port"
	clickhouse-server --config-file="$DATA/fleet/server/server.xml" >fleet/server.log 2>&1 & pid=$!
	until block tables | clickhouse-client --host 127.0.0.1 --port "$fleet_port" --multiquery >/dev/null 2>&1; do
		[ $((tries += 1)) -lt 100 ] && kill -0 $pid 2>/dev/null || break
		sleep .1
	done
	"$1"
	kill $pid
	wait $pid 2>/dev/null
}

fleet_ingestion() {
	local wall
	read -r _ wall < <(seconds_of fleet_ingest)
	figure 'fleet, ingestion as JSON' wall k/s "$(calc "$nr / 1000 / $wall")" - '>50'
	figure 'fleet, a row in the table' size B "$(calc "$(clickhouse-client --host 127.0.0.1 --port "$fleet_port" --query \
		"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'samples'") / $nr")" - '<60'
}

if [[ 'fleet, ' = *$filter* || $filter = fleet* ]]; then
	mkdir -p fleet
	for host in $(seq 20); do
		[ -s "fleet/$host.data" ] && continue
		fleet_text "$host" | sed -e ':join' -e '/\\$/{N;s/\\\n//;bjoin' -e '}' >fleet/text
		"$BUILD/tests/mkdata/mkdata" fleet/text "fleet/$host.data"
	done
	nr=$((20 * 64 * 19 * 60))
	figure 'fleet, rows a host-hour' rows M "$(calc "$nr * 60 / 20 / 1e6")" - '<4.4'
	figure 'fleet, a row recorded' size B "$(calc "$(cat fleet/*.data | wc -c) / $nr")" - '<200'
	for format in jsonl parquet; do
		read -r cpu _ < <(seconds_of fleet_all $format)
		figure "fleet, export $format" cpu k/s "$(calc "$nr / 1000 / $cpu")" - '>100'
		figure "fleet, a row of $format" size B "$(calc "$(cat fleet/*."$format" | wc -c) / $nr")" - "<$([ $format = jsonl ] && echo 600 || echo 20)"
	done
	if command -v clickhouse-server clickhouse-client >/dev/null; then
		fleet_server fleet_ingestion
	else
		echo "skipped: no clickhouse-server for the rows of ingestion" >&2
	fi
	rm -rf fleet/*.jsonl fleet/*.parquet fleet/server
fi
