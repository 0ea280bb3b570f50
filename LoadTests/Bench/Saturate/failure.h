// What ends a run. Its words are the one line that the program says of it.
#pragma once

#include <stdexcept>

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The server didn't deliver just what it had to. All else is that it couldn't be measured.
struct Lost : Failure {
    using Failure::Failure;
};
