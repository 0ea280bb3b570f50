// Keeps a fixed number of messages in flight: each message read makes room for the next. So the server sets the pace,
// and does as much as it can as long as we can do more. It reads clocks only once a turn, and says nothing of latency.
#pragma once

#include <vector>

#include "loop.h"

// What a window came to.
struct Figures {
    size_t window = 0;
    double seconds = 0;
    uint64_t deliveries = 0;
    double server_cores = 0, generator_cores = 0;

    double per_second() const { return deliveries / seconds; }
};

class ClosedLoop : public Loop {
  public:
    ClosedLoop(const Options &options, Crowd &crowd) : Loop(options, crowd) {}

    // Measures a window, after a moment in which it fills.
    Figures measure(size_t window, double seconds);

  private:
    void run(double seconds);
    void turn();
    void came(Session &session) override;
    void fill(Flow &flow);

    size_t share_ = 0;  // Share of the window for each flow.
    std::vector<Flow *> touched_;
};
