// What the closed and the open loop share: one thread and one epoll over all sessions. It reads those that are checked
// and drops what came to the others, sends what their sockets take, and lets readers ack in turns. When to write and
// what to measure is not its business, and what is right to get is the crowd's to say.
#pragma once

#include <vector>

#include "crowd.h"

class Loop {
  public:
    virtual ~Loop();
    Loop(const Loop &) = delete;
    Loop &operator=(const Loop &) = delete;

    // Reads until nothing comes any more. Throws Failure if that doesn't happen, Lost if the crowd finds a fault then.
    void drain();

  protected:
    static constexpr size_t events_max = 1024;

    Loop(const Options &options, Crowd &crowd);

    // Takes up to so many events. False: there was none within so many milliseconds.
    bool poll(int wait_ms, size_t events);
    // Sends as much as the socket takes; the rest goes when it takes more.
    void flush(Session &session);

    // Bytes of a checked session were just read; its messages are taken after this.
    virtual void came(Session &session) = 0;
    // A reader got this message, and the crowd found nothing wrong with it.
    virtual void heard(Marker) {}

    const Options &options_;
    Crowd &crowd_;

  private:
    void take_events(Session &session, uint32_t events);
    void ack_in_turns();
    void ack_newest(Session &session);

    int epoll_ = -1;
    std::vector<Session *> readers_;
    double acks_from_ = 0;
    uint64_t acks_given_ = 0;
};
