#include "core/decide/early_kill.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/decide/eviction_pace.h"

namespace jettison {
namespace {

// The time from the decision until killed processes take nothing more: many may have to be found,
// and they compete for the processor with all others.
constexpr Duration kKillTakes = std::chrono::milliseconds(150);

// Bytes are written in whole KiB.
std::string AmountOf(Signal signal, std::int64_t amount) {
  constexpr std::int64_t kKibi = 1024;
  if (FormatOf(signal) == QuantityFormat::kBinarySI) amount -= amount % kKibi;
  return Quantity::Of(amount, FormatOf(signal)).ToString();
}

}  // namespace

bool MustKillNow(const EndingQuestion& question) {
  if (question.now >= question.kill_at) return true;
  const Duration rest = Elapsed(question.now, question.kill_at);
  if (Lasts(question.left, question.growth, std::min(rest, kKillTakes))) return false;
  const Int128 missing = TakenIn(question.growth, rest) - question.left;
  return !question.usage || IsWorthwhile(*question.usage, missing);
}

std::string TextOf(const EarlyKill& kill) {
  const auto milliseconds = [](Duration duration) {
    return FormatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(duration));
  };
  return fmt::format(
      "killed after {} of its grace period of {}: {} of {} were left, and {} a second were taken",
      milliseconds(kill.after), milliseconds(kill.grace), AmountOf(kill.signal, kill.left),
      NameOf(kill.signal), AmountOf(kill.signal, kill.growth));
}

}  // namespace jettison
