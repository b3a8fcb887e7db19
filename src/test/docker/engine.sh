#!/bin/sh
# A container engine for the tests that need one.
#
#   engine.sh start DIR   uses the engine that answers already, else installs (Debian, root) and starts one of its own
#                         in DIR; prints the value for DOCKER_HOST, nothing when the default is right.
#                         Ends with 1, and a reason, when there is none to be had.
#   engine.sh stop DIR    ends what start has started, and removes what it kept in DIR
#
# The engine started here touches neither firewall nor forwarding rules: containers are reached from this machine only.
set -eu

say() {
    printf 'engine: %s\n' "$1" >&2
}

answers() {
    DOCKER_HOST=$1 docker version >/dev/null 2>&1
}

install() {
    command -v dockerd >/dev/null 2>&1 && return 0
    command -v apt-get >/dev/null 2>&1 || {
        say "no dockerd, and no apt-get to install it with"
        return 1
    }
    say "installing docker.io"
    # Its own service is not wanted: a package's start script asks policy-rc.d, where there is one.
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends docker.io iptables; } >"$dir/install.log" 2>&1 || {
        say "docker.io could not be installed: $(tail -n 1 "$dir/install.log")"
        return 1
    }
}

start() {
    if command -v docker >/dev/null 2>&1 && docker version >/dev/null 2>&1; then
        printf '%s\n' "${DOCKER_HOST:-}"
        return 0
    fi
    if [ "$(id -u)" != 0 ]; then
        say "no container engine answers, and only root can start one"
        return 1
    fi
    mkdir -p "$dir"
    install || return 1
    socket=unix://$dir/docker.sock
    dockerd --host "$socket" --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/docker.pid" \
        --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false \
        >"$dir/dockerd.log" 2>&1 &
    engine=$!
    tries=0
    while ! answers "$socket"; do
        tries=$((tries + 1))
        if [ $tries -gt 150 ] || ! kill -0 $engine 2>/dev/null; then
            kill $engine 2>/dev/null || true
            say "the engine did not start: $(tail -n 1 "$dir/dockerd.log")"
            return 1
        fi
        sleep 0.2
    done
    printf '%s\n' "$socket"
}

stop() {
    [ -r "$dir/docker.pid" ] || return 0
    engine=$(cat "$dir/docker.pid")
    kill "$engine" 2>/dev/null || true
    tries=0
    while kill -0 "$engine" 2>/dev/null && [ $tries -lt 150 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
    # The engine mounts its data on itself, and leaves that, or a layer, behind when it was in use at its end.
    awk -v under="$dir/" 'index($5, under) == 1 { print $5 }' /proc/self/mountinfo | sort -r \
        | while IFS= read -r mounted; do umount -l "$mounted" || true; done
    rm -rf "$dir" || say "could not remove all of $dir: remove it by hand"
}

case "${1:-} ${2:+dir}" in
    "start dir" | "stop dir")
        dir=$2
        "$1"
        ;;
    *)
        say "usage: engine.sh start|stop DIR"
        exit 2
        ;;
esac
