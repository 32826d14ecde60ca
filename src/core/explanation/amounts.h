#pragma once

#include <cstdint>
#include <string>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// An amount of a signal as messages write it: "102124Ki", "4711", and shares of time "12.5%".
[[nodiscard]] std::string AmountText(Signal signal, std::int64_t amount);

// The same with bytes rounded to whole Ki, so that amounts that stand side by side compare: a share
// of a disk is seldom a multiple of 1024. What is less than 1Ki stays as it is.
[[nodiscard]] std::string RoundText(Signal signal, std::int64_t amount);

// The same for a glance, "99.7 MiB"; empty where the exact text is as good.
[[nodiscard]] std::string RoughText(Signal signal, std::int64_t amount);

// Both: "102124Ki (99.7 MiB)".
[[nodiscard]] std::string BothTexts(Signal signal, std::int64_t amount);

// The value of a threshold as it is configured: "100Mi", "10%"; of pressure the share that may be
// lost.
[[nodiscard]] std::string ValueText(Signal signal, const ThresholdValue& value);

// A duration for people, to the millisecond.
[[nodiscard]] std::string ShortDuration(Duration duration);

}  // namespace jettison
