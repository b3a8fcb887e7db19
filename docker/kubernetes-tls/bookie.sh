#!/bin/bash
# Starts a bookie of Apache's image with TLS. The start script of the image asks ZooKeeper in plain text, and sets only
# those keys that the configuration of the image has: not those of the bookie's own client.
set -e

. scripts/common.sh
create_bookie_dirs
grep -q '^clientKeyStore=' conf/bk_server.conf || cat >>conf/bk_server.conf <<END
clientKeyStoreType=PEM
clientKeyStore=$BK_tlsKeyStore
clientTrustStoreType=PEM
clientTrustStore=$BK_tlsTrustStore
END
# Both fail when another bookie was faster. If they fail otherwise, the bookie ends too, and is started again.
bin/bookkeeper org.apache.zookeeper.ZooKeeperMain -waitforconnection -server "$BK_zkServers" create "$BK_CLUSTER_ROOT_PATH" || true
bin/bookkeeper shell initnewcluster || true
exec bin/bookkeeper bookie
