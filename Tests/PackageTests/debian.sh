#!/usr/bin/env bash
# Installs the Debian package into a fresh Debian, as a newcomer would: it starts, keeps its data over an upgrade, and
# goes without a trace. Needs root, debootstrap and a Debian mirror (that of this machine); takes some minutes, so CI
# leaves it out: make package-test, or Tests/PackageTests/debian.sh PACKAGE
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" = 0 ] || { echo "package-test: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "package-test: apt-get install debootstrap" >&2; exit 1; }
package=${1:-$(Scripts/package | tail -n 1)}
work=$(mktemp -d)
tree=$work/debian
relay=""

cleanup() {
    [ -z "$relay" ] || kill "$relay" 2>/dev/null || true
    if mountpoint -q "$tree/proc"; then umount "$tree/proc"; fi
    rm -rf "$work"
}
trap cleanup EXIT

say() { printf '== %s\n' "$*"; }
expect() { "$@" >"$work/out" 2>&1 || { printf 'failed: %s\n' "$*"; cat "$work/out"; exit 1; }; }
clean=(/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root)
inside() { chroot "$tree" "${clean[@]}" "$@"; }

say "a fresh Debian"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    sed -n "s/ $suite\$//p" | head -n 1)
[ -n "$mirror" ] || { echo "package-test: this machine has no mirror" >&2; exit 1; }
expect debootstrap --variant=minbase "$suite" "$tree" "$mirror"
rm -f "$tree/etc/apt/sources.list"
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$tree/etc/apt/" 2>/dev/null || true
cp /etc/resolv.conf /etc/hosts "$tree/etc/"
cp -r /usr/share/keyrings/. "$tree/usr/share/keyrings/"
mount -t proc proc "$tree/proc"
if inside sh -c 'command -v swift || command -v cc || ls /usr/lib/*/libwebsockets*' >/dev/null 2>&1; then
    echo "not fresh: there is a compiler or a library of the relay's" >&2
    exit 1
fi

install_package() {
    cp "$1" "$tree/tmp/roost.deb"
    expect inside env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /tmp/roost.deb
}

# As the unit does: in the folder of its data, with the configuration of the package.
beginning="mkdir -p /var/lib/roost && cd /var/lib/roost && ROOST_CONFIG=/etc/roost/roost.yaml exec roost"
roost_in() { inside sh -c "$beginning $*"; }

start() {
    # A process of its own and no shell's child, so that it gets the signal.
    chroot "$tree" "${clean[@]}" sh -c "$beginning serve --set listen.port=18080" >"$work/serve.log" 2>&1 &
    relay=$!
    for _ in $(seq 200); do
        grep -q 'listens on' "$work/serve.log" && return
        kill -0 "$relay" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/serve.log"
    exit 1
}

stop() {
    kill -TERM "$relay"
    wait "$relay" || { cat "$work/serve.log"; exit 1; }
    relay=""
}

say "install"
expect inside apt-get update
install_package "$package"
inside roost version
inside roost-services version
expect inside test -s /usr/share/man/man1/roost-serve.1.gz -a -s /usr/share/man/man1/roost-store-verify.1.gz
expect roost_in check-config
expect inside sh -c '! ldd /usr/bin/roost /usr/bin/roost-services | grep -i "not found\|swift"'

say "start, and leave something"
start
printf 'kept over the upgrade\n' |
    roost_in "chat --as alice --with bob --set listen.port=18080" >"$work/chat" 2>&1 || { cat "$work/chat"; exit 1; }
expect roost_in "admin people --set listen.port=18080"
stop

say "upgrade"
dpkg-deb --raw-extract "$package" "$work/newer"
sed -i 's/^Version: .*/&+1/' "$work/newer/DEBIAN/control"
dpkg-deb --root-owner-group --build "$work/newer" "$work/newer.deb" >/dev/null
echo "# a change of the operator's" >>"$tree/etc/roost/roost.yaml"
install_package "$work/newer.deb"
grep -q "a change of the operator's" "$tree/etc/roost/roost.yaml" || { echo "the configuration was lost"; exit 1; }
expect roost_in "store verify"
start
expect roost_in "store export --to /tmp/all.jsonl"
grep -q "kept over the upgrade" "$tree/tmp/all.jsonl" || { echo "the message was lost"; exit 1; }
stop

say "remove, and purge"
expect inside env DEBIAN_FRONTEND=noninteractive apt-get remove -y roost
expect inside sh -c '! command -v roost && test -s /var/lib/roost/data/roost.db && test -s /etc/roost/roost.yaml'
expect inside env DEBIAN_FRONTEND=noninteractive apt-get purge -y roost
left=$(inside find /etc /lib /opt /srv /usr /var -xdev -name '*roost*' -not -path '/var/log/*' || true)
[ -z "$left" ] || { printf 'left behind:\n%s\n' "$left"; exit 1; }
say "the steps of the container file"
cp "$package" "$tree/tmp/roost.deb"
steps=$(sed -n '/^RUN /,/[^\\]$/p' Config/Containerfile | sed -e 's/^RUN //' -e 's/\\$//' | tr '\n' ' ')
expect inside sh -c "$steps"
expect inside setpriv --reuid roost --regid roost --clear-groups sh -c \
    'cd /var/lib/roost && ROOST_CONFIG=/etc/roost/roost.yaml ROOST_LISTEN_HOST=0.0.0.0 roost check-config'
say "all of it held"
