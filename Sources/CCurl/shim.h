// libcurl for Swift, and what the importer leaves out of it: variadic functions, and one union.
#ifndef ROOST_CCURL_SHIM_H
#define ROOST_CCURL_SHIM_H

// Its checks of types are macros around the functions below.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode roost_curl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}

/// Sets an option whose value has an address: text (copied by libcurl), lists, and the arguments of callbacks.
static inline CURLcode roost_curl_set_pointer(CURL *handle, CURLoption option, const void *pointer) {
    return curl_easy_setopt(handle, option, (void *)pointer);
}

static inline CURLcode roost_curl_set_size(CURL *handle, CURLoption option, curl_off_t size) {
    return curl_easy_setopt(handle, option, size);
}

/// Callback that takes bytes that have arrived, or gives bytes to be sent.
typedef size_t (*roost_curl_bytes)(char *bytes, size_t size, size_t count, void *owner);

static inline CURLcode roost_curl_set_bytes(CURL *handle, CURLoption option, roost_curl_bytes function) {
    return curl_easy_setopt(handle, option, function);
}

typedef curl_socket_t (*roost_curl_socket)(void *owner, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode roost_curl_set_socket(CURL *handle, roost_curl_socket function, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, owner);
}

/// The bytes of a `sockaddr`: as many as `addrlen` says, which is more than the member's type has.
static inline const void *roost_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

static inline long roost_curl_response_code(CURL *handle) {
    long code = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK ? code : 0;
}

static inline CURLMcode roost_curl_multi_set_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}

/// The next transfer that has ended, and how; NULL if there is none.
static inline CURL *roost_curl_multi_next(CURLM *multi, CURLcode *code) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *code = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

#endif
