#!/usr/bin/env bash
# Fuzzes what reads bytes of strangers: Tests/Fuzz/run.sh SECONDS [TARGET...], each target for so many seconds. Targets:
# commands json frames requests proxies token configuration import. Needs the debug build (`make fuzz` makes it).
# Tests/Fuzz/Corpus is read and never written; what is found anew is kept in .build/fuzz/TARGET/corpus from run to run.
# Exits with 0 when nothing was found; else .build/fuzz/TARGET has a file crash-... that reproduces it:
# .build/fuzz/TARGET/fuzz .build/fuzz/TARGET/crash-...
set -euo pipefail
seconds=${1:?run.sh SECONDS [TARGET...]}
shift
cd "$(dirname "$0")/../.."
debug=.build/debug
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(commands json frames requests proxies token configuration import)

# SwiftPM's name for this package: that of its folder.
package=$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_]/_/g')

# swiftc with the options that all parts have in common. The tested code is instrumented, so that libFuzzer sees its
# paths.
compile() {
    swiftc -O -g -parse-as-library -swift-version 6 -enable-upcoming-feature ExistentialAny \
        -sanitize=fuzzer,address -package-name "$package" -I "$folder/modules" "$@"
}

# One of our modules, instrumented: module NAME [flags of swiftc].
module() {
    local name=$1
    shift
    local sources
    # With what SwiftPM and its plugins have written for it.
    mapfile -t sources < <(
        find "Sources/$name" "$debug/$name.build/DerivedSources" .build/plugins/outputs/*/"$name" -name '*.swift' \
            2>/dev/null | sort)
    compile -wmo -emit-object -emit-module -module-name "$name" -enable-testing -no-link-objc-runtime \
        -emit-module-path "$folder/modules/$name.swiftmodule" "$@" "${sources[@]}" -o "$folder/$name.o"
    objects+=("$folder/$name.o")
}

# The modules of `roost chat`, which is a part of that program and no part of the relay.
clients=(RoostChat RoostClient RoostClientLibwebsockets RoostKit RoostStore)

# The objects of which the debug build linked the relay, without its command and the modules named: without NAME...
others() {
    local but="roost"
    for name in "$@"; do but="$but|$name"; done
    sed "s/^'//; s/'$//" "$debug/roost.product/Objects.LinkFileList" | grep -vE "/($but)\.build/"
}

build() {
    local target=$1 sources=() libraries=()
    case "$target" in
        commands)
            module RoostWire
            module RoostNames
            module RoostFraming
            sources=(Tests/Fuzz/CommandFuzzer.swift)
            ;;
        json)
            module RoostWire
            sources=(Tests/Fuzz/JSONFuzzer.swift Tests/RoostWireTests/ReferenceJSON.swift)
            ;;
        frames)
            module RoostWire
            module RoostNames
            module RoostFraming
            sources=(Tests/Fuzz/FrameFuzzer.swift)
            ;;
        requests)
            module RoostWire
            sources=(Tests/Fuzz/RequestFuzzer.swift
                Sources/RoostTransport/{ClientAddress,HTTPMessages,RequestHead,RequestReader}.swift)
            ;;
        proxies)
            sources=(Tests/Fuzz/ProxyFuzzer.swift
                Sources/RoostTransport/{ClientAddress,ProxyList,ProxyHeader}.swift)
            ;;
        token)
            module RoostAuth -I "$debug/Modules" "${packages[@]}"
            mapfile -t libraries < <(others RoostAuth "${clients[@]}" RoostServer RoostStorage RoostTransport)
            sources=(Tests/Fuzz/TokenFuzzer.swift -I "$debug/Modules" "${packages[@]}")
            ;;
        configuration)
            module RoostConfiguration -Onone -I "$debug/Modules" "${packages[@]}"
            module RoostServer -Onone -I "$debug/Modules" "${packages[@]}"
            mapfile -t libraries < <(others "${clients[@]}" RoostConfiguration RoostServer)
            sources=(Tests/Fuzz/ConfigurationFuzzer.swift -I "$debug/Modules" "${packages[@]}")
            libraries+=(-lwebsockets -lev -lsqlite3)
            ;;
        import)
            module RoostWire
            module RoostNames
            module RoostFraming
            module RoostCore -I "$debug/Modules"
            module RoostStorage -I "$debug/Modules" "${packages[@]}"
            mapfile -t libraries < <(
                find "$debug"/{DequeModule,HeapModule,InternalCollectionsUtilities,ContainersPreview}.build \
                    -name '*.o')
            sources=(Tests/Fuzz/ImportFuzzer.swift -I "$debug/Modules" "${packages[@]}")
            libraries+=(-lsqlite3)
            ;;
        *)
            printf 'run.sh: no target %s\n' "$target" >&2
            exit 2
            ;;
    esac
    # The linker has something to say about each function of AddressSanitizer's own.
    compile -module-name Fuzz "${sources[@]}" "${objects[@]}" "${libraries[@]}" -lstdc++ -o "$folder/fuzz" \
        2> >(grep -v 'Cannot export local symbol' >&2)
}

# Where the compiler finds the C modules that ours import.
packages=()
for map in Sources/C*/module.modulemap "$debug/CBuild.build/module.modulemap"; do
    packages+=(-Xcc "-fmodule-map-file=$map")
done
while read -r map; do packages+=(-Xcc "-fmodule-map-file=$map" -Xcc -I -Xcc "$(dirname "$map")"); done < <(
    find "$debug" .build/checkouts -name module.modulemap -not -path '*/Tests/*' 2>/dev/null)

code=0
for target in "${targets[@]}"; do
    folder=.build/fuzz/$target
    objects=()
    mkdir -p "$folder/modules" "$folder/corpus"
    build "$target"
    # More than twice what a head may have, so that its bound is reached.
    bytes=4096
    [ "$target" != requests ] || bytes=40000
    printf 'fuzz: %s for %s s\n' "$target" "$seconds"
    # Without this the backtracer of Swift hangs on a crash instead of letting libFuzzer write its file.
    SWIFT_BACKTRACE=enable=no "$folder/fuzz" "$folder/corpus" "Tests/Fuzz/Corpus/$target" \
        -dict="Tests/Fuzz/Corpus/$target.dict" -artifact_prefix="$folder/" -max_len="$bytes" \
        -max_total_time="$seconds" -print_final_stats=1 -verbosity=1 2>"$folder/log" || code=$?
    grep -E 'stat::number_of_executed_units|SUMMARY|ERROR|Fatal' "$folder/log" || true
    [ "$code" -eq 0 ] || { tail -n 20 "$folder/log"; exit "$code"; }
done
