#include "options.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>

#include "failure.h"

namespace {

constexpr long users_max = 9000;  // Two descriptors each would still fit into the 20,000 of a process.
constexpr long window_max = 100'000;
constexpr double seconds_max = 600;
constexpr double rate_max = 1'000'000;

long whole(const std::string &name, const std::string &text, long least, long most) {
    long value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        throw Failure(name + " takes " + std::to_string(least) + " to " + std::to_string(most) + ", not " + text);
    }
    return value;
}

// Above 0; `what` is said where it isn't.
double positive(const std::string &name, const std::string &text, const std::string &what, double most) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value <= most)) {
        throw Failure(name + " takes " + what + " above 0 and up to " + std::to_string(long(most)) + ", not " + text);
    }
    return value;
}

double seconds_of(const std::string &name, const std::string &text) {
    return positive(name, text, "seconds", seconds_max);
}

std::vector<size_t> windows_of(const std::string &name, const std::string &text) {
    std::vector<size_t> windows;
    for (size_t begin = 0; begin <= text.size();) {
        size_t end = std::min(text.find(',', begin), text.size());
        windows.push_back(whole(name, text.substr(begin, end - begin), 1, window_max));
        begin = end + 1;
    }
    return windows;
}

std::vector<std::string> lines_of(const std::string &path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) { lines.push_back(line); }
    if (lines.empty()) { throw Failure("no tokens in " + path); }
    return lines;
}

Load load_of(const std::string &text) {
    if (text == "fan-out") { return Load::fan_out; }
    if (text == "pairs") { return Load::pairs; }
    throw Failure("--load takes fan-out or pairs, not " + text);
}

Kind kind_of(const std::string &text) {
    if (text == "raw") { return Kind::raw; }
    if (text == "signal") { return Kind::signal; }
    if (text == "send") { return Kind::send; }
    throw Failure("--kind takes raw, signal or send, not " + text);
}

void take(Options &options, const std::string &name, const std::string &text) {
    if (name == "--port") { options.port = whole(name, text, 1, 65'535); }
    else if (name == "--pid") { options.server = whole(name, text, 1, 1L << 30); }
    else if (name == "--load") { options.load = load_of(text); }
    else if (name == "--kind") { options.kind = kind_of(text); }
    else if (name == "--readers") { options.readers = whole(name, text, 1, users_max); }
    else if (name == "--writers") { options.writers = whole(name, text, 1, users_max); }
    else if (name == "--size") { options.size = whole(name, text, 18, 60'000); }
    else if (name == "--to") { options.to = text; }
    else if (name == "--tokens") { options.tokens = lines_of(text); }
    else if (name == "--windows") { options.windows = windows_of(name, text); }
    else if (name == "--try-seconds") { options.try_seconds = seconds_of(name, text); }
    else if (name == "--rate") { options.rate = positive(name, text, "messages a second", rate_max); }
    else if (name == "--warm") { options.warm = seconds_of(name, text); }
    else if (name == "--seconds") { options.seconds = seconds_of(name, text); }
    else if (name == "--ack-ms") { options.ack_ms = whole(name, text, -1, 60'000); }
    else { throw Failure("unknown option " + name); }
}

// What fits together. `named`: the options that were given.
void check(const Options &options, const std::set<std::string> &named) {
    if (!options.port || !options.server) { throw Failure("--port and --pid are needed"); }
    if (named.count("--windows") == named.count("--rate")) { throw Failure("one of --windows and --rate is needed"); }
    if (named.count("--warm") && !options.is_open_loop()) { throw Failure("--warm goes with --rate"); }
    if (named.count("--try-seconds") && options.is_open_loop()) { throw Failure("--try-seconds goes with --windows"); }
    if (options.load == Load::pairs && options.readers != options.writers) {
        throw Failure("pairs have as many --readers as --writers");
    }
    if (options.load == Load::fan_out && options.ack_ms >= 0) { throw Failure("readers of a fan-out don't ack"); }
    if (options.is_roost() && (options.to.empty() || options.tokens.size() < options.readers + options.writers)) {
        throw Failure("--to and a token for each of --readers and --writers are needed");
    }
}

}  // namespace

Options read_options(int count, char **words) {
    Options options;
    std::set<std::string> named;
    for (int index = 1; index < count; index += 2) {
        if (index + 1 == count) { throw Failure(std::string(words[index]) + " has no value"); }
        take(options, words[index], words[index + 1]);
        named.insert(words[index]);
    }
    check(options, named);
    return options;
}
