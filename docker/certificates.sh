#!/bin/sh
# Makes an authority for one cluster, if DIRECTORY has none, and a certificate of it for all servers, with OpenSSL 3.
# Usage: docker/certificates.sh DIRECTORY NAME...     Each NAME is the name by which a server is reached.
# The files: ca.pem and ca.key (keep it elsewhere), server.pem and server.key, and both.pem with the two.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 DIRECTORY NAME..." >&2; exit 2; }
directory=$1
shift
names=$(printf ',DNS:%s' "$@")
# Users of containers differ from this one: the directory keeps others out, not the files.
mkdir -p "$directory"
chmod 700 "$directory"
cd "$directory"
[ -e ca.pem ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
    -subj /CN=volute-cluster -keyout ca.key -out ca.pem
# BookKeeper finds the role of a client in the unit, and ZooKeeper's ACLs have the whole subject.
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /OU=0:volute/CN=volute \
    -addext "subjectAltName=${names#,}" -addext extendedKeyUsage=serverAuth,clientAuth \
    -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 365 -copy_extensions copy -out server.pem
cat server.key server.pem >both.pem
rm server.csr
chmod 600 ca.key
chmod 644 ca.pem server.pem server.key both.pem
