#include "core/pods/admission.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant At(int second) {
  return Instant(seconds(second));
}

struct Row {
  const char* rule;
  std::vector<WaitingPod> waiting;
  std::optional<std::size_t> next;
};

TEST(ComeBack, OneOfTheHighestPriorityThatIsDueAndAdmitted) {
  const Row rows[] = {
      {"nobody waits", {}, std::nullopt},
      {"due and admitted", {{"a", 0, At(10), true}}, 0},
      {"still in its back-off", {{"a", 0, At(11), true}}, std::nullopt},
      {"refused", {{"a", 0, At(10), false}}, std::nullopt},
      {"higher priority first", {{"a", 0, At(1), true}, {"b", 5, At(10), true}}, 1},
      {"lower gives way to a back-off", {{"a", 0, At(1), true}, {"b", 5, At(11), true}}, {}},
      {"lower gives way to a refusal", {{"a", 0, At(1), true}, {"b", 5, At(1), false}}, {}},
      {"equals do not wait for each other", {{"a", 5, At(11), true}, {"b", 5, At(9), true}}, 1},
      {"the one due the longest", {{"a", 5, At(9), true}, {"b", 5, At(8), true}}, 1},
      {"then by name", {{"b", 5, At(9), true}, {"a", 5, At(9), true}}, 1},
  };
  for (const Row& row : rows) {
    const auto next = NextToComeBack(row.waiting);
    const bool is_due = next && row.waiting[*next].due <= At(10);
    EXPECT_EQ(is_due ? next : std::nullopt, row.next) << row.rule;
  }
}

}  // namespace
}  // namespace jettison
