#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace jettison {

// Checks for options: what is wrong with a text, with the numbers that are allowed; empty: nothing.

// A whole number from `least` to `most`, in decimal digits.
[[nodiscard]] std::function<std::string(const std::string&)> WholeNumber(std::uint64_t least,
                                                                         std::uint64_t most);
// A number from `least` to `most`, which nan is not.
[[nodiscard]] std::function<std::string(const std::string&)> Number(double least, double most);

// As many as anybody can ask for to be counted or shown.
inline constexpr std::uint64_t kMostCounted = 1'000'000'000;

// A check for an option that is the name of a signal: what is wrong with a text, with the signal
// that was probably meant and those that there are; empty: nothing.
[[nodiscard]] std::function<std::string(const std::string&)> KnownSignal();

}  // namespace jettison
