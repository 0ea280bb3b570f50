#include "clocks.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "failure.h"

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

double server_seconds(int process) {
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), line);
    size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) { throw Failure("the server has ended"); }
    // Fields 14 and 15 (proc(5)) are ticks in user and in system mode; the name is field 2.
    std::istringstream fields(line.substr(name_end + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) { fields >> skipped; }
    double user = 0, system = 0;
    if (!(fields >> user >> system)) { throw Failure("can't read the server's CPU time"); }
    return (user + system) / sysconf(_SC_CLK_TCK);
}

double own_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval &time) { return time.tv_sec + time.tv_usec / 1e6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
