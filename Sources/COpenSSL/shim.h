// OpenSSL for Swift, and what the importer leaves out of it: function-like macros. Header only, so no C target has to
// be compiled.
#ifndef ROOST_COPENSSL_SHIM_H
#define ROOST_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

// The memory that TLS reads and writes instead of a socket: bytes that have arrived, lent for one call, and bytes to be
// sent. All connections of a thread share one, so that none keeps a buffer.
struct shim_pipe {
    const unsigned char *input;
    size_t left;
    unsigned char *output;
    size_t count, room;
};

static int shim_pipe_read(BIO *bio, char *to, int size) {
    struct shim_pipe *pipe = (struct shim_pipe *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    if (pipe->left == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t count = (size_t)size < pipe->left ? (size_t)size : pipe->left;
    memcpy(to, pipe->input, count);
    pipe->input += count;
    pipe->left -= count;
    return (int)count;
}

static int shim_pipe_write(BIO *bio, const char *from, int size) {
    struct shim_pipe *pipe = (struct shim_pipe *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    if (pipe->room - pipe->count < (size_t)size) {
        size_t room = 2 * (pipe->count + (size_t)size);
        unsigned char *larger = (unsigned char *)realloc(pipe->output, room);
        if (!larger) return -1;
        pipe->output = larger;
        pipe->room = room;
    }
    memcpy(pipe->output + pipe->count, from, (size_t)size);
    pipe->count += (size_t)size;
    return size;
}

static long shim_pipe_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

// The kind of BIO that uses a pipe. Never freed: there is one.
static inline BIO_METHOD *shim_pipe_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pipe");
    if (!method) return NULL;
    BIO_meth_set_read(method, shim_pipe_read);
    BIO_meth_set_write(method, shim_pipe_write);
    BIO_meth_set_ctrl(method, shim_pipe_control);
    return method;
}

// One side of a connection over this pipe; NULL without memory. Freed by SSL_free.
static inline SSL *shim_tls_new(SSL_CTX *context, struct shim_pipe *pipe, BIO_METHOD *method) {
    SSL *tls = SSL_new(context);
    BIO *bio = tls ? BIO_new(method) : NULL;
    if (!bio) {
        SSL_free(tls);
        return NULL;
    }
    BIO_set_data(bio, pipe);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls, bio, bio);
    return tls;
}

// TLS 1.2 with forward secrecy and authenticated encryption only, and TLS 1.3 (RFC 9325, section 4.2).
static inline int shim_tls_limit(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // Gives a connection's buffers back while it is idle: 34 kB of each.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_cipher_list(context,
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305");
}

// Chooses HTTP/1.1 from what a client offers, and refuses one that offers only others (RFC 7301, section 3.2).
static int shim_tls_choose(SSL *tls, const unsigned char **chosen, unsigned char *count, const unsigned char *offered,
    unsigned int size, void *unused) {
    static const unsigned char http[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    (void)tls;
    (void)unused;
    int found = SSL_select_next_proto((unsigned char **)chosen, count, http, sizeof http, offered, size);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void shim_tls_speak_http(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, shim_tls_choose, NULL);
    // One ticket is enough for a client that comes back with one connection.
    SSL_CTX_set_num_tickets(context, 1);
}

// The name that the client wants to reach, and that the certificate must have; an address is only checked.
static inline int shim_tls_expect(SSL *tls, const char *host) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host) == 1) return 1;
    return SSL_set_tlsext_host_name(tls, host) == 1 && SSL_set1_host(tls, host) == 1;
}

// Copies the first DNS name of a certificate's subjectAltName (RFC 5280, section 4.2.1.6), and a zero. Returns 1 if
// there is one that fits.
static inline int shim_tls_first_name(X509 *certificate, char *to, int size) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    int found = 0;
    for (int index = 0; !found && index < sk_GENERAL_NAME_num(names); index++) {
        GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
        if (name->type != GEN_DNS) continue;
        int length = ASN1_STRING_length(name->d.dNSName);
        if (length <= 0 || length >= size) continue;
        memcpy(to, ASN1_STRING_get0_data(name->d.dNSName), length);
        to[length] = 0;
        // A zero inside of the name would end it early.
        found = (int)strlen(to) == length;
    }
    GENERAL_NAMES_free(names);
    return found;
}

#endif
