// One WebSocket (RFC 6455) to the server, on the only thread. It connects and says hello while it blocks, and never
// blocks from then on. It can read frames, or let the kernel drop the bytes and count them. It judges nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

class Connection {
  public:
    // `name` is for people. `protocol` and `hello`: empty for a server that wants none; else it returns once the server
    // has said welcome.
    Connection(const std::string &name, int port, const std::string &path, const std::string &protocol,
               const std::string &hello);
    ~Connection();
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    int descriptor() const { return descriptor_; }
    const std::string &name() const { return name_; }

    // Bytes read or dropped since `forget`.
    uint64_t bytes() const { return bytes_; }
    void forget() { bytes_ = 0; }

    // Drops what is there, without a copy. False: nothing was there.
    bool drop();
    // Reads what is there, for next_message. False: nothing was there.
    bool read();
    // The next whole text message that was read, until the call after it.
    bool next_message(std::string_view &payload);
    bool is_between_frames() const { return taken_ == unread_.size(); }

    // Adds a text frame to what is to be sent.
    void say(std::string_view payload);
    // Sends as much as the socket takes. True: nothing is left.
    bool flush();

  private:
    void dial(int port);
    void upgrade(int port, const std::string &path, const std::string &protocol);
    void await_welcome();
    void receive_waiting();
    [[noreturn]] void fail(const std::string &words) const;

    std::string name_;
    int descriptor_ = -1;
    uint64_t bytes_ = 0;
    std::string unread_, unsent_;
    size_t taken_ = 0;  // Of what is unread.
};
