// libwebsockets and libev for Swift, and what the importer leaves out of them: function-like macros, and object macros
// that are built on other macros. Header only, so no C target has to be compiled.
#ifndef ROOST_CLIBWEBSOCKETS_SHIM_H
#define ROOST_CLIBWEBSOCKETS_SHIM_H

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Room that lws_write wants before a payload that it frames itself. LWS_WRITE_RAW needs none.
static inline size_t shim_lws_pre(void) { return LWS_PRE; }

// Adopts a connected socket that delivers plain bytes and carries `opaque` from its first callback on.
static inline struct lws *shim_lws_adopt(struct lws_vhost *vhost, int descriptor, void *opaque) {
    lws_adopt_desc_t adoption;
    memset(&adoption, 0, sizeof adoption);
    adoption.vh = vhost;
    adoption.type = LWS_ADOPT_SOCKET;
    adoption.fd.sockfd = descriptor;
    adoption.opaque = opaque;
    return lws_adopt_descriptor_vhost_via_info(&adoption);
}

// Why the peer's certificate isn't trusted, as OpenSSL says it; NULL if it is, or if there is none.
static inline const char *shim_lws_distrust(struct lws *wsi) {
    SSL *ssl = lws_get_ssl(wsi);
    long verdict = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
    return verdict == X509_V_OK ? NULL : X509_verify_cert_error_string(verdict);
}

// Ends a connection from the loop, without a close frame and without waiting: see lws_set_timeout.
static inline void shim_lws_kill(struct lws *wsi) { lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC); }

// The same at once: the callbacks of the end run before this returns. Not from a callback of the library.
static inline void shim_lws_kill_now(struct lws *wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

// Reads a connection that has something to read, as if the loop had noticed. Not from a callback of the library.
static inline void shim_lws_read(struct lws *wsi, int descriptor) {
    struct lws_pollfd ready = {descriptor, LWS_POLLIN, LWS_POLLIN};
    lws_service_fd(lws_get_context(wsi), &ready);
}

// Hidden behind _GNU_SOURCE, too.
static const short shim_pollrdhup = 0x2000;

// The 28 characters of Sec-WebSocket-Accept, and the two further bytes that the library wants.
#define shim_accept_bytes 30

// Writes the base64 of the SHA-1 of `bytes`. Returns the number of characters, or less than 1 on failure.
static inline int shim_accept_value(const unsigned char *bytes, size_t count, char *text) {
    unsigned char digest[20];
    lws_SHA1(bytes, count, digest);
    return lws_b64_encode_string((const char *)digest, sizeof digest, text, shim_accept_bytes);
}

// A timer of the library that is always due soon. Its libev plugin arms one watcher for the earliest timer, never
// moves that watcher to an earlier time, and arms it anew only when the watcher fires or the loop has nothing else to
// do. With this, every timeout of the library is late by one period at most, on a busy loop too.
struct shim_heartbeat {
    lws_sorted_usec_list_t timer; // first, so that its address is the structure's
    struct lws_context *context;
};

#define SHIM_HEARTBEAT_US (200 * LWS_US_PER_MS)

static void shim_heartbeat_again(lws_sorted_usec_list_t *timer) {
    lws_sul_schedule(((struct shim_heartbeat *)timer)->context, 0, timer, shim_heartbeat_again, SHIM_HEARTBEAT_US);
}

static inline void shim_heartbeat_start(struct shim_heartbeat *heartbeat, struct lws_context *context) {
    heartbeat->context = context;
    shim_heartbeat_again(&heartbeat->timer);
}

// glibc hides accept4 behind _GNU_SOURCE. Defining that here would change types that Swift's Glibc module has already
// imported without it, so the function is declared again.
extern int accept4(int listener, struct sockaddr *peer, socklen_t *size, int flags);

static inline int shim_accept(int listener, struct sockaddr_storage *peer) {
    socklen_t size = sizeof *peer;
    return accept4(listener, (struct sockaddr *)peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static inline int shim_listen_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

// ev_init and its family are macros that write into the watcher.
static inline struct ev_loop *shim_ev_loop_new(void) { return ev_loop_new(EVFLAG_NOENV | EVBACKEND_EPOLL); }

static inline void shim_ev_io_init(
    ev_io *watcher, void (*callback)(struct ev_loop *, ev_io *, int), int descriptor, void *data) {
    ev_io_init(watcher, callback, descriptor, EV_READ);
    watcher->data = data;
}

static inline void shim_ev_timer_init(
    ev_timer *watcher, void (*callback)(struct ev_loop *, ev_timer *, int), double after, double repeat, void *data) {
    ev_timer_init(watcher, callback, after, repeat);
    watcher->data = data;
}

// Moves a timer, earlier or later. libev forbids setting one that is running, so it is stopped first.
static inline void shim_ev_timer_move(struct ev_loop *loop, ev_timer *watcher, double after) {
    ev_timer_stop(loop, watcher);
    ev_timer_set(watcher, after, 0.);
    ev_timer_start(loop, watcher);
}

static inline void shim_ev_async_init(
    ev_async *watcher, void (*callback)(struct ev_loop *, ev_async *, int), void *data) {
    ev_async_init(watcher, callback);
    watcher->data = data;
}

static inline void shim_ev_prepare_init(
    ev_prepare *watcher, void (*callback)(struct ev_loop *, ev_prepare *, int), void *data) {
    ev_prepare_init(watcher, callback);
    watcher->data = data;
}

// Calls a watcher that was never started, before everything else that has happened.
static inline void shim_ev_urgent_init(
    ev_prepare *watcher, void (*callback)(struct ev_loop *, ev_prepare *, int), void *data) {
    shim_ev_prepare_init(watcher, callback, data);
    ev_set_priority(watcher, EV_MAXPRI);
}

static inline void shim_ev_check_init(
    ev_check *watcher, void (*callback)(struct ev_loop *, ev_check *, int), void *data) {
    ev_check_init(watcher, callback);
    watcher->data = data;
    // Before everything that has happened.
    ev_set_priority(watcher, EV_MAXPRI);
}

static inline void shim_ev_feed(struct ev_loop *loop, ev_prepare *watcher) { ev_feed_event(loop, watcher, EV_CUSTOM); }

// One turn without waiting.
static inline void shim_ev_turn(struct ev_loop *loop) { ev_run(loop, EVRUN_NOWAIT); }

static inline void shim_ev_break(struct ev_loop *loop) { ev_break(loop, EVBREAK_ALL); }

#endif
