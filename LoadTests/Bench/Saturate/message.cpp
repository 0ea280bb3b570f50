#include "message.h"

#include <array>
#include <algorithm>
#include <charconv>
#include <cstdio>

namespace {

constexpr size_t writer_digits = 4, number_digits = 12;
constexpr size_t letters = 26;
constexpr std::string_view sign = "@T", position_key = "\"position\":\"";

// No value: it isn't hexadecimal to its end.
std::optional<uint64_t> hexadecimal(std::string_view text) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size()) { return std::nullopt; }
    return value;
}

std::string payload(size_t size, Marker marker) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "@T%04zx%012llx", marker.writer,
                  static_cast<unsigned long long>(marker.number));
    std::string whole = text.data();
    whole.append(size - std::min(size, whole.size()), 'x');
    return whole;
}

std::string recipient(const Options &options, size_t pair) {
    constexpr std::string_view place = "{pair}";
    std::string to = options.to;
    size_t at = to.find(place);
    return at == std::string::npos ? to : to.replace(at, place.size(), std::to_string(pair));
}

}  // namespace

std::string message(const Options &options, size_t pair, Marker marker) {
    std::string body = payload(options.size, marker);
    if (options.kind == Kind::raw) { return body; }
    std::string text = options.kind == Kind::signal ? "{\"type\":\"signal\"" : "{\"type\":\"send\"";
    if (options.kind == Kind::send) {
        std::string number = std::to_string(marker.number + 1);
        text += ",\"id\":" + number + ",\"key\":\"k" + std::to_string(marker.writer) + "-" + number + "\"";
    }
    return text + ",\"to\":\"" + recipient(options, pair) + "\",\"body\":\"" + body + "\"}";
}

std::optional<Marker> marker_of(std::string_view text) {
    size_t at = text.find(sign);
    if (at == std::string_view::npos || text.size() - at < sign.size() + writer_digits + number_digits) {
        return std::nullopt;
    }
    auto writer = hexadecimal(text.substr(at + sign.size(), writer_digits));
    auto number = hexadecimal(text.substr(at + sign.size() + writer_digits, number_digits));
    if (!writer || !number) { return std::nullopt; }
    return Marker{*writer, *number};
}

std::string_view position_of(std::string_view text) {
    size_t at = text.find(position_key);
    if (at == std::string_view::npos) { return {}; }
    text.remove_prefix(at + position_key.size());
    return text.substr(0, text.find('"'));
}

std::string ack(std::string_view position) {
    return "{\"type\":\"ack\",\"position\":\"" + std::string(position) + "\"}";
}

std::string hello(const std::string &token) {
    return "{\"type\":\"hello\",\"id\":1,\"token\":\"" + token + "\",\"device\":\"d\"}";
}

std::string path(const Options &options, bool is_reader, size_t pair) {
    if (options.is_roost()) { return "/v1/socket"; }
    std::string topic = {char('a' + pair % letters), char('a' + pair / letters % letters)};
    return (is_reader ? "/sub/" : "/pub/") + topic;
}
