#include "spread.h"

#include <algorithm>
#include <cmath>

void Spread::add(double seconds) {
    double step = std::clamp(seconds * steps, 0.0, double(steps));
    ++counts_[static_cast<size_t>(step)];
    ++count_;
    longest_ = std::max(longest_, seconds);
}

double Spread::at(double share) const {
    uint64_t wanted = std::ceil(share * count_), passed = 0;
    for (size_t step = 0; step < steps; ++step) {
        passed += counts_[step];
        if (passed >= wanted) { return std::min((step + 1) * 1'000.0 / steps, longest()); }
    }
    return 1'000;
}
