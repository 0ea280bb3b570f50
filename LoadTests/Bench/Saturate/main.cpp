// saturate: a closed-loop load generator for WebSocket relays, which finds what a server itself can do. It keeps a
// number of messages on their way (a window), tries several, measures the best, checks that nothing was lost, and
// prints one line of JSON. Made for the ceiling and for Roost; the server has a core of its own, and so have we.
//
//     c++ -O2 -std=c++20 -o saturate *.cpp
//     taskset -c 1 ./saturate --port 9021 --pid PID --load fan-out --kind raw --windows 100,200,400
//
// Otherwise one line on stderr: with exit code 3 the server didn't deliver what it had to, with 1 nothing was measured.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "closed_loop.h"
#include "failure.h"

namespace {

// Of its core: less, and the server waited for something, so that more could have been done.
constexpr double server_full_cores = 0.95;

void allow_many_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) { return; }
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void print(const Figures &best, const std::vector<Figures> &tried, const Crowd &crowd) {
    std::printf("{\"window\":%zu,\"seconds\":%.3f,\"deliveries\":%llu,\"deliveriesPerSecond\":%.0f,", best.window,
                best.seconds, static_cast<unsigned long long>(best.deliveries), best.per_second());
    std::printf("\"deliveriesPerServerSecond\":%.0f,\"serverCores\":%.3f,\"generatorCores\":%.3f,\"serverFull\":%s,",
                best.server_cores > 0 ? best.per_second() / best.server_cores : 0, best.server_cores,
                best.generator_cores, best.server_cores >= server_full_cores ? "true" : "false");
    std::printf("\"messages\":%llu,\"tried\":[", static_cast<unsigned long long>(crowd.written()));
    for (size_t index = 0; index < tried.size(); ++index) {
        std::printf("%s{\"window\":%zu,\"deliveriesPerSecond\":%.0f,\"serverCores\":%.3f}", index ? "," : "",
                    tried[index].window, tried[index].per_second(), tried[index].server_cores);
    }
    std::printf("]}\n");
}

void saturate(const Options &options) {
    Crowd crowd(options);
    ClosedLoop loop(options, crowd);
    // Until the news of everybody's coming has passed.
    loop.drain();
    crowd.forget_bytes();
    std::vector<Figures> tried;
    for (size_t window : options.windows) { tried.push_back(loop.measure(window, options.try_seconds)); }
    auto fastest = std::max_element(tried.begin(), tried.end(), [](const Figures &one, const Figures &other) {
        return one.per_second() < other.per_second();
    });
    Figures best = loop.measure(fastest->window, options.seconds);
    loop.drain();
    print(best, tried, crowd);
}

}  // namespace

int main(int count, char **words) {
    try {
        allow_many_descriptors();
        saturate(read_options(count, words));
        return 0;
    } catch (const Lost &lost) {
        std::fprintf(stderr, "saturate: %s\n", lost.what());
        return 3;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "saturate: %s\n", failure.what());
        return 1;
    }
}
