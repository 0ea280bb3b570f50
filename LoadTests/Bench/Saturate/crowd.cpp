#include "crowd.h"

#include <algorithm>

#include "failure.h"

namespace {

// In a closed loop so many of a fan-out's readers are checked, at even distances, the first and the last among them.
constexpr size_t checked_readers_max = 4;
constexpr std::string_view answer = "\"type\":\"ok\"", refusal = "\"type\":\"error\"";

bool is_sample(size_t number, size_t count) {
    size_t samples = std::min(count, checked_readers_max);
    for (size_t sample = 0; sample < samples; ++sample) {
        if (number == (samples == 1 ? 0 : sample * (count - 1) / (samples - 1))) { return true; }
    }
    return false;
}

std::string words(uint64_t count) { return std::to_string(count); }

}  // namespace

uint64_t Flow::heard() const {
    uint64_t least = checked.front()->heard;
    for (const Session *reader : checked) { least = std::min(least, reader->heard); }
    return least;
}

Session::Session(const Options &options, Flow &flow, Role role, size_t number, const std::string &token)
    : connection((role == Role::reader ? "reader " : "writer ") + words(number), options.port,
                 path(options, role == Role::reader, flow.first_writer), options.is_roost() ? "roost.v1" : "",
                 options.is_roost() ? hello(token) : ""),
      flow(flow), role(role), number(number) {}

Crowd::Crowd(const Options &options) : options_(options) {
    if (options.load == Load::fan_out) {
        Flow &flow = flows.emplace_back();
        for (size_t number = 0; number < options.readers; ++number) {
            open(flow, Role::reader, number, options.is_open_loop() || is_sample(number, options.readers));
        }
        for (size_t number = 0; number < options.writers; ++number) { open(flow, Role::writer, number, number == 0); }
        return;
    }
    for (size_t pair = 0; pair < options.readers; ++pair) {
        Flow &flow = flows.emplace_back();
        flow.first_writer = pair;
        open(flow, Role::reader, pair, true);
        open(flow, Role::writer, pair, pair == 0);
    }
}

// Tokens are in the order in which sessions are opened.
void Crowd::open(Flow &flow, Role role, size_t number, bool is_checked) {
    std::string token = options_.is_roost() ? options_.tokens.at(sessions.size()) : "";
    Session &session = sessions.emplace_back(options_, flow, role, number, token);
    session.is_checked = is_checked;
    if (role == Role::writer) {
        flow.writers.push_back(&session);
        return;
    }
    ++flow.readers;
    if (is_checked) {
        flow.checked.push_back(&session);
        session.next.resize(options_.load == Load::fan_out ? options_.writers : 1);
    }
}

uint64_t Crowd::written() const {
    uint64_t sum = 0;
    for (const Flow &flow : flows) { sum += flow.written; }
    return sum;
}

uint64_t Crowd::deliveries() const {
    uint64_t sum = 0;
    for (const Flow &flow : flows) { sum += flow.heard() * flow.readers; }
    return sum;
}

void Crowd::write(Session &writer) {
    writer.connection.say(message(options_, writer.flow.first_writer, {writer.number, writer.written++}));
    ++writer.flow.written;
}

std::optional<Marker> Crowd::take(Session &session, std::string_view text) {
    const std::string &name = session.connection.name();
    auto marker = marker_of(text);
    if (!marker) {
        if (text.find(refusal) != std::string_view::npos) {
            throw Failure(name + " was answered: " + std::string(text.substr(0, 200)));
        }
        session.answered += text.find(answer) != std::string_view::npos;
        return std::nullopt;
    }
    if (session.role == Role::writer) { return std::nullopt; }
    size_t writer = marker->writer - session.flow.first_writer;
    if (marker->writer < session.flow.first_writer || writer >= session.next.size()) {
        throw Lost(name + " got a message of writer " + words(marker->writer) + ", whom it should not hear");
    }
    if (marker->number != session.next[writer]) {
        throw Lost(name + " got message " + words(marker->number) + " of writer " + words(marker->writer) +
                   " where " + words(session.next[writer]) + " was to come: lost, doubled or out of order");
    }
    ++session.next[writer];
    ++session.heard;
    if (options_.ack_ms >= 0) { session.unacked = position_of(text); }
    return marker;
}

void Crowd::forget_bytes() {
    for (Session &session : sessions) { session.connection.forget(); }
}

std::string Crowd::fault() const {
    // Bytes are counted from when everybody was there.
    if (!written()) { return ""; }
    for (const Flow &flow : flows) {
        for (const Session *reader : flow.checked) {
            if (reader->heard == flow.written) { continue; }
            return reader->connection.name() + " got " + words(reader->heard) + " of " + words(flow.written) +
                   " messages";
        }
    }
    for (const Session &session : sessions) {
        if (std::string words = fault(session); !words.empty()) { return words; }
    }
    return "";
}

std::string Crowd::fault(const Session &session) const {
    const Connection &connection = session.connection;
    if (session.is_checked && !connection.is_between_frames()) { return connection.name() + " got a part of a frame"; }
    if (session.role == Role::writer) {
        if (options_.kind != Kind::send || !session.is_checked || session.answered == session.written) { return ""; }
        return connection.name() + " got " + words(session.answered) + " answers to " + words(session.written) +
               " messages";
    }
    // The checked readers have got every message once. A reader with another number of bytes has not: no reader gets
    // anything else, not even receipts, which Roost sends to the members of groups of up to 256.
    const Connection &first = session.flow.checked.front()->connection;
    if (options_.load == Load::pairs || connection.bytes() == first.bytes()) { return ""; }
    return connection.name() + " got " + words(connection.bytes()) + " bytes, where " + first.name() + " got " +
           words(first.bytes()) + " with all " + words(session.flow.written) + " messages: lost, doubled or altered";
}
