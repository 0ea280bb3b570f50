// How long something took, so many times: counts in steps of 10 us up to a second, so that noting one more allocates
// nothing. What took a second or longer is only known to have done so; the longest time is kept as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

class Spread {
  public:
    void add(double seconds);
    uint64_t count() const { return count_; }

    // So great a share took no longer, in milliseconds; no less than it was, and at most 10 us more. 1000 says that it
    // was a second or longer.
    double at(double share) const;
    double longest() const { return longest_ * 1'000; }

  private:
    static constexpr size_t steps = 100'000;

    std::vector<uint64_t> counts_ = std::vector<uint64_t>(steps + 1);  // The last one is of a second and longer.
    uint64_t count_ = 0;
    double longest_ = 0;
};
