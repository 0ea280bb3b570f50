#include "open_loop.h"

#include <algorithm>
#include <cmath>

#include "clocks.h"
#include "failure.h"

namespace {

// What is due next doesn't wait for all members of a group to be read; and who writes much reads as much.
constexpr size_t turn_events_min = 64;

}  // namespace

OpenLoop::OpenLoop(const Options &options, Crowd &crowd) : Loop(options, crowd) {
    for (Session &session : crowd.sessions) {
        if (session.role == Role::writer) { writers_.push_back(&session); }
    }
    first_ = std::ceil(options.warm * options.rate);
    end_ = std::ceil((options.warm + options.seconds) * options.rate);
    if (first_ == end_) { throw Failure("no message is due in --seconds at that --rate"); }
}

void OpenLoop::run() {
    begin_ = now();
    double from = begin_ + options_.warm;
    turn_until(from);
    double begin = now(), server = server_seconds(options_.server);
    double idle = turn_until(from + options_.seconds);
    write_due(due(end_ - 1));
    double span = now() - begin;
    server_cores_ = (server_seconds(options_.server) - server) / span;
    busy_ = 1 - idle / span;
}

// The seconds in which there was nothing to do.
double OpenLoop::turn_until(double end) {
    double time = now(), idle = 0;
    while (time < end) {
        size_t wrote = write_due(time);
        bool was_busy = poll(0, std::max(wrote, turn_events_min)) || wrote > 0;
        double next = now();
        if (!was_busy) { idle += next - time; }
        time = next;
    }
    return idle;
}

// Everything that is due by now, all of a writer's in one go. How many messages that was.
size_t OpenLoop::write_due(double time) {
    uint64_t from = written_;
    while (written_ < end_ && due(written_) <= time) { ++written_; }
    uint64_t writers = std::min<uint64_t>(written_ - from, writers_.size());
    for (uint64_t first = from; first < from + writers; ++first) {
        Session &writer = *writers_[first % writers_.size()];
        for (uint64_t message = first; message < written_; message += writers_.size()) { crowd_.write(writer); }
        flush(writer);
        // What its socket didn't take now is as good as sent: it waits for the server, and counts as that.
        double sent = now();
        for (uint64_t message = first; message < written_; message += writers_.size()) {
            if (message >= first_) { lateness_.add(sent - due(message)); }
        }
    }
    return written_ - from;
}

void OpenLoop::came(Session &) { read_at_ = now(); }

void OpenLoop::heard(Marker marker) {
    uint64_t message = marker.number * writers_.size() + marker.writer;
    if (message >= first_) { deliveries_.add(read_at_ - due(message)); }
}
