// All sessions of a run: the writers, the readers, and those readers whose every message is read and checked: a sample,
// or all of them in an open loop. The others' bytes are dropped unread and counted. It opens the sessions, and judges
// in the end whether each reader got everything.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "connection.h"
#include "message.h"

struct Flow;

enum class Role { reader, writer };

struct Session {
    // Opens it. `number`: of all readers, or of all writers.
    Session(const Options &options, Flow &flow, Role role, size_t number, const std::string &token);

    Connection connection;
    Flow &flow;
    const Role role;
    const size_t number;
    bool is_checked = false;  // Else its bytes are dropped.
    bool is_full = false;     // Its socket takes no more; epoll says when it does.
    uint64_t written = 0;     // By a writer.
    uint64_t answered = 0;
    // Of a checked reader: the number that is to come next from each writer of its flow.
    std::vector<uint64_t> next;
    uint64_t heard = 0;
    std::string unacked;  // The position of what came last; empty if it is acked.
};

// Writers and those who hear them: all of a fan-out, or one pair.
struct Flow {
    size_t first_writer = 0;  // Also the number of the pair.
    size_t readers = 0;
    std::vector<Session *> writers, checked;
    uint64_t written = 0;
    size_t turn = 0;
    bool is_touched = false;

    // What all its checked readers have.
    uint64_t heard() const;
};

class Crowd {
  public:
    explicit Crowd(const Options &options);

    std::deque<Session> sessions;
    std::deque<Flow> flows;

    uint64_t written() const;
    // Deliveries so far: what is heard, by all its readers.
    uint64_t deliveries() const;

    // Adds a writer's next message to what it is to send.
    void write(Session &writer);

    // Notes what a checked session got. The marker of a message that a reader got; none of all else. Throws Lost if a
    // message is missing, came twice or out of order, or is another's; Failure if the server refused something.
    std::optional<Marker> take(Session &session, std::string_view text);

    // From here on bytes count; called while nothing is on its way.
    void forget_bytes();
    // What is wrong when nothing is on its way any more; empty if nothing is. Each reader has to have as many bytes as
    // those whose messages were checked, and each checked writer an answer to all it sent.
    std::string fault() const;

  private:
    std::string fault(const Session &session) const;
    void open(Flow &flow, Role role, size_t number, bool is_checked);

    const Options &options_;
};
