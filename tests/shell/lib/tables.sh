# Engines that read tables, out of npm: PREC_NODE_MODULES is a node_modules folder with node, @duckdb/node-api and chdb.
# shellcheck shell=bash

# True if they are there; then duckdb and chdb below can be called.
has_tables() {
	local module
	for module in node/bin/node @duckdb/node-api chdb; do
		[ -e "${PREC_NODE_MODULES:-/nowhere}/$module" ] || return 1
	done
	cat >duckdb.js <<'JS'
const duckdb = require(process.env.PREC_NODE_MODULES + "/@duckdb/node-api");
(async () => {
	const connection = await (await duckdb.DuckDBInstance.create(":memory:")).connect();
	const reader = await connection.runAndReadAll(process.argv[2]);
	for (const row of reader.getRows())
		console.log(row.map(cell => cell === null ? "NULL" : typeof cell === "object" ? JSON.stringify(cell.items) : String(cell)).join("|"));
})().catch(e => { console.error(String(e)); process.exit(1); });
JS
	echo 'process.stdout.write(require(process.env.PREC_NODE_MODULES + "/chdb").query(process.argv[2], "CSV"))' >chdb.js
	export PREC_NODE_MODULES
}

need_tables() {
	has_tables || skip "no PREC_NODE_MODULES with node, @duckdb/node-api and chdb (npm)${1:+; $1}"
}

# The rows of a query, a line each: cells separated by "|".
duckdb() {
	"$PREC_NODE_MODULES/node/bin/node" duckdb.js "$1"
}

# The same by ClickHouse's engine, as CSV.
chdb() {
	"$PREC_NODE_MODULES/node/bin/node" chdb.js "$1"
}
