#!/usr/bin/env bash
# Builds an app in an empty folder that depends on a tagged version of this checkout, as an app developer's does, and
# runs it. SwiftPM refuses a versioned dependency whose products reach a target with unsafe flags. The app must link
# none of the C libraries that only the relay needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/roost" "$folder/app/Sources/app"
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
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "file://$folder/roost", exact: "1.0.0")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(name: "RoostClient", package: "roost"),
                .product(name: "RoostClientURLSession", package: "roost"),
                .product(name: "RoostWire", package: "roost"),
            ])
    ]
)
EOF
cp Tests/PackageTests/App.swift.txt "$folder/app/Sources/app/App.swift"

# The versions that this checkout was resolved to, so that nothing is fetched.
cp Package.resolved "$folder/app/" 2>/dev/null || true
if ! swift build --package-path "$folder/app" --product app --skip-update -v >"$folder/log" 2>&1; then
    grep -E 'error|warning' "$folder/log" || tail -50 "$folder/log"
    exit 1
fi
# The whole build: no header, library or source of the relay's.
for library in websockets simdjson ssl crypto sqlite3 RoostTransport RoostCore; do
    if grep -E "(-l$library|/$library\.build|Sources/$library/)" "$folder/log" >&2; then
        echo "The app builds or links $library." >&2
        exit 1
    fi
done
needed=$(readelf -d "$folder/app/.build/debug/app" | grep NEEDED)
if grep -E 'websockets|libev|simdjson|libssl|libcrypto|sqlite3' <<<"$needed" >&2; then
    echo "The app loads a library of the relay's." >&2
    exit 1
fi
"$folder/app/.build/debug/app"
