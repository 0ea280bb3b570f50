// Sends at a fixed rate, whatever the server does, and measures how long each delivery took from when its message was
// due: what the server holds up counts, and so does all that we are late with. It polls, so that nothing has to wake
// it; all readers are read. What is right to get is the crowd's to say.
#pragma once

#include <vector>

#include "loop.h"
#include "spread.h"

class OpenLoop : public Loop {
  public:
    OpenLoop(const Options &options, Crowd &crowd);

    // Sends all messages, the warm-up's first. Measured are those after it, of which the last come while draining.
    void run();

    // Each from when its message was due to when it was read.
    const Spread &deliveries() const { return deliveries_; }
    // Each message from when it was due to when it was handed to the socket.
    const Spread &lateness() const { return lateness_; }
    double server_cores() const { return server_cores_; }
    // Of the time: there was something to write or to read. By CPU time it would always be all of it.
    double busy() const { return busy_; }

  private:
    double turn_until(double end);
    size_t write_due(double time);
    void came(Session &session) override;
    void heard(Marker marker) override;
    double due(uint64_t message) const { return begin_ + message / options_.rate; }

    std::vector<Session *> writers_;
    // Messages are numbered by when they are due; message k is of writer k modulo their number.
    uint64_t written_ = 0, first_ = 0, end_ = 0;  // Those from `first_` on are measured.
    double begin_ = 0, read_at_ = 0;
    Spread deliveries_, lateness_;
    double server_cores_ = 0, busy_ = 0;
};
