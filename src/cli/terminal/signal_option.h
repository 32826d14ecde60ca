#pragma once

#include <functional>
#include <string>

namespace jettison {

// A check for an option that is the name of a signal: what is wrong with a text, with the signal
// that was probably meant and those that there are; empty: nothing.
[[nodiscard]] std::function<std::string(const std::string&)> KnownSignal();

}  // namespace jettison
