#include "loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "clocks.h"
#include "failure.h"

namespace {

constexpr double drain_seconds = 20;
constexpr int quiet_ms = 300;          // Nothing came for so long: nothing is on its way.
constexpr double settle_seconds = 2;   // Unless something is missing, which gets so long.

}  // namespace

Loop::Loop(const Options &options, Crowd &crowd)
    : options_(options), crowd_(crowd), epoll_(epoll_create1(EPOLL_CLOEXEC)), acks_from_(now()) {
    if (epoll_ < 0) { throw Failure(std::string("epoll_create1: ") + std::strerror(errno)); }
    for (Session &session : crowd.sessions) {
        epoll_event event{.events = EPOLLIN, .data = {.ptr = &session}};
        if (epoll_ctl(epoll_, EPOLL_CTL_ADD, session.connection.descriptor(), &event) != 0) {
            throw Failure(std::string("epoll_ctl: ") + std::strerror(errno));
        }
        if (session.role == Role::reader && session.is_checked) { readers_.push_back(&session); }
    }
}

Loop::~Loop() {
    if (epoll_ >= 0) { close(epoll_); }
}

void Loop::drain() {
    double time = now(), last = time, deadline = time + drain_seconds;
    while (true) {
        bool came = poll(quiet_ms, events_max);
        time = now();
        if (came) { last = time; }
        if (time > deadline) { throw Failure("the server went on sending with nothing to send"); }
        if (came) { continue; }
        std::string fault = crowd_.fault();
        if (fault.empty()) { return; }
        if (time > last + settle_seconds) { throw Lost(fault); }
    }
}

bool Loop::poll(int wait_ms, size_t most) {
    std::array<epoll_event, events_max> events;
    int count = epoll_wait(epoll_, events.data(), std::min(most, events.size()), wait_ms);
    if (count < 0 && errno != EINTR) { throw Failure(std::string("epoll_wait: ") + std::strerror(errno)); }
    for (int index = 0; index < count; ++index) {
        take_events(*static_cast<Session *>(events[index].data.ptr), events[index].events);
    }
    if (options_.ack_ms > 0) { ack_in_turns(); }
    return count > 0;
}

void Loop::take_events(Session &session, uint32_t events) {
    if (events & EPOLLOUT) { flush(session); }
    if (!(events & ~EPOLLOUT)) { return; }
    if (!session.is_checked) {
        session.connection.drop();
        return;
    }
    if (!session.connection.read()) { return; }
    came(session);
    for (std::string_view text; session.connection.next_message(text);) {
        if (auto marker = crowd_.take(session, text)) { heard(*marker); }
    }
    if (options_.ack_ms == 0) { ack_newest(session); }
}

void Loop::flush(Session &session) {
    bool is_full = !session.connection.flush();
    if (is_full == session.is_full) { return; }
    session.is_full = is_full;
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &session}};
    if (is_full) { event.events |= EPOLLOUT; }
    if (epoll_ctl(epoll_, EPOLL_CTL_MOD, session.connection.descriptor(), &event) != 0) {
        throw Failure(std::string("epoll_ctl: ") + std::strerror(errno));
    }
}

// Every reader once in `ack_ms`, evenly spread over that time, and not all at its end.
void Loop::ack_in_turns() {
    double rounds = (now() - acks_from_) * 1'000 / options_.ack_ms;
    uint64_t due = static_cast<uint64_t>(rounds * readers_.size());
    // After a long turn a second ack has no use.
    acks_given_ = std::max(acks_given_, due - std::min<uint64_t>(due, readers_.size()));
    for (; acks_given_ < due; ++acks_given_) { ack_newest(*readers_[acks_given_ % readers_.size()]); }
}

void Loop::ack_newest(Session &session) {
    if (session.unacked.empty()) { return; }
    session.connection.say(ack(session.unacked));
    session.unacked.clear();
    flush(session);
}
