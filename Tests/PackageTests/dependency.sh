#!/usr/bin/env bash
# Builds a package that depends on a tagged version of this checkout and links RoostWire, as a client's would. SwiftPM
# refuses a versioned dependency whose products reach a target with unsafe flags: RoostClient is checked for that too.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/roost" "$folder/client/Sources/client" "$folder/client/Sources/session"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$folder/roost"
git -C "$folder/roost" init -q
git -C "$folder/roost" add -A
git -C "$folder/roost" -c user.name=test -c user.email=test@example.org commit -qm "A version"
git -C "$folder/roost" tag 1.0.0

cat >"$folder/client/Package.swift" <<EOF
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "file://$folder/roost", exact: "1.0.0")],
    targets: [
        .executableTarget(name: "client", dependencies: [.product(name: "RoostWire", package: "roost")]),
        .target(name: "session", dependencies: [.product(name: "RoostClient", package: "roost")]),
    ]
)
EOF
cat >"$folder/client/Sources/client/main.swift" <<'EOF'
import RoostWire
let writer = JSONWriter()
writer.begin("ping")
writer.member("id", 1)
writer.end()
guard JSONValue(parsing: writer.written)?["id"]?.integer == 1 else { fatalError("one can't read what one writes") }
print("linked")
EOF
printf 'import RoostClient\n' >"$folder/client/Sources/session/session.swift"

# The versions that this checkout was resolved to, so that nothing is fetched.
cp Package.resolved "$folder/client/" 2>/dev/null || true
if ! swift build --package-path "$folder/client" --product client --skip-update >"$folder/log" 2>&1; then
    cat "$folder/log"
    exit 1
fi
"$folder/client/.build/debug/client"
