// Keeps so many messages on their way, no more and no fewer: whoever reads one makes room for the next. So the server
// sets the pace, and does as much as it can as long as we can do more. One thread, one epoll; it reads clocks only once
// a turn. What is right to get is the crowd's to say.
#pragma once

#include <vector>

#include "crowd.h"

// What a window came to.
struct Figures {
    size_t window = 0;
    double seconds = 0;
    uint64_t deliveries = 0;
    double server_cores = 0, generator_cores = 0;

    double per_second() const { return deliveries / seconds; }
};

class ClosedLoop {
  public:
    ClosedLoop(const Options &options, Crowd &crowd);
    ~ClosedLoop();
    ClosedLoop(const ClosedLoop &) = delete;
    ClosedLoop &operator=(const ClosedLoop &) = delete;

    // Reads until nothing comes any more. Throws Failure if that doesn't happen, Lost if the crowd finds a fault then.
    void drain();
    // Measures a window, after a moment in which it fills.
    Figures measure(size_t window, double seconds);

  private:
    void run(double seconds);
    bool turn(int wait_ms);
    void take_events(Session &session, uint32_t events);
    void fill(Flow &flow);
    void flush(Session &session);
    void ack_in_turns();
    void ack_newest(Session &session);

    const Options &options_;
    Crowd &crowd_;
    int epoll_ = -1;
    size_t share_ = 0;  // Of the window, for each flow.
    std::vector<Session *> readers_;
    std::vector<Flow *> touched_;
    double acks_from_ = 0;
    uint64_t acks_given_ = 0;
};
