#!/usr/bin/env bash
# Builds an app and a bot in an empty folder that depend on a tagged version of this checkout, as an app developer's do,
# and runs them. SwiftPM refuses a versioned dependency whose products reach a target with unsafe flags. They must link
# none of the C libraries that only the relay needs; the app has SQLite for its store, the bot has nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/roost" "$folder/app/Sources/app" "$folder/app/Sources/bot"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$folder/roost"
git -C "$folder/roost" init -q
git -C "$folder/roost" add -A
git -C "$folder/roost" -c user.name=test -c user.email=test@example.org commit -qm "A version"
git -C "$folder/roost" tag 1.0.0

cat >"$folder/app/Package.swift" <<EOF
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "app",
    platforms: [.macOS(.v14)],
    dependencies: [.package(url: "file://$folder/roost", exact: "1.0.0")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(name: "RoostAccounts", package: "roost"),
                .product(name: "RoostKit", package: "roost"),
                .product(name: "RoostClientURLSession", package: "roost"),
                .product(name: "RoostWire", package: "roost"),
            ]),
        .executableTarget(
            name: "bot",
            dependencies: [
                .product(name: "RoostClient", package: "roost"),
                .product(name: "RoostClientURLSession", package: "roost"),
                .product(name: "RoostWire", package: "roost"),
            ]),
    ]
)
EOF
cp Tests/PackageTests/App.swift.txt "$folder/app/Sources/app/App.swift"
cp Tests/PackageTests/Bot.swift.txt "$folder/app/Sources/bot/Bot.swift"

# The versions that this checkout was resolved to, so that nothing is fetched.
cp Package.resolved "$folder/app/" 2>/dev/null || true

# No header, library or source of the relay's, in the whole build and in what the program loads. `$1` is the program,
# the others name what it mustn't have.
build() {
    local program=$1
    shift
    if ! swift build --package-path "$folder/app" --product "$program" --skip-update -v >"$folder/log" 2>&1; then
        grep -E 'error|warning' "$folder/log" || tail -50 "$folder/log"
        exit 1
    fi
    local library needed
    for library in "$@"; do
        if grep -E "(-l$library|/$library\.build|Sources/$library/)" "$folder/log" >&2; then
            echo "The $program builds or links $library." >&2
            exit 1
        fi
    done
    needed=$(readelf -d "$folder/app/.build/debug/$program" | grep NEEDED)
    for library in "$@"; do
        if grep "lib$library" <<<"$needed" >&2; then
            echo "The $program loads $library." >&2
            exit 1
        fi
    done
    "$folder/app/.build/debug/$program"
}

relay=(websockets ev simdjson ssl crypto RoostTransport RoostCore RoostStorage RoostServer)
build bot "${relay[@]}" sqlite3 CSQLite
build app "${relay[@]}"
