#!/bin/sh
# Fuzzes the command decoder: Tests/Fuzz/run.sh [seconds] [folder]. The folder (default .build/fuzz) keeps the corpus
# from run to run. Exits with 0 when nothing was found; else the folder has a file crash-… that reproduces it:
# FOLDER/fuzz FOLDER/crash-…
set -eu
seconds=${1:-60}
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${2:-$root/.build/fuzz}
mkdir -p "$folder/module" "$folder/corpus" "$folder/seeds"

printf 'module CSimdjson { header "%s" link "simdjson" export * }\n' \
    "$root/Sources/CSimdjson/include/CSimdjson.h" > "$folder/module/module.modulemap"
clang++ -std=c++17 -O1 -g -fsanitize=address,fuzzer-no-link -I "$root/Sources/CSimdjson/include" \
    -c "$root/Sources/CSimdjson/json.cpp" -o "$folder/json.o"
swiftc -O -g -parse-as-library -swift-version 6 -sanitize=fuzzer,address -module-name CommandFuzzer \
    -I "$folder/module" "$root"/Sources/RoostWire/*.swift "$root/Tests/Fuzz/CommandFuzzer.swift" \
    "$folder/json.o" -lstdc++ -o "$folder/fuzz"

# The examples of the protocol are the seeds, and its words the dictionary.
count=0
grep '^{"type":' "$root/Docs/Protocol.md" | while read -r line; do
    count=$((count + 1))
    printf '%s' "$line" > "$folder/seeds/$count"
done
grep -o '"[a-z.A-Z]*"' "$root/Docs/Protocol.md" | sort -u | sed 's/"\(.*\)"/"\\"\1\\""/' > "$folder/words"

# Without this the backtracer of Swift hangs on a crash instead of letting libFuzzer write its file.
SWIFT_BACKTRACE=enable=no "$folder/fuzz" "$folder/corpus" "$folder/seeds" -dict="$folder/words" \
    -artifact_prefix="$folder/" -max_len=4096 -max_total_time="$seconds" -print_final_stats=1 -verbosity=1
