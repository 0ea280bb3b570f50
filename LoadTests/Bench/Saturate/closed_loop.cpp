#include "closed_loop.h"

#include <algorithm>

#include "clocks.h"
#include "failure.h"

namespace {

constexpr double fill_seconds = 0.3;  // From a new window to what is measured of it; no longer than that.
constexpr double stall_seconds = 5;   // Nothing came for so long: something is lost.
constexpr int wait_ms = 20;

}  // namespace

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
        turn();
        time = now();
        if (time < checked + stall_seconds) { continue; }
        uint64_t deliveries = crowd_.deliveries();
        if (deliveries == before) { throw Lost("messages stopped coming: they were lost, or the server stands"); }
        before = deliveries;
        checked = time;
    }
}

void ClosedLoop::turn() {
    poll(wait_ms, events_max);
    for (Flow *flow : touched_) {
        flow->is_touched = false;
        fill(*flow);
    }
    touched_.clear();
}

void ClosedLoop::came(Session &session) {
    if (session.role != Role::reader || session.flow.is_touched) { return; }
    session.flow.is_touched = true;
    touched_.push_back(&session.flow);
}

// As many messages as there is room for, by the flow's writers in turns.
void ClosedLoop::fill(Flow &flow) {
    uint64_t most = flow.heard() + share_;
    if (flow.written >= most) { return; }
    size_t first = flow.turn, count = most - flow.written;
    while (flow.written < most) { crowd_.write(*flow.writers[flow.turn++ % flow.writers.size()]); }
    for (size_t index = 0; index < std::min(count, flow.writers.size()); ++index) {
        flush(*flow.writers[(first + index) % flow.writers.size()]);
    }
}
