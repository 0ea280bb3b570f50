#include "closed_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "clocks.h"
#include "failure.h"

namespace {

constexpr double fill_seconds = 0.3;  // From a new window to what is measured of it; no longer than that.
constexpr double stall_seconds = 5;   // Nothing came for so long: something is lost.
constexpr double drain_seconds = 20;
constexpr int quiet_ms = 300;          // Nothing came for so long: nothing is on its way.
constexpr double settle_seconds = 2;   // Unless something is missing, which gets so long.
constexpr int wait_ms = 20;
constexpr size_t events_max = 1024;

}  // namespace

ClosedLoop::ClosedLoop(const Options &options, Crowd &crowd)
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

ClosedLoop::~ClosedLoop() {
    if (epoll_ >= 0) { close(epoll_); }
}

void ClosedLoop::drain() {
    share_ = 0;
    double time = now(), last = time, deadline = time + drain_seconds;
    while (true) {
        bool came = turn(quiet_ms);
        time = now();
        if (came) { last = time; }
        if (time > deadline) { throw Failure("the server went on sending with nothing to send"); }
        if (came) { continue; }
        std::string fault = crowd_.fault();
        if (fault.empty()) { return; }
        if (time > last + settle_seconds) { throw Lost(fault); }
    }
}

Figures ClosedLoop::measure(size_t window, double seconds) {
    share_ = std::max<size_t>(1, window / crowd_.flows.size());
    for (Flow &flow : crowd_.flows) { fill(flow); }
    run(std::min(fill_seconds, seconds));
    uint64_t deliveries = crowd_.deliveries();
    double begin = now(), server = server_seconds(options_.server), own = own_seconds();
    run(seconds);
    double span = now() - begin;
    return {
        .window = share_ * crowd_.flows.size(),
        .seconds = span,
        .deliveries = crowd_.deliveries() - deliveries,
        .server_cores = (server_seconds(options_.server) - server) / span,
        .generator_cores = (own_seconds() - own) / span};
}

void ClosedLoop::run(double seconds) {
    double time = now(), end = time + seconds, checked = time;
    uint64_t before = crowd_.deliveries();
    while (time < end) {
        turn(wait_ms);
        time = now();
        if (time < checked + stall_seconds) { continue; }
        uint64_t deliveries = crowd_.deliveries();
        if (deliveries == before) { throw Lost("messages stopped coming: they were lost, or the server stands"); }
        before = deliveries;
        checked = time;
    }
}

// False: nothing came within so many milliseconds.
bool ClosedLoop::turn(int wait_ms) {
    std::array<epoll_event, events_max> events;
    int count = epoll_wait(epoll_, events.data(), events.size(), wait_ms);
    if (count < 0 && errno != EINTR) { throw Failure(std::string("epoll_wait: ") + std::strerror(errno)); }
    for (int index = 0; index < count; ++index) {
        take_events(*static_cast<Session *>(events[index].data.ptr), events[index].events);
    }
    for (Flow *flow : touched_) {
        flow->is_touched = false;
        fill(*flow);
    }
    touched_.clear();
    if (options_.ack_ms > 0) { ack_in_turns(); }
    return count > 0;
}

void ClosedLoop::take_events(Session &session, uint32_t events) {
    if (events & EPOLLOUT) { flush(session); }
    if (!(events & ~EPOLLOUT)) { return; }
    if (!session.is_checked) {
        session.connection.drop();
        return;
    }
    if (!session.connection.read()) { return; }
    for (std::string_view text; session.connection.next_message(text);) { crowd_.take(session, text); }
    if (options_.ack_ms == 0) { ack_newest(session); }
    if (session.role == Role::reader && !session.flow.is_touched) {
        session.flow.is_touched = true;
        touched_.push_back(&session.flow);
    }
}

// As many messages as there is room for, by the flow's writers in turns.
void ClosedLoop::fill(Flow &flow) {
    uint64_t most = flow.heard() + share_;
    if (flow.written >= most) { return; }
    size_t first = flow.turn, count = most - flow.written;
    for (; flow.written < most; ++flow.written) {
        Session &writer = *flow.writers[flow.turn++ % flow.writers.size()];
        writer.connection.say(message(options_, flow.first_writer, {writer.number, writer.written++}));
    }
    for (size_t index = 0; index < std::min(count, flow.writers.size()); ++index) {
        flush(*flow.writers[(first + index) % flow.writers.size()]);
    }
}

void ClosedLoop::flush(Session &session) {
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
void ClosedLoop::ack_in_turns() {
    double rounds = (now() - acks_from_) * 1'000 / options_.ack_ms;
    uint64_t due = static_cast<uint64_t>(rounds * readers_.size());
    // After a long turn nobody needs a second ack.
    acks_given_ = std::max(acks_given_, due - std::min<uint64_t>(due, readers_.size()));
    for (; acks_given_ < due; ++acks_given_) { ack_newest(*readers_[acks_given_ % readers_.size()]); }
}

void ClosedLoop::ack_newest(Session &session) {
    if (session.unacked.empty()) { return; }
    session.connection.say(ack(session.unacked));
    session.unacked.clear();
    flush(session);
}
