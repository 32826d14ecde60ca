#pragma once

#include <string>
#include <string_view>

namespace jettison {

// What to say of a text that ParseDuration refuses: the longest duration, where the text is one
// but longer than that; else `otherwise`.
[[nodiscard]] std::string_view WhyNoDuration(std::string_view text, std::string_view otherwise);

// What to say of a text that ParseInstant refuses: the years that an instant can lie in, where the
// text is a time outside of them; else `otherwise`.
[[nodiscard]] std::string_view WhyNoInstant(std::string_view text, std::string_view otherwise);

// What to warn of an amount of bytes or files that is written in thousandths ("500m"): how much it
// is, and what was probably meant. Empty: it is not.
[[nodiscard]] std::string WhyThousandths(std::string_view amount);

}  // namespace jettison
