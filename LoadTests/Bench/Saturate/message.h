// What is said to either server, and how a message is known again: its payload begins with `@T`, four hexadecimal
// digits of its writer and twelve of its number. A server has to pass the payload on as it came.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "options.h"

struct Marker {
    size_t writer;
    uint64_t number;  // 0, 1, 2 … of each writer.
};

// The whole text that a writer sends. `pair` is that of the writer; 0 in a fan-out.
std::string message(const Options &options, size_t pair, Marker marker);

// The marker of a message that came; none if it is none, as a reply or a receipt is.
std::optional<Marker> marker_of(std::string_view text);

// The position by which it is acked, as the server wrote it; empty if it has none.
std::string_view position_of(std::string_view text);
std::string ack(std::string_view position);

std::string hello(const std::string &token);

// Where to connect. The ceiling knows topics by a hash of 12 bits of their names, and eight of room0 … room499 share
// one with another: each message of theirs would come twice, and in a closed loop each copy brings forth another. Two
// letters make no two alike (the bench's tests try it).
std::string path(const Options &options, bool is_reader, size_t pair);
