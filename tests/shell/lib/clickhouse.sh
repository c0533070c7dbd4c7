# A ClickHouse server of one's own, and what prec-fleet(7) says to it.
# shellcheck shell=bash

# block NAME: the text between ".\" ... NAME" and ".\" end" of the page, as a reader sees it.
block() {
	sed -n "/^\.\\\\\" [a-z]* $1\$/,/^\.\\\\\" end\$/p" "$SRC/man/prec-fleet.7" | sed -e '1d;$d' -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' \
		-e 's/\\-/-/g' -e 's/\\e/\\/g' | grep .
}

# clickhouse_files DIR PORT: DIR/server.xml and what it names, of a server on loopback that keeps all it has below DIR.
clickhouse_files() {
	mkdir -p "$1/store/tmp"
	cat >"$1/server.xml" <<X
<yandex>
	<logger><level>warning</level><console>1</console></logger>
	<tcp_port>$2</tcp_port><listen_host>127.0.0.1</listen_host>
	<path>$1/store/</path><tmp_path>$1/store/tmp/</tmp_path>
	<users_config>$1/users.xml</users_config>
	<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>1000000</mark_cache_size>
</yandex>
X
	cat >"$1/users.xml" <<'X'
<yandex>
	<profiles><default/></profiles><quotas><default/></quotas>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
X
}
