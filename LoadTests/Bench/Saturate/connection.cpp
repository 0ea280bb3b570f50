#include "connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "failure.h"

namespace {

constexpr int handshake_seconds = 20;
constexpr size_t read_bytes = 1 << 20;
constexpr size_t head_bytes_max = 1 << 16;
enum Opcode { text = 1, close_session = 8 };

std::array<char, read_bytes> buffer;

size_t byte_at(const std::string &bytes, size_t index) { return static_cast<unsigned char>(bytes[index]); }

}  // namespace

Connection::Connection(const std::string &name, int port, const std::string &path, const std::string &protocol,
                       const std::string &hello)
    : name_(name) {
    dial(port);
    upgrade(port, path, protocol);
    if (!hello.empty()) {
        say(hello);
        if (!flush()) { fail("hello was not taken"); }
        await_welcome();
    }
    if (fcntl(descriptor_, F_SETFL, O_NONBLOCK) != 0) { fail(std::strerror(errno)); }
}

Connection::~Connection() {
    if (descriptor_ >= 0) { close(descriptor_); }
}

void Connection::dial(int port) {
    descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0) { fail(std::strerror(errno)); }
    int on = 1;
    timeval patience{handshake_seconds, 0};
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
        fail(std::string("can't connect: ") + std::strerror(errno));
    }
}

void Connection::upgrade(int port, const std::string &path, const std::string &protocol) {
    unsent_ = "GET " + path + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port) +
              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
              "\r\nSec-WebSocket-Version: 13\r\n" +
              (protocol.empty() ? "" : "Sec-WebSocket-Protocol: " + protocol + "\r\n") + "\r\n";
    if (!flush()) { fail("the request was not taken"); }
    size_t end = std::string::npos;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
        if (unread_.size() > head_bytes_max) { fail("no end of the answer to the upgrade"); }
        receive_waiting();
    }
    if (unread_.compare(0, 12, "HTTP/1.1 101") != 0) { fail("not upgraded: " + unread_.substr(0, 80)); }
    unread_.erase(0, end + 4);
}

void Connection::await_welcome() {
    for (std::string_view payload;;) {
        if (!next_message(payload)) {
            receive_waiting();
        } else if (payload.find("\"type\":\"welcome\"") != std::string_view::npos) {
            // Whatever came with the handshake is no delivery, and no other code would take it.
            while (next_message(payload)) {}
            return;
        } else if (payload.find("\"type\":\"error\"") != std::string_view::npos) {
            fail("hello was refused: " + std::string(payload.substr(0, 200)));
        }
    }
}

void Connection::receive_waiting() {
    if (!read()) { fail("no answer in time"); }
}

bool Connection::drop() {
    // With MSG_TRUNC the kernel only counts the bytes of a TCP socket (tcp(7)), and writes nothing to the buffer.
    ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), MSG_TRUNC);
    if (count == 0) { fail("the server cut it"); }
    if (count < 0 && errno != EAGAIN) { fail(std::strerror(errno)); }
    bytes_ += count > 0 ? count : 0;
    return count > 0;
}

bool Connection::read() {
    ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (count == 0) { fail("the server cut it"); }
    if (count < 0 && errno != EAGAIN) { fail(std::strerror(errno)); }
    if (count <= 0) { return false; }
    bytes_ += count;
    unread_.erase(0, taken_);
    taken_ = 0;
    unread_.append(buffer.data(), count);
    return true;
}

bool Connection::next_message(std::string_view &payload) {
    size_t there = unread_.size() - taken_;
    if (there < 2) { return false; }
    size_t opcode = byte_at(unread_, taken_) & 15, length = byte_at(unread_, taken_ + 1) & 127;
    size_t extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (there < 2 + extra) { return false; }
    if (extra) { length = 0; }
    for (size_t index = 0; index < extra; ++index) { length = length << 8 | byte_at(unread_, taken_ + 2 + index); }
    if (there - 2 - extra < length) { return false; }
    payload = std::string_view(unread_).substr(taken_ + 2 + extra, length);
    if (opcode == close_session) { fail("the server closed it: " + std::string(payload.substr(0, 80))); }
    // A ping can't be answered where bytes are dropped, and would count as if it were a delivery.
    if (opcode != text) { fail("a frame of opcode " + std::to_string(opcode) + " came, where only texts may"); }
    taken_ += 2 + extra + length;
    return true;
}

void Connection::say(std::string_view payload) {
    constexpr char masked = char(0x80), whole_text = char(0x81);
    unsent_ += whole_text;
    if (payload.size() < 126) {
        unsent_ += char(masked | payload.size());
    } else {
        if (payload.size() > 65'535) { fail("a payload is too long"); }
        unsent_ += char(masked | 126);
        unsent_ += char(payload.size() >> 8);
        unsent_ += char(payload.size());
    }
    // Masked by zeros, which leaves the bytes as they are.
    unsent_.append(4, '\0').append(payload);
}

bool Connection::flush() {
    size_t sent = 0;
    while (sent < unsent_.size()) {
        ssize_t count = send(descriptor_, unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN) { fail(std::strerror(errno)); }
        if (count <= 0) { break; }
        sent += count;
    }
    unsent_.erase(0, sent);
    return unsent_.empty();
}

void Connection::fail(const std::string &words) const { throw Failure(name_ + ": " + words); }
