// What to load, how, and for how long: the command line. Read once, then only looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Fan-out: one group that hears every writer. Pairs: one writer and one reader each.
enum class Load { fan_out, pairs };

// Raw: the ceiling, where the path names the topic and a payload goes to all who hear it. Else a command of Roost's.
enum class Kind { raw, signal, send };

struct Options {
    int port = 0;
    int server = 0;  // Its process.
    Load load = Load::fan_out;
    Kind kind = Kind::raw;
    size_t readers = 1000;
    size_t writers = 50;
    size_t size = 200;  // Of a payload.
    std::string to;     // The recipient in Roost; `{pair}` in it is the number of the pair.
    std::vector<std::string> tokens;
    // Closed loop: messages on their way in all. Each is tried for `try_seconds`, and the best is measured.
    std::vector<size_t> windows;
    double try_seconds = 1;
    // Open loop: messages a second in all, if that isn't 0. They count when `warm` seconds have passed.
    double rate = 0;
    double warm = 1;
    double seconds = 3;  // For so long it is measured.
    // Readers ack what they got once in so many milliseconds; 0: at once; below 0: never.
    int ack_ms = -1;

    bool is_roost() const { return kind != Kind::raw; }
    bool is_open_loop() const { return rate > 0; }
};

// Throws Failure.
Options read_options(int count, char **words);
