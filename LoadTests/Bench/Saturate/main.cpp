// saturate: a load generator for WebSocket relays. In a closed loop it finds what a server itself can do: it keeps a
// number of messages on their way (a window), tries several, and measures the best. In an open loop it sends at a fixed
// rate, and finds how long deliveries take. Either way it checks that nothing was lost, and prints one line of JSON.
// Made for the ceiling and for Roost; the server has a core of its own, and so have we.
//
//     c++ -O2 -std=c++20 -o saturate *.cpp
//     taskset -c 1 ./saturate --port 9021 --pid PID --load fan-out --kind raw --windows 100,200,400
//     taskset -c 1 ./saturate --port 9021 --pid PID --load fan-out --kind raw --rate 400 --warm 1 --seconds 4
//
// Otherwise one line on stderr: with exit code 3 the server didn't deliver what it had to, with 1 nothing was measured.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "closed_loop.h"
#include "failure.h"
#include "open_loop.h"

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

void print(const OpenLoop &loop, const Options &options, const Crowd &crowd) {
    const Spread &times = loop.deliveries(), &late = loop.lateness();
    std::printf("{\"rate\":%.1f,\"seconds\":%.3f,\"deliveries\":%llu,\"deliveriesPerSecond\":%.0f,", options.rate,
                options.seconds, static_cast<unsigned long long>(times.count()), times.count() / options.seconds);
    std::printf("\"p50\":%.2f,\"p90\":%.2f,\"p99\":%.2f,\"p999\":%.2f,\"max\":%.2f,", times.at(0.5), times.at(0.9),
                times.at(0.99), times.at(0.999), times.longest());
    std::printf("\"lateP50\":%.2f,\"lateP99\":%.2f,\"serverCores\":%.3f,\"busy\":%.3f,\"messages\":%llu}\n",
                late.at(0.5), late.at(0.99), loop.server_cores(), loop.busy(),
                static_cast<unsigned long long>(crowd.written()));
}

// Until the news of everybody's coming has passed.
void settle(Loop &loop, Crowd &crowd) {
    loop.drain();
    crowd.forget_bytes();
}

void run_open_loop(const Options &options) {
    Crowd crowd(options);
    OpenLoop loop(options, crowd);
    settle(loop, crowd);
    loop.run();
    loop.drain();
    print(loop, options, crowd);
}

void run_closed_loop(const Options &options) {
    Crowd crowd(options);
    ClosedLoop loop(options, crowd);
    settle(loop, crowd);
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
        Options options = read_options(count, words);
        options.is_open_loop() ? run_open_loop(options) : run_closed_loop(options);
        return 0;
    } catch (const Lost &lost) {
        std::fprintf(stderr, "saturate: %s\n", lost.what());
        return 3;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "saturate: %s\n", failure.what());
        return 1;
    }
}
